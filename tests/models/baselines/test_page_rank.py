from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.baselines import PageRank
from joingr_pyg.models.baselines.table_graph import table_graph
from joingr_pyg.testing.synthetic import synthetic_corpus

MakeCorpus = Callable[..., Corpus]


def test_the_table_graph_has_each_pair_once(make_corpus: MakeCorpus) -> None:
    # t0 and t1 are joined twice, in both directions; t1 joins itself; t2 stands alone.
    corpus = make_corpus([[[1.0], [1.0]], [[1.0], [1.0]], [[1.0]]], joins=[(0, 2), (3, 1), (2, 3)])
    assert table_graph(corpus).toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_scores_by_hand(chain: Corpus, question: Queries) -> None:
    # All surfers restart at t0: x0 = 1/2 + x1/4, x1 = x0/2 + x2/2, x2 = x1/4.
    table, score = (part[0].tolist() for part in PageRank(anchors=1, damping=0.5).index(chain).rank(question, 5))
    assert table == [0, 1, 2, 4, 3]
    assert score == pytest.approx([7 / 12, 1 / 3, 1 / 12, 0.5 - 1, 0.28 - 1])


def test_restarts_are_proportional_to_similarity(chain: Corpus, question: Queries) -> None:
    # Without steps everyone stays at the anchors: 0.8 and 0.6 of 1.4.
    table, score = (part[0].tolist() for part in PageRank(anchors=2, damping=0.0).index(chain).rank(question, 3))
    assert table == [0, 1, 4]
    assert score == pytest.approx([0.8 / 1.4, 0.6 / 1.4, 0.5 - 1])


def test_the_walk_restarts_from_isolated_tables(chain: Corpus) -> None:
    model = PageRank(anchors=1, damping=0.9).index(chain)
    table, score = model.rank(Queries(torch.tensor([[0.28, 0.96, 0.0]])), 1)
    assert (table.tolist(), score.tolist()) == ([[3]], [[pytest.approx(1)]])


def test_anchors_are_uniform_without_positive_similarity(chain: Corpus) -> None:
    table, score = PageRank(anchors=2, damping=0.0).index(chain).rank(Queries(torch.tensor([[0.0, 0.0, -1.0]])), 2)
    assert table.tolist() == [[0, 2]]
    assert score.tolist() == [[0.5, 0.5]]


def test_scores_equal_networkx() -> None:
    corpus = synthetic_corpus(num_tables=40, seed=0, dim=8)
    model = PageRank(anchors=3, damping=0.8).index(corpus)
    restart = np.zeros((corpus.num_tables, 2))
    restart[[1, 5, 7], 0] = 0.2, 0.3, 0.5
    restart[[0, 30], 1] = 0.5
    graph = nx.from_scipy_sparse_array(table_graph(corpus))
    for row, column in zip(model.page_rank(restart), restart.T, strict=True):
        expected = nx.pagerank(graph, 0.8, dict(enumerate(column)), dangling=dict(enumerate(column)), tol=1e-9)
        assert row == pytest.approx(list(expected.values()), abs=1e-6)


def test_no_questions_give_no_rows(chain: Corpus) -> None:
    assert PageRank().index(chain).rank(Queries(torch.zeros(0, 3)), 4).table.shape == (0, 4)


@pytest.mark.parametrize(("arguments", "name"), [({"anchors": 0}, "anchors"), ({"damping": 1.0}, "damping")])
def test_arguments_out_of_range_are_refused(arguments: dict[str, float], name: str) -> None:
    with pytest.raises(JoinGRError, match=f"'{name}' needs to be at least"):
        PageRank(**arguments)  # type: ignore[arg-type]
