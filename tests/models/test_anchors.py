import pickle
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import HeteroData

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import anchors
from joingr_pyg.models.anchors import ColumnIndex, TableHits, diverse_anchors
from joingr_pyg.testing.synthetic import (
    synthetic_corpus,
    synthetic_databases,
    synthetic_graphs,
    synthetic_questions,
    synthetic_vectors,
)

MakeCorpus = Callable[..., Corpus]


def lists(hits: TableHits) -> tuple[list[list[float]], ...]:
    return tuple(part.tolist() for part in hits)


def test_a_schema_with_fewer_tables_than_k(make_corpus: MakeCorpus) -> None:
    """FAISS fills up with -1, which would be the last column for Python."""
    corpus = make_corpus([[[1.0, 0.0], [0.6, 0.8]], [[0.0, 1.0]]])
    table, score, column = ColumnIndex(corpus).search(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), k=10)
    nothing = [-1] * 8
    assert table.tolist() == [[0, 1, *nothing], [1, 0, *nothing]]
    assert column.tolist() == [[0, 2, *nothing], [2, 1, *nothing]]
    assert score[:, :2].tolist() == [[1.0, 0.0], [1.0, pytest.approx(0.8)]]
    assert (score[:, 2:] == -torch.inf).all()


def test_a_table_comes_once_with_its_best_column(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus([[[0.6, 0.8], [1.0, 0.0], [0.8, 0.6]], [[-1.0, 0.0]], [[0.8, -0.6]]])
    hits = ColumnIndex(corpus).search(torch.tensor([[1.0, 0.0]]), k=3)
    assert lists(hits) == ([[0, 2, 1]], [[1.0, pytest.approx(0.8), -1.0]], [[1, 4, 3]])


def test_ties_are_broken_by_number(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus([[[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0]], [[1.0, 0.0]]])
    hits = ColumnIndex(corpus).search(torch.tensor([[1.0, 0.0]]), k=2)
    assert (hits.table.tolist(), hits.column.tolist()) == ([[0, 1]], [[1, 3]])


def test_a_wide_table_does_not_displace_others(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus([[[1.0, 0.0]] * 500, [[0.6, 0.8]], [[0.8, 0.6]]])
    hits = ColumnIndex(corpus).search(torch.tensor([[1.0, 0.0]]), k=3)
    assert hits.table.tolist() == [[0, 2, 1]]


def test_a_tie_at_the_last_searched_column_is_broken_by_number(make_corpus: MakeCorpus) -> None:
    # The columns alike are looked at ten at a time, whichever FAISS gives first.
    corpus = make_corpus([[[0.0, 1.0]], *[[[1.0, 0.0]]] * 300])
    hits = ColumnIndex(corpus).search(torch.tensor([[1.0, 0.0]]), k=4, columns=10)
    assert hits.table.tolist() == [[1, 2, 3, 4]]


@settings(max_examples=50, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=12),
    k=st.integers(1, 8),
    columns=st.integers(1, 9),
    seed=st.integers(0, 2**16),
)
def test_the_hits_are_the_best_tables_of_all(
    make_corpus: MakeCorpus, sizes: list[int], k: int, columns: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    corpus = make_corpus([random.integers(-1, 2, (size, 2)).astype(float).tolist() for size in sizes])
    query = torch.from_numpy(random.integers(-1, 2, (3, 2))).float()
    table, score, column = ColumnIndex(corpus).search(query, k, columns)
    similarity, best = corpus.similarity(query)
    order = similarity.argsort(dim=1, descending=True, stable=True)[:, :k]
    there = min(k, len(sizes))
    assert table[:, :there].tolist() == order.tolist()
    assert score[:, :there].tolist() == similarity.gather(1, order).tolist()
    assert column[:, :there].tolist() == best.gather(1, order).tolist()
    assert (table[:, there:] == -1).all()


def test_a_nan_question_has_no_hits(make_corpus: MakeCorpus) -> None:
    hits = ColumnIndex(make_corpus([[[1.0]], [[0.5]]])).search(torch.tensor([[torch.nan], [1.0]]), k=2)
    assert hits.table.tolist() == [[-1, -1], [0, 1]]


def test_no_question_has_no_hit(make_corpus: MakeCorpus) -> None:
    hits = ColumnIndex(make_corpus([[[1.0]]])).search(torch.empty(0, 1), k=3)
    assert [part.shape for part in hits] == [(0, 3)] * 3


@pytest.mark.parametrize("k", [0, -1])
def test_less_than_one_table_is_refused(make_corpus: MakeCorpus, k: int) -> None:
    with pytest.raises(JoinGRError, match=f"K needs to be at least 1 \\(got {k}\\)"):
        ColumnIndex(make_corpus([[[1.0]]])).search(torch.ones(1, 1), k)


@pytest.fixture(scope="module")
def synthetic() -> Corpus:
    return synthetic_corpus(300, dim=32)


def small_graphs(num_tables: int) -> list[HeteroData]:
    databases = synthetic_databases(num_tables)
    return synthetic_graphs(databases, *synthetic_vectors(databases, dim=32))


@pytest.fixture(scope="module")
def questions(synthetic: Corpus) -> Tensor:
    return synthetic_questions(synthetic, 50)


def recall(hits: TableHits, exact: TableHits) -> float:
    pairs = zip(hits.table.tolist(), exact.table.tolist(), strict=True)
    return sum(len({*ours} & {*best}) for ours, best in pairs) / exact.table.numel()


def test_an_approximate_index_with_all_clusters_is_exact(synthetic: Corpus, questions: Tensor) -> None:
    exact = ColumnIndex(synthetic, "exact").search(questions, 7)
    # More columns than needed: exact scores put right what compression put in another order.
    hits = ColumnIndex(synthetic, "approximate", probes=1000).search(questions, 7, columns=400)
    assert torch.equal(hits.table, exact.table)
    assert torch.equal(hits.column, exact.column)
    assert torch.allclose(hits.score, exact.score, atol=1e-6)


def test_an_approximate_index_finds_nearly_all_with_exact_scores(synthetic: Corpus, questions: Tensor) -> None:
    exact = ColumnIndex(synthetic, "exact").search(questions, 5)
    recalls = [
        recall(ColumnIndex(synthetic, "approximate", probes).search(questions, 5), exact) for probes in (1, 8, 32)
    ]
    assert recalls == sorted(recalls)
    assert recalls[0] < 0.9 < recalls[2]
    table, score, column = ColumnIndex(synthetic, "approximate").search(questions, 5)
    assert torch.equal(synthetic.owner[column], table)
    assert torch.allclose((synthetic.x[column] * questions.unsqueeze(1)).sum(-1), score, atol=1e-6)


def test_an_approximate_index_looks_further_until_there_are_k_tables(synthetic: Corpus, questions: Tensor) -> None:
    hits = ColumnIndex(synthetic, "approximate", probes=1).search(questions, 300)
    assert (hits.table.sort(dim=1).values == torch.arange(300)).all()


@pytest.mark.parametrize("kind", ["exact", "approximate"])
def test_an_extended_index_answers_as_one_of_the_whole(kind: str) -> None:
    graphs = small_graphs(120)
    whole = Corpus.from_graphs(graphs)
    questions = synthetic_questions(whole, 40)
    corpus = Corpus.from_graphs(graphs[:6])
    index = ColumnIndex(corpus, kind, probes=1000)
    for graph in graphs[6:]:
        corpus = corpus.extended([graph])
        index.extend(corpus)
    expected = ColumnIndex(whole, "exact").search(questions, 6)
    assert len(graphs) > 12
    assert (expected.table >= Corpus.from_graphs(graphs[:6]).num_tables).any()
    hits = index.search(questions, 6, columns=300)
    assert torch.equal(hits.table, expected.table)
    assert torch.equal(hits.column, expected.column)
    assert torch.allclose(hits.score, expected.score, atol=1e-6)


def test_extending_an_approximate_index_adds_the_new_columns_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = small_graphs(60)
    corpus = Corpus.from_graphs(graphs[:-1])
    index = ColumnIndex(corpus, "approximate")
    added: list[np.ndarray] = []
    monkeypatch.setattr(index._clusters, "add", added.append)
    index.extend(corpus.extended(graphs[-1:]))
    assert np.array_equal(np.concatenate(added), graphs[-1]["column"].x.numpy())


def test_an_index_is_extended_only_to_extensions_of_its_corpus(make_corpus: MakeCorpus) -> None:
    index = ColumnIndex(make_corpus([[[1.0]], [[0.5]]]))
    with pytest.raises(JoinGRError, match="not an extension of the indexed corpus"):
        index.extend(make_corpus([[[1.0]]]))


def test_small_corpora_are_searched_exactly_and_large_ones_in_clusters(
    synthetic: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ColumnIndex(synthetic).kind == "exact"
    monkeypatch.setattr(anchors, "EXACT_COLUMNS", synthetic.num_columns - 1)
    assert ColumnIndex(synthetic).kind == "approximate"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "fast"}, "no index of kind 'fast': choose 'exact' or 'approximate'"),
        ({"probes": 0}, r"'probes' needs to be at least 1 \(got 0\)"),
    ],
)
def test_wrong_arguments_of_an_index_are_refused(make_corpus: MakeCorpus, arguments: dict, message: str) -> None:
    with pytest.raises(JoinGRError, match=message):
        ColumnIndex(make_corpus([[[1.0]]]), **arguments)


def test_both_kinds_can_be_pickled(synthetic: Corpus, questions: Tensor) -> None:
    for kind in ("exact", "approximate"):
        index = ColumnIndex(synthetic, kind)
        assert lists(pickle.loads(pickle.dumps(index)).search(questions, 5)) == lists(index.search(questions, 5))


# Cosines with the question (1, 0): t0 1, t1 0.96, t2 0.8, t3 0.6. t1 and t2 lie on the side of t0, t3 opposite.
FAN = [[[1.0, 0.0]], [[0.96, 0.28]], [[0.8, 0.6]], [[0.6, -0.8]]]
QUESTION = torch.tensor([[1.0, 0.0]])


def choose(corpus: Corpus, k: int, weight: float, query: Tensor = QUESTION) -> TableHits:
    hits = ColumnIndex(corpus).search(query, 4 * k)
    return diverse_anchors(hits, corpus.x[hits.column.clamp(min=0)], k, weight)


def test_relevance_and_redundancy_weighed_by_hand(make_corpus: MakeCorpus) -> None:
    # First t0, the most relevant. Then 0.5 s - 0.5 overlap with t0 is 0 for all, as their cosines with t0 and with the
    # question are the same: the first of equals. Then the larger overlap counts,
    #   t2: 0.5 * 0.8 - 0.5 * max(0.8, 0.96 * 0.8 + 0.28 * 0.6 = 0.936) = -0.068
    #   t3: 0.5 * 0.6 - 0.5 * max(0.6, 0.96 * 0.6 - 0.28 * 0.8 = 0.352) = 0
    hits = choose(make_corpus(FAN), 3, 0.5)
    assert hits.table.tolist() == [[0, 1, 3]]
    assert hits.column.tolist() == [[0, 1, 3]]
    assert hits.score.tolist() == [[1.0, pytest.approx(0.96), pytest.approx(0.6)]]


def test_more_weight_on_diversity_chooses_dissimilar_tables(make_corpus: MakeCorpus) -> None:
    # 0.4 s - 0.6 overlap: t1 -0.192, t2 -0.16, t3 -0.12; after t3, t1 0.384 - 0.576 and t2 0.32 - 0.48.
    assert choose(make_corpus(FAN), 3, 0.4).table.tolist() == [[0, 3, 2]]


def test_redundancy_is_that_with_any_anchor_before(make_corpus: MakeCorpus) -> None:
    # 0.2 s - 0.8 overlap. After t0 comes t3, which is as unlike it as can be: 0. Then t1 has 0.192 - 0.8 * 0.96, as it
    # is still like t0, and t2 has 0.12 - 0.8 * 0.8.
    corpus = make_corpus([[[1.0, 0.0]], [[0.96, -0.28]], [[0.6, 0.8]], [[0.0, 1.0]]])
    assert choose(corpus, 3, 0.2).table.tolist() == [[0, 3, 2]]


@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
def test_relevance_alone_chooses_the_most_similar_tables(make_corpus: MakeCorpus, k: int) -> None:
    corpus = make_corpus(FAN)
    query = torch.nn.functional.normalize(torch.randn(20, 2, generator=torch.Generator().manual_seed(0)))
    assert lists(choose(corpus, k, 1.0, query)) == lists(ColumnIndex(corpus).search(query, k))


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_fewer_tables_than_anchors_are_each_chosen_once(make_corpus: MakeCorpus, weight: float) -> None:
    table, score, column = choose(make_corpus(FAN[:2]), 5, weight)
    assert table.tolist() == [[0, 1, -1, -1, -1]]
    assert column.tolist() == [[0, 1, -1, -1, -1]]
    assert score[0, 2:].tolist() == [-torch.inf] * 3


def test_anchors_are_chosen_for_each_question_alone(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus(FAN)
    query = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, -0.8]])
    together = choose(corpus, 2, 0.5, query)
    assert [row.tolist() for row in together.table] == [
        choose(corpus, 2, 0.5, vector[None]).table[0].tolist() for vector in query
    ]
