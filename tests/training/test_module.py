import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.training.module import MONITORS, Optimization


@pytest.mark.parametrize(
    ("name", "value", "requirement"),
    [
        ("lr", 0, "above 0"),
        ("weight_decay", -1e-4, "at least 0"),
        ("factor", 1.0, "between 0 and 1"),
        ("patience", -1, "at least 0"),
    ],
)
def test_optimizer_settings_out_of_range_are_refused(name: str, value: float, requirement: str) -> None:
    with pytest.raises(JoinGRError, match=rf"'optimization\.{name}' needs to be {requirement} \(got {value}\)"):
        Optimization(**{name: value})


def test_the_metrics_that_can_select_a_checkpoint() -> None:
    assert MONITORS == ("val/loss", "val/P@5", "val/R@5", "val/PR@5", "val/P@15", "val/R@15", "val/PR@15")
