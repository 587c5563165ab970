import pytest
import torch

from joingr_pyg.models.joingr_plus import CandidateReranker, TableEvidence
from joingr_pyg.models.joingr_plus.reranker import MEASURES

SCORES = torch.tensor([[2.0, 1.0, 0.0, -1.0]])
WALKED = torch.tensor([[1.0, 0.5, 0.1, 0.02]])
PRIOR = torch.tensor([[0.4, 0.9, 0.2, 0.1]])
VOTES = torch.tensor([[0.0, 0.6, 0.0, 0.0]])
DATABASE = torch.tensor([0, 1, 1, 1])
EVIDENCE = TableEvidence(
    similarity=torch.tensor([[0.5, 0.4, 0.3, 0.2]]),
    column=torch.tensor([[0, 1, 2, 3]]),
    table_similarity=torch.tensor([[0.1, 0.6, 0.1, 0.1]]),
    lexical=torch.tensor([[0.2, 1.2, 0.0, 0.0]]),
    likeness=torch.zeros(1, 0),
    phrase=torch.tensor([[0.3, 0.6, 0.0, 0.0]]),
    named=torch.tensor([[1.0, 0.5, 0.0, 0.0]]),
    covered=torch.tensor([[0.25, 0.75, 0.0, 0.0]]),
)
REST = (WALKED, PRIOR, VOTES, EVIDENCE, DATABASE)


def test_it_begins_by_changing_nothing() -> None:
    assert torch.equal(CandidateReranker(2)(SCORES, *REST), SCORES)


def test_only_candidates_are_looked_at() -> None:
    reranker = CandidateReranker(2)
    torch.nn.init.ones_(reranker.out.bias)
    assert reranker(SCORES, *REST).tolist() == [[3, 2, 0, -1]]
    assert CandidateReranker(9)(SCORES, *REST).shape == SCORES.shape


def test_what_is_known_of_candidates() -> None:
    reranker = CandidateReranker(2, hidden=1)
    belief = SCORES.softmax(dim=1)[0]
    known = torch.tensor(
        [
            [0.0, 0.0, -0.5, 0.0, -0.5, -1.0, 0.2, 0.0, 0.3, float(belief[0]), 1.0, 1.0, 0.25],
            [
                -1.0,
                float(WALKED[0, 1].log()),
                0.0,
                -0.1,
                0.0,
                0.0,
                1.2,
                0.6,
                0.6,
                float(belief[1:].sum()),
                0.5,
                0.0,
                0.75,
            ],
        ]
    )
    for number, measure in enumerate(MEASURES):
        with torch.no_grad():
            reranker.hidden.weight.zero_()
            reranker.hidden.weight[0, number] = 1.0
            reranker.hidden.bias.fill_(50.0)  # No measure falls so low that it would be cut off.
            reranker.out.weight.fill_(1.0)
            reranker.out.bias.fill_(-50.0)
        more = (reranker(SCORES, *REST) - SCORES)[0]
        expected = (known[:, number] - measure.mean) / measure.deviation
        assert more[:2].tolist() == pytest.approx(expected.tolist(), abs=1e-4), measure


def test_nothing_of_it_is_learned_through_what_it_looks_at() -> None:
    reranker = CandidateReranker(2)
    torch.nn.init.ones_(reranker.out.weight)
    scores = SCORES.clone().requires_grad_()
    reranker(scores, *REST).sum().backward()
    assert scores.grad is not None
    assert scores.grad.tolist() == [[1, 1, 1, 1]]
