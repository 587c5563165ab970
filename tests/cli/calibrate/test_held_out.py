import pytest
import torch
from torch import Tensor

from joingr_pyg.cli.calibrate.held_out import fit, sets, unseen_probabilities
from joingr_pyg.cli.calibrate.rankings import Rankings
from joingr_pyg.models.calibration import CANDIDATES, Calibration

TRUE = Calibration(1.0, 3.5, -1.5, 1.0, 0.5)


def drawn(questions: int, databases: int, seed: int) -> tuple[Rankings, Tensor]:
    """Rankings whose needed tables are drawn with the probabilities of :data:`TRUE`, and those probabilities."""
    generator = torch.Generator().manual_seed(seed)
    score = 2 * torch.randn(questions, CANDIDATES, generator=generator).sort(dim=1, descending=True).values
    database = torch.randint(3, (questions, CANDIDATES), generator=generator)
    probability = TRUE.probability(score, database)
    needed = torch.rand(questions, CANDIDATES, generator=generator) < probability
    needed[:, 0] |= ~needed.any(dim=1)  # Seldom: the best is nearly always needed.
    table = torch.arange(CANDIDATES).repeat(questions, 1)
    asked = tuple(f"database {row % databases}" for row in range(questions))
    return Rankings(asked, table, score, database, table.where(needed, -1), torch.zeros(questions)), probability


def test_a_fit_on_several_runs_finds_what_drew_their_tables() -> None:
    (one, said), (other, _) = drawn(2000, 7, seed=0), drawn(1000, 7, seed=1)
    fitted = fit([one, other])
    # The ridge draws the weights in a little.
    assert (fitted.probability(one.score, one.database, one.length) - said).abs().mean() < 0.01
    assert fit([one, other], torch.arange(2000)) == fit([one])


def test_databases_are_judged_by_a_fit_on_the_others() -> None:
    one, other = drawn(300, 2, seed=0)[0], drawn(200, 2, seed=1)[0]
    found = unseen_probabilities([one, other])
    # Two databases make two folds.
    even = fit([one, other], torch.arange(0, 500, 2))
    for rankings, probability in zip((one, other), found, strict=True):
        known = rankings.score, rankings.database, rankings.length
        expected = even.probability(*(values[1::2] for values in known))
        assert torch.allclose(probability[1::2], expected)
        assert not torch.allclose(probability[::2], even.probability(*(values[::2] for values in known)))


def test_sets_of_drawn_tables_are_as_complete_as_was_asked() -> None:
    rankings, _ = drawn(3000, 10, seed=0)
    probability = unseen_probabilities([rankings])[0]
    for asked in (0.8, 0.95):
        found = sets(rankings, probability, asked)
        # A set ends with a table, so it is somewhat more complete than asked.
        assert asked - 0.02 < found["complete"] < asked + 0.06
        assert found["calibration_error"] < 0.01


def test_sets_by_hand() -> None:
    table = torch.tensor([[0, 1, 2], [2, 0, -1]])
    gold = torch.tensor([[0, 2], [2, -1]])
    rankings = Rankings(("x", "y"), table, torch.zeros(2, 3), torch.zeros(2, 3, dtype=torch.long), gold, torch.zeros(2))
    # Asked 0.8, the first set ends after two tables, of which one is needed; the second after one.
    found = sets(rankings, torch.tensor([[0.9, 0.5, 0.1], [0.95, 0.15, 0.0]]), 0.8)
    assert found["size"] == 1.5
    assert found["complete"] == 0.5
    assert found["precision"] == pytest.approx((1 / 2 + 1) / 2)
    assert found["recall"] == pytest.approx((1 / 2 + 1) / 2)
    assert found["f1"] == pytest.approx((1 / 2 + 1) / 2)
