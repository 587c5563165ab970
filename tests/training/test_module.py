import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.training.module import MONITORS, Optimization


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("lr", 0, "above 0"),
        ("weight_decay", -1e-4, "at least 0"),
        ("factor", 1.0, "between 0 and 1"),
        ("patience", -1, "at least 0"),
    ],
)
def test_the_optimiser_says_what_is_out_of_range(name: str, value: float, wanted: str) -> None:
    with pytest.raises(JoinGRError, match=rf"'optimization\.{name}' needs to be {wanted} \(got {value}\)"):
        Optimization(**{name: value})


def test_the_values_that_choose_a_checkpoint() -> None:
    assert MONITORS == ("val/loss", "val/P@5", "val/R@5", "val/PR@5", "val/P@15", "val/R@15", "val/PR@15")
