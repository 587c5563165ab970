from dataclasses import asdict
from math import exp, log
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import heuristic
from joingr_pyg.models.calibration import CANDIDATES, Calibration, lengths, set_sizes
from joingr_pyg.models.checkpoint import Description, keep_calibration, load_checkpoint, save_checkpoint
from joingr_pyg.models.joingr_plus import untrained
from joingr_pyg.models.joingr_plus.model import UNTRAINED
from joingr_pyg.models.retriever import Ranking

SCORES = torch.tensor([[2.0, 1.0, -torch.inf]])


def test_the_probability_by_hand() -> None:
    said = Calibration(2.0, 0.5, -0.7, 0.9, 0.3).probability(SCORES, torch.tensor([[0, 1, 0]]))
    belief = 1 / (1 + exp(-2))
    logits = [0.5 + 0.9 * log(belief) + 0.3 * belief, 0.5 - 0.7 * log(2) + 0.9 * log(1 - belief) + 0.3 * (1 - belief)]
    assert said[0].tolist() == pytest.approx([1 / (1 + exp(-logit)) for logit in logits] + [0])


def test_a_set_is_complete_where_nothing_behind_it_is_needed() -> None:
    probability = torch.tensor([[0.9, 0.5, 0.2, 0.0]])
    # Complete with 0.04, 0.4, 0.8 and 1 after none, one, two and three tables.
    for complete, size in ((0.01, 1), (0.3, 1), (0.41, 2), (0.79, 2), (0.81, 3), (0.99, 3)):
        assert set_sizes(probability, complete).tolist() == [size]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_asking_for_more_never_takes_a_table_away(probability: list[float], one: float, other: float) -> None:
    small, large = (set_sizes(torch.tensor([probability]), each).item() for each in sorted((one, other)))
    assert 1 <= small <= large <= len(probability)


@pytest.mark.parametrize("complete", [0, 1, -0.1, float("nan")])
def test_what_is_no_probability_is_refused(complete: float) -> None:
    with pytest.raises(JoinGRError, match="'complete' needs to be a probability"):
        set_sizes(torch.ones(1, 1), complete)


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_fitted_probabilities_are_those_that_drew_the_tables_at_any_scale(scale: float) -> None:
    torch.manual_seed(0)
    score = torch.randn(3000, 6).sort(dim=1, descending=True).values
    database = torch.randint(2, (3000, 6))
    score[::3, 4:] = -torch.inf
    true = Calibration(1.0, 1.5, -1.0, 1.0, 0.5)
    probability = true.probability(score, database)
    fitted = Calibration.fit(scale * score, database, torch.rand(3000, 6) < probability)
    assert (fitted.probability(scale * score, database) - probability).abs().max() < 0.06


def test_long_questions_need_more_by_hand() -> None:
    assert lengths(["How many?", "Which rivers flow through France, and where?"]).tolist() == [1, 3]
    said = Calibration(2.0, 0.5, -0.7, 0.9, 0.3, 0.2, 0.1).probability(SCORES, torch.zeros(1, 3), torch.tensor([3.0]))
    plain = Calibration(2.0, 0.5, -0.7, 0.9, 0.3).probability(SCORES, torch.zeros(1, 3))
    expected = plain.logit()[0, :2] + log(4 / 11) * torch.tensor([0.2, 0.2 + 0.1 * log(2)])
    torch.testing.assert_close(said.logit()[0, :2], expected)
    assert said[0, 2] == 0


def test_fitted_lengths_are_those_that_drew_the_tables() -> None:
    torch.manual_seed(0)
    score = torch.randn(4000, 6).sort(dim=1, descending=True).values
    database, length = torch.zeros(4000, 6), torch.randint(1, 30, (4000,)).float()
    true = Calibration(1.0, 0.5, -1.0, 1.0, 0.0, -0.5, 0.6)
    probability = true.probability(score, database, length)
    fitted = Calibration.fit(score, database, torch.rand(4000, 6) < probability, length)
    # The ridge draws the weights in a little.
    assert (fitted.probability(score, database, length) - probability).abs().mean() < 0.02
    assert fitted.length < -0.3
    assert fitted.place_by_length > 0.3
    typical = fitted.probability(score, database, torch.full((4000,), 10.0))
    torch.testing.assert_close(fitted.probability(score, database), typical)


def test_nothing_to_calibrate_on_is_told() -> None:
    with pytest.raises(JoinGRError, match="no answered question"):
        Calibration.fit(torch.zeros(0, 3), torch.zeros(0, 3), torch.zeros(0, 3, dtype=torch.bool))


def test_a_method_without_a_calibration_says_so() -> None:
    ranking = Ranking(torch.zeros(1, CANDIDATES, dtype=torch.long), torch.zeros(1, CANDIDATES))
    with pytest.raises(JoinGRError, match="is not calibrated"):
        heuristic().needed(ranking, Queries(torch.zeros(1, 2)))


def test_the_untrained_model_is_calibrated_as_it_comes() -> None:
    assert untrained().calibration == UNTRAINED
    assert untrained(walk=False).calibration is None


def test_a_checkpoint_keeps_the_calibration(tmp_path: Path) -> None:
    path = tmp_path / "plus.ckpt"
    model = untrained()
    description = Description(model.arguments, "hashing-8", "hashing:dim=8", "", 0, model.kind)
    save_checkpoint(path, model, description)
    assert load_checkpoint(path)[0].calibration == UNTRAINED
    other = Calibration(**{name: value + 1 for name, value in asdict(UNTRAINED).items()})
    keep_calibration(path, other)
    again, same = load_checkpoint(path)
    assert (again.calibration, same) == (other, description)
    model.calibration = None
    save_checkpoint(path, model, description)
    assert load_checkpoint(path)[0].calibration is None
