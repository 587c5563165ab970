from math import exp
from typing import NamedTuple

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
    phrase_within=torch.tensor([[1.0, 0.8, 0.0, 0.0]]),
    phrase_share=torch.tensor([[0.5, 0.7, 0.0, 0.0]]),
    named=torch.tensor([[1.0, 0.5, 0.0, 0.0]]),
    covered=torch.tensor([[0.25, 0.75, 0.0, 0.0]]),
)


class Joins(NamedTuple):
    """A graph of four tables with the joins that are given."""

    database: torch.Tensor
    pairs: set[frozenset[int]]
    num_databases: int = 2

    def joined(self, table: torch.Tensor) -> torch.Tensor:
        return torch.tensor(
            [[[frozenset({a, b}) in self.pairs for b in row] for a in row] for row in table.tolist()], dtype=torch.bool
        )


APART = Joins(DATABASE, set())
REST = (WALKED, PRIOR, VOTES, EVIDENCE)


def test_it_begins_by_changing_nothing() -> None:
    assert torch.equal(CandidateReranker(2)(SCORES, *REST, APART), SCORES)


def test_only_candidates_are_looked_at() -> None:
    reranker = CandidateReranker(2)
    torch.nn.init.ones_(reranker.out.bias)
    assert reranker(SCORES, *REST, APART).tolist() == [[3, 2, 0, -1]]
    assert CandidateReranker(9)(SCORES, *REST, APART).shape == SCORES.shape


def passes_on(reranker: CandidateReranker, number: int) -> None:
    """Add to each score the measure of this number, brought to the order of one, and nothing of the others'."""
    with torch.no_grad():
        for layer in (reranker.known, reranker.message, reranker.hidden, reranker.out):
            for parameter in layer.parameters():
                parameter.zero_()
        reranker.known.weight[0, number] = 1.0
        reranker.known.bias.fill_(50.0)  # No measure falls so low that it would be cut off.
        reranker.hidden.weight[0, 0] = reranker.out.weight[0, 0] = 1.0
        reranker.out.bias.fill_(-50.0)


def test_what_is_known_of_candidates() -> None:
    reranker = CandidateReranker(2, hidden=1)
    belief = SCORES.softmax(dim=1)[0]
    walked = float(WALKED[0, 1].log())
    rest = float(belief[1:].sum())
    known = torch.tensor(
        [
            [0.0, 0.0, -0.5, 0.0, -0.5, -1.0, 0.2, 0.0, 0.3, 1.0, 0.0, 0.5, float(belief[0]), 1.0, 1.0, 0.25],
            [-1.0, walked, 0.0, -0.1, 0.0, 0.0, 1.2, 0.6, 0.6, 0.8, -0.2, 0.7, rest, 0.5, 0.0, 0.75],
        ]
    )
    for number, measure in enumerate(MEASURES):
        passes_on(reranker, number)
        more = (reranker(SCORES, *REST, APART) - SCORES)[0]
        expected = (known[:, number] - measure.mean) / measure.deviation
        assert more[:2].tolist() == pytest.approx(expected.tolist(), abs=1e-4), measure


def test_messages_worked_by_hand() -> None:
    reranker = CandidateReranker(3, hidden=1, message=1)
    joins = Joins(DATABASE, {frozenset({0, 1}), frozenset({0, 2}), frozenset({0, 3})})
    passes_on(reranker, 6)  # Word matches: .2, 1.2 and 0.
    with torch.no_grad():
        reranker.message.weight.fill_(1.0)
        reranker.hidden.weight[0] = torch.tensor([0.0, 1.0, 0.01])  # What the joined say, and a hundredth of ...
        reranker.out.bias.zero_()  # ... what those of the database say.
    say = [50 + (words - 0.7) / 0.55 for words in (0.2, 1.2, 0.0)]
    weight = [exp(2), exp(1), exp(0)]
    belief = [each / sum(weight) for each in weight]
    joined = (belief[1] * say[1] + belief[2] * say[2]) / (belief[1] + belief[2] + 0.05)
    first = belief[0] * say[0] / (belief[0] + 0.05)  # What the first says to those joined to it.
    second, third = (belief[place] * say[place] / (belief[place] + 0.05) for place in (1, 2))
    more = (reranker(SCORES, *REST, joins) - SCORES)[0]
    assert more.tolist() == pytest.approx([joined, first + third / 100, first + second / 100, 0], rel=1e-5)


def test_without_messages_joins_do_not_count() -> None:
    torch.manual_seed(0)
    joins = Joins(DATABASE, {frozenset({0, 1}), frozenset({0, 2})})
    scores = {}
    for passes_messages in (True, False):
        reranker = CandidateReranker(3, passes_messages=passes_messages)
        torch.nn.init.ones_(reranker.out.weight)
        scores[passes_messages] = [reranker(SCORES, *REST, graph) for graph in (APART, joins)]
        reranker(SCORES, *REST, joins).sum().backward()
        assert (reranker.message.weight.grad is not None) == passes_messages
    assert not torch.allclose(*scores[True])
    assert torch.equal(*scores[False])


def test_nothing_of_it_is_learned_through_what_it_looks_at() -> None:
    reranker = CandidateReranker(2)
    torch.nn.init.ones_(reranker.out.weight)
    scores = SCORES.clone().requires_grad_()
    reranker(scores, *REST, APART).sum().backward()
    assert scores.grad is not None
    assert scores.grad.tolist() == [[1, 1, 1, 1]]
