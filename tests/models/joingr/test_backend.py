"""However a corpus is ranked (all tables or those reached, compiled or on tensors), the answer is one."""

from dataclasses import replace

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Demo
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.kernels import kernels_available
from joingr_pyg.models import JoinGR, JoinGRPlus, Ranking, WalkEvidence, heuristic
from joingr_pyg.models.joingr import backend
from joingr_pyg.models.retriever import rank_pairs
from joingr_pyg.nn import Potentials, WalkOutput

OPTIONS = [
    {},
    {"similarity_weight": 0.7},
    {"unreached": "drop"},
    {"mmr": 0.6},
    {"hops": 1, "anchors": 1},
    {"hub_damping": 0.8},
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return Demo("unused", "test", CachedEncoder(HashingEncoder(64)), tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def corpus(demo: Demo) -> Corpus:
    return demo.corpus()


def rank(model: JoinGR, query: torch.Tensor, monkeypatch: pytest.MonkeyPatch, dense: bool, compiled: bool) -> Ranking:
    monkeypatch.setattr(backend, "LARGE_CORPUS", 10**9 if dense else 0)
    monkeypatch.setattr(backend, "kernels_available", lambda: compiled)
    model.train().eval()  # Forget what another path has derived.
    return model.rank(Queries(query), 15)


@pytest.fixture(scope="module")
def weighted(corpus: Corpus) -> Corpus:
    """The same tables with joins that are more or less sure."""
    weight = 1 - torch.rand(len(corpus.edge_weight), generator=torch.Generator().manual_seed(0))
    return replace(corpus, edge_weight=weight)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("pool", ["corpus", "weighted"])
@pytest.mark.parametrize(
    ("dense", "compiled"),
    [
        (False, False),
        pytest.param(True, True, marks=pytest.mark.skipif(not kernels_available(), reason="numba is not installed")),
        pytest.param(False, True, marks=pytest.mark.skipif(not kernels_available(), reason="numba is not installed")),
    ],
)
def test_paths_agree(
    demo: Demo,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    pool: str,
    options: dict[str, object],
    learned: bool,
    dense: bool,
    compiled: bool,
) -> None:
    corpus = request.getfixturevalue(pool)
    torch.manual_seed(0)
    query = demo.encode_questions().vector[::6]
    model = (JoinGR(64, **options) if learned else heuristic(**options)).eval().index(corpus)
    plain = rank(model, query, monkeypatch, dense=True, compiled=False)
    other = rank(model, query, monkeypatch, dense, compiled)
    assert torch.allclose(plain.score, other.score, atol=1e-5)
    # Scores that differ by rounding alone may change places.
    for row in range(len(query)):
        for place in (plain.table[row] != other.table[row]).nonzero().flatten().tolist():
            table = other.table[row, place]
            near = (plain.score[row] - other.score[row, place]).abs() < 1e-5
            assert table in plain.table[row, near] or near[-1], (row, place)


def test_confidence_in_joins_changes_the_ranking(demo: Demo, corpus: Corpus, weighted: Corpus) -> None:
    torch.manual_seed(0)
    queries = demo.encode_questions()[::6]
    for model in (JoinGR(64), heuristic(), JoinGRPlus(64), JoinGRPlus(None)):
        plain, other = (model.eval().index(pool).rank(queries, 15).score for pool in (corpus, weighted))
        assert (plain - other).abs().max() > 0.01
        ones = replace(corpus, edge_weight=torch.ones_like(corpus.edge_weight))
        assert torch.equal(model.index(ones).rank(queries, 15).score, plain)


def first_hop(output: WalkOutput) -> WalkOutput:
    """The deposits of the first hop alone."""
    later = torch.arange(len(output.deposit)) >= len(output.hop(1))
    return replace(output, deposit=output.deposit.masked_fill(later, 0))


class OneHop(JoinGR):
    def forward(self, query: torch.Tensor, evidence: WalkEvidence) -> WalkOutput:
        return first_hop(super().forward(query, evidence))


class OneHopPlus(JoinGRPlus):
    def walk_from(self, seed: torch.Tensor, deposit: torch.Tensor, potentials: Potentials) -> WalkOutput:
        return first_hop(super().walk_from(seed, deposit, potentials))


@pytest.mark.parametrize("tables", [0, 10**9], ids=["reached", "dense"])
def test_a_subclass_ranks_by_its_own_walk(
    demo: Demo, corpus: Corpus, monkeypatch: pytest.MonkeyPatch, tables: int
) -> None:
    monkeypatch.setattr(backend, "LARGE_CORPUS", tables)
    queries = demo.encode_questions()[range(0, 180, 20)]
    for whole, subclass in ((JoinGR, OneHop), (JoinGRPlus, OneHopPlus)):
        model, expected = (kind(None, hops=hops).eval().index(corpus) for kind, hops in ((subclass, 5), (whole, 1)))
        ranking, by_hand = model.rank(queries, 15), expected.rank(queries, 15)
        assert torch.allclose(ranking.score, by_hand.score, atol=1e-5)
        assert not torch.allclose(ranking.score, whole(None, hops=5).eval().index(corpus).rank(queries, 15).score)
        evidence = model.evidence(queries)
        output = model(queries.vector, evidence)
        assert torch.equal(model.ranking(model.scores(output, evidence), evidence, 15).table, ranking.table)


def test_a_subclass_ranks_by_its_own_scores(demo: Demo, corpus: Corpus) -> None:
    class Twice(JoinGR):
        def scores(self, output: WalkOutput, evidence: WalkEvidence) -> torch.Tensor:
            return 2 * super().scores(output, evidence)

    queries = demo.encode_questions()[range(10)]
    plain, twice = (kind(None, unreached="drop").eval().index(corpus).rank(queries, 15) for kind in (JoinGR, Twice))
    assert torch.allclose(twice.score, 2 * plain.score, atol=1e-5)


def test_similarity_of_pairs(demo: Demo, corpus: Corpus) -> None:
    query = demo.encode_questions().vector[:20]
    score, column = corpus.similarity(query)
    question, table = torch.arange(20).repeat_interleave(corpus.num_tables), torch.arange(corpus.num_tables).repeat(20)
    assert torch.equal(corpus.best_similarity(query), score)
    order = torch.randperm(question.numel(), generator=torch.Generator().manual_seed(0))[:500]
    pair_score, pair_column = corpus.similarity_of(query, question[order], table[order])
    assert torch.allclose(pair_score, score.flatten()[order], atol=1e-6)
    assert (pair_column == column.flatten()[order]).float().mean() > 0.99  # Equal columns may change places.
    assert corpus.similarity_of(query, question[:0], table[:0])[0].shape == (0,)


def test_rank_pairs() -> None:
    ranking = rank_pairs(
        torch.tensor([2, 0, 0, 2, 0]), torch.tensor([7, 3, 1, 5, 9]), torch.tensor([0.1, 0.5, 0.5, 0.4, 0.9]), 3, 2
    )
    assert ranking.table.tolist() == [[9, 1], [-1, -1], [5, 7]]
    assert ranking.score[0].tolist() == pytest.approx([0.9, 0.5])
    assert ranking.score[1].tolist() == [-torch.inf, -torch.inf]
