import numpy as np
import pytest
import torch

from joingr_pyg.models.reranking.reranker import LIKELY, Scorer


def test_a_score_worked_by_hand() -> None:
    scorer = Scorer(2, 2)
    with torch.no_grad():
        scorer.mean.copy_(torch.tensor([1.0, 0.0]))
        scorer.deviation.copy_(torch.tensor([2.0, 1.0]))
        scorer.hidden.weight.copy_(torch.tensor([[1.0, 1.0], [-1.0, 0.0]]))
        scorer.hidden.bias.copy_(torch.tensor([0.5, 0.0]))
        scorer.out.weight.copy_(torch.tensor([[2.0, 3.0]]))
        scorer.out.bias.copy_(torch.tensor([0.25]))
        # (3 - 1) / 2 = 1, and 9 is cut off at 5 standard deviations.
        score = scorer(torch.tensor([[3.0, 9.0], [-1.0, 0.0]]))
    assert score.tolist() == pytest.approx([2 * (1 + 5 + 0.5) + 0.25, 3 * 1 + 0.25])


def test_the_mean_of_the_likely_ones_is_an_even_chance() -> None:
    from types import SimpleNamespace

    from joingr_pyg.models.reranking import join_features
    from joingr_pyg.models.reranking.reranker import second_look

    count = LIKELY + 2
    zeros = np.zeros((count, count), np.float32)
    tables = SimpleNamespace(
        weighted_degree=np.zeros(count), degree=np.zeros(count, int), database=np.zeros(count, int)
    )
    joins = dict.fromkeys(("references", "joined", "share", "symmetric_share", "distance"), zeros)
    candidates = SimpleNamespace(
        table=np.arange(count),
        tables=tables,
        base=np.full(count, -1),
        phrase_similarity=zeros[:1],
        summary_similarity=zeros[0],
        **joins,
    )
    score = np.array([0.5] * LIKELY + [-9.0, 0.5 - np.log(3)], np.float32)
    numbers = second_look(candidates, np.zeros((count, 1), np.float32), score)  # type: ignore[arg-type]
    probability, behind, place = numbers[:, 1 + len(join_features.NAMES) :][:, :3].T
    np.testing.assert_allclose(probability[:LIKELY], 0.5)
    np.testing.assert_allclose(probability[-1], 0.25, rtol=1e-5)
    np.testing.assert_allclose(behind[[0, -2]], [0, -9.5])
    np.testing.assert_allclose(place[[0, -1, -2]], np.log([1, LIKELY + 1, LIKELY + 2]), rtol=1e-6)
