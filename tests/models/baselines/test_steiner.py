from collections.abc import Callable

import numpy as np
import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.baselines import Steiner

MakeCorpus = Callable[..., Corpus]


def test_a_table_between_two_terminals_ranks_before_more_similar_ones(make_corpus: MakeCorpus) -> None:
    # t0 – t1 – t2, and t3 alone; cosines 0.8, 0, 0.6 and 0.28.
    corpus = make_corpus([[[0.8, 0.6]], [[0.0, 1.0]], [[0.6, 0.8]], [[0.28, 0.96]]], joins=[(0, 1), (2, 1)])
    table, score = Steiner(terminals=2).index(corpus).rank(Queries(torch.tensor([[1.0, 0.0]])), 5)
    assert table.tolist() == [[0, 2, 1, 3, -1]]
    assert score.tolist() == [[pytest.approx(0.8), pytest.approx(0.6), 0, pytest.approx(0.28 - 2), -torch.inf]]


def test_terminals_without_a_path(chain: Corpus, question: Queries) -> None:
    # t0, t1, t4 by similarity: nothing lies between t0 and t1, no path leads to t4.
    table, _ = Steiner(terminals=3).index(chain).rank(question, 5)
    assert table.tolist() == [[0, 1, 4, 3, 2]]


def test_all_shortest_paths_and_no_longer_ones_count(make_corpus: MakeCorpus) -> None:
    # From 0 to 3 over 1 or over 2; over 4 and 5 it is longer. 6 hangs on 1.
    edges = [(0, 1), (1, 3), (0, 2), (2, 3), (0, 4), (4, 5), (5, 3), (1, 6)]
    model = Steiner().index(make_corpus([[[1.0]]] * 7, edges))

    def connected(*terminals: int) -> list[int]:
        return np.flatnonzero(model.connected(np.array([terminals]))[0]).tolist()

    assert connected(0, 3) == [0, 1, 2, 3]
    assert connected(3, 0) == [0, 1, 2, 3]
    assert connected(6, 3) == [1, 3, 6]
    assert connected(0, 5) == [0, 4, 5]
    assert connected(4) == [4]
    assert connected(2, -1, -1) == [2]
    assert connected(0, 3, 5) == [0, 1, 2, 3, 4, 5]


def test_questions_are_independent(make_corpus: MakeCorpus) -> None:
    model = Steiner().index(make_corpus([[[1.0]]] * 5, [(0, 1), (1, 2), (2, 3), (3, 4)]))
    assert model.connected(np.array([[0, 2], [4, 2], [-1, -1]])).tolist() == [
        [True, True, True, False, False],
        [False, False, True, True, True],
        [False] * 5,
    ]


def test_zero_terminals_are_refused() -> None:
    with pytest.raises(JoinGRError, match="'terminals' needs to be at least 1"):
        Steiner(terminals=0)


def test_no_questions_give_no_rows(chain: Corpus) -> None:
    assert Steiner().index(chain).rank(Queries(torch.zeros(0, 3)), 4).table.shape == (0, 4)
