from collections.abc import Callable
from math import log

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.baselines import BM25

Written = Callable[..., Corpus]


def questions(*texts: str) -> Queries:
    return Queries(torch.zeros(len(texts), 3), texts)


@pytest.fixture
def corpus(written: Written) -> Corpus:
    """Five tables of 2, 4, 2, 3 and 4 words: 3 on average."""
    return written("dog food", "dog dog dog vet", "vet visit", "the owner of a cat: name", "city street door number")


def test_scores_are_those_of_the_formula(corpus: Corpus) -> None:
    # "dog" is in two of five tables, "vet" too.
    idf = log(1 + (5 - 2 + 0.5) / (2 + 0.5))
    saturation = [1 / (1 + 1.5 * (0.25 + 0.75 * 2 / 3)), 3 / (3 + 1.5 * (0.25 + 0.75 * 4 / 3))]
    ranking = BM25().index(corpus).rank(questions("Which dogs are there?"), 5)
    assert ranking.table.tolist() == [[1, 0, 2, 3, 4]]
    assert ranking.score.tolist() == [
        [*(pytest.approx(idf * saturated) for saturated in reversed(saturation)), 0, 0, 0]
    ]


def test_saturation_and_length_are_configured(corpus: Corpus) -> None:
    idf = log(1 + (5 - 2 + 0.5) / (2 + 0.5))
    score = BM25(k1=0.5, b=0.0).index(corpus).rank(questions("dog"), 2).score
    assert score.tolist() == [[pytest.approx(idf * 3 / (3 + 0.5)), pytest.approx(idf * 1 / (1 + 0.5))]]
    # Without saturation only the words' rarity is left, and ties go by table number.
    ranking = BM25(k1=0.0).index(corpus).rank(questions("dog vet"), 5)
    assert ranking.table.tolist() == [[1, 0, 2, 3, 4]]
    assert ranking.score[0, :3].tolist() == pytest.approx([2 * idf, idf, idf])


def test_tables_without_shared_words_are_ordered_by_number(corpus: Corpus) -> None:
    ranking = BM25().index(corpus).rank(questions("aeroplanes", "", "the of", "cat"), 3)
    assert ranking.table.tolist() == [[0, 1, 2], [0, 1, 2], [0, 1, 2], [3, 0, 1]]
    assert ranking.score[:3].tolist() == [[0, 0, 0]] * 3


def test_k_may_exceed_the_number_of_tables(corpus: Corpus) -> None:
    ranking = BM25().index(corpus).rank(questions("dog"), 6)
    assert ranking.table.tolist() == [[1, 0, 2, 3, 4, -1]]
    assert BM25().index(corpus).rank(questions(), 2).table.shape == (0, 2)


def test_a_corpus_without_words_is_ranked_by_number(written: Written) -> None:
    ranking = BM25().index(written("", "the", "!", "of", "a")).rank(questions("dog"), 2)
    assert (ranking.table.tolist(), ranking.score.tolist()) == ([[0, 1]], [[0, 0]])


@pytest.mark.parametrize(("arguments", "name"), [({"k1": -1}, "k1"), ({"b": 1.5}, "b"), ({"b": -0.5}, "b")])
def test_arguments_out_of_range_are_refused(arguments: dict[str, float], name: str) -> None:
    with pytest.raises(JoinGRError, match=f"'{name}' needs to"):
        BM25(**arguments)


def test_questions_need_their_words(corpus: Corpus) -> None:
    with pytest.raises(JoinGRError, match="'bm25' reads the words"):
        BM25().index(corpus).rank(Queries(torch.zeros(1, 3)), 1)
    with pytest.raises(JoinGRError, match="K needs to be at least 1"):
        BM25().index(corpus).rank(questions("dog"), 0)
