"""Walks over vectors in half precision reach the tables, with the scores, that they reach in single precision."""

from dataclasses import replace

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.models import JoinGR
from joingr_pyg.models.joingr import backend
from joingr_pyg.models.joingr.database_walk import DatabaseWalk
from joingr_pyg.testing.synthetic import synthetic_corpus, synthetic_questions

VECTORS = ("x", "edge_attr", "table_x", "summary_x")


@pytest.fixture(scope="module")
def half() -> Corpus:
    corpus = synthetic_corpus(120, dim=16)
    weight = 1 - 0.9 * torch.rand(len(corpus.edge_weight), generator=torch.Generator().manual_seed(0))
    return replace(corpus, edge_weight=weight, **{name: getattr(corpus, name).half() for name in VECTORS})


@pytest.fixture(scope="module")
def single(half: Corpus) -> Corpus:
    """The same numbers in single precision."""
    return replace(half, **{name: getattr(half, name).float() for name in VECTORS})


@pytest.mark.parametrize("options", [{}, {"channels": None}, {"mmr": 0.5}, {"similarity_weight": 0.3}], ids=str)
def test_rankings_and_explanations_are_the_same(
    half: Corpus, single: Corpus, options: dict[str, float | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "LARGE_CORPUS", 0)
    torch.manual_seed(0)
    model = JoinGR(**{"channels": 16, "anchors": 3, "hops": 3, **options}).eval()
    queries = Queries(synthetic_questions(single, 20))
    expected, explained = model.index(single).rank(queries, 15), model.explained(queries[:3], 4)
    before = [[one.path for one in explained.explain(question, 4)] for question in range(3)]
    found, again = model.index(half).rank(queries, 15), model.explained(queries[:3], 4)
    torch.testing.assert_close(found.score, expected.score, atol=2e-6, rtol=0)
    assert (found.table == expected.table).float().mean() > 0.99  # But for those as good as equal.
    for question in range(3):
        for one, other in zip(before[question], again.explain(question, 4), strict=True):
            assert [step[:3] for step in one] == [step[:3] for step in other.path]


def test_empty_places_are_skipped(half: Corpus) -> None:
    model = JoinGR(16).eval().index(half)
    query, deposit = synthetic_questions(replace(half, x=half.x.float()), 2), torch.full((2, 2), 0.5)
    with torch.no_grad():
        reached = DatabaseWalk(model)(query, torch.tensor([[-1, 3], [-1, -1]]), deposit)
        alone = DatabaseWalk(model)(query[:1], torch.tensor([[3]]), deposit[:1, :1])
    assert reached.ptr.tolist() == [0, len(alone.node), len(alone.node)]
    assert torch.equal(reached.node, alone.node)
    assert torch.equal(reached.score, alone.score)


def test_a_graph_of_some_databases_is_part_of_the_corpus(half: Corpus) -> None:
    databases = torch.unique(half.database)[1:4].numpy()
    graph = half.walk_graph(databases)
    assert set(half.database[graph.table].tolist()) == set(databases.tolist())
    joins = half.joins_of(databases)
    table = torch.from_numpy(graph.table)
    assert torch.equal(table[graph.edge_index], half.edge_index[:, joins])
    assert torch.equal(graph.edge_weight, half.edge_weight[joins])
    for place, number in enumerate(graph.table[:5].tolist()):
        own = half.x[half.column_ptr[number] : half.column_ptr[number + 1]].float()
        assert torch.equal(graph.x[graph.first_column[place] : graph.first_column[place + 1]], own)
