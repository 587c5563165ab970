from math import exp
from typing import NamedTuple

import pytest
import torch

from joingr_pyg.models.joingr_plus import CandidateReranker, Feature
from joingr_pyg.models.joingr_plus.features import RERANK_INPUTS

SCORES = torch.tensor([[2.0, 1.0, 0.0, -1.0]])
DATABASE = torch.tensor([0, 1, 1, 1])
DEPOSITS = torch.tensor([[1.0, 0.5, 0.1, 0.02]])
REST = {
    Feature.WALK: DEPOSITS.log(),
    Feature.PRIOR: torch.tensor([[0.4, 0.9, 0.2, 0.1]]),
    Feature.SIMILARITY: torch.tensor([[0.5, 0.4, 0.3, 0.2]]),
    Feature.TABLE_SIMILARITY: torch.tensor([[0.1, 0.6, 0.1, 0.1]]),
    Feature.WORDS: torch.tensor([[0.2, 1.2, 0.0, 0.0]]),
    Feature.VOTES: torch.tensor([[0.0, 0.6, 0.0, 0.0]]),
    Feature.PHRASE: torch.tensor([[0.3, 0.6, 0.0, 0.0]]),
    Feature.PHRASE_WITHIN: torch.tensor([[1.0, 0.8, 0.0, 0.0]]),
    Feature.PHRASE_SHARE: torch.tensor([[0.5, 0.7, 0.0, 0.0]]),
    Feature.NAMED: torch.tensor([[1.0, 0.5, 0.0, 0.0]]),
    Feature.COVERED: torch.tensor([[0.25, 0.75, 0.0, 0.0]]),
}
FEATURES = REST | {Feature.SCORE: SCORES}


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


def test_an_untrained_reranker_changes_nothing() -> None:
    assert torch.equal(CandidateReranker(2)(FEATURES, APART), SCORES)


def test_only_candidates_change() -> None:
    reranker = CandidateReranker(2)
    torch.nn.init.ones_(reranker.out.bias)
    assert reranker(FEATURES, APART).tolist() == [[3, 2, 0, -1]]
    assert CandidateReranker(9)(FEATURES, APART).shape == SCORES.shape


def passes_on(reranker: CandidateReranker, number: int) -> None:
    """Add to each score the input of this number, standardised, and nothing of the other candidates."""
    with torch.no_grad():
        for layer in (reranker.input, reranker.message, reranker.hidden, reranker.out):
            for parameter in layer.parameters():
                parameter.zero_()
        reranker.input.weight[0, number] = 1.0
        reranker.input.bias.fill_(50.0)  # No input is so low that it would be cut off.
        reranker.hidden.weight[0, 0] = reranker.out.weight[0, 0] = 1.0
        reranker.out.bias.fill_(-50.0)


def test_inputs_worked_by_hand() -> None:
    reranker = CandidateReranker(2, hidden=1)
    belief = SCORES.softmax(dim=1)[0]
    walked = float(DEPOSITS[0, 1].log())
    rest = float(belief[1:].sum())
    expected_inputs = torch.tensor(
        [
            [0.0, 0.0, -0.5, 0.0, -0.5, -1.0, 0.2, 0.0, 0.3, 1.0, 0.0, 0.5, float(belief[0]), 1.0, 1.0, 0.25],
            [-1.0, walked, 0.0, -0.1, 0.0, 0.0, 1.2, 0.6, 0.6, 0.8, -0.2, 0.7, rest, 0.5, 0.0, 0.75],
        ]
    )
    for number, (feature, scale) in enumerate(RERANK_INPUTS):
        passes_on(reranker, number)
        more = (reranker(FEATURES, APART) - SCORES)[0]
        expected = (expected_inputs[:, number] - scale.mean) / scale.deviation
        assert more[:2].tolist() == pytest.approx(expected.tolist(), abs=1e-4), feature


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
    more = (reranker(FEATURES, joins) - SCORES)[0]
    assert more.tolist() == pytest.approx([joined, first + third / 100, first + second / 100, 0], rel=1e-5)


def test_without_messages_joins_do_not_count() -> None:
    torch.manual_seed(0)
    joins = Joins(DATABASE, {frozenset({0, 1}), frozenset({0, 2})})
    scores = {}
    for passes_messages in (True, False):
        reranker = CandidateReranker(3, passes_messages=passes_messages)
        torch.nn.init.ones_(reranker.out.weight)
        scores[passes_messages] = [reranker(FEATURES, graph) for graph in (APART, joins)]
        reranker(FEATURES, joins).sum().backward()
        assert (reranker.message.weight.grad is not None) == passes_messages
    assert not torch.allclose(*scores[True])
    assert torch.equal(*scores[False])


def test_no_gradient_flows_through_its_inputs() -> None:
    reranker = CandidateReranker(2)
    torch.nn.init.ones_(reranker.out.weight)
    scores = SCORES.clone().requires_grad_()
    reranker(REST | {Feature.SCORE: scores}, APART).sum().backward()
    assert scores.grad is not None
    assert scores.grad.tolist() == [[1, 1, 1, 1]]


def test_weights_of_earlier_versions_load() -> None:
    reranker = CandidateReranker(2)
    older = {name.replace("input.", "known."): value for name, value in reranker.state_dict().items()}
    assert set(older) != set(reranker.state_dict())
    again = CandidateReranker(2)
    again.load_state_dict(older)
    assert torch.equal(again.input.weight, reranker.input.weight)
