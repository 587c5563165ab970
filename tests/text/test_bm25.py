import random

import bm25s
import numpy as np
import pytest

from joingr_pyg.text.bm25 import LexicalIndex
from joingr_pyg.text.tokens import distinct_words, words

TEXTS = ["dog food dogs", "cat", "vet dog"]
QUESTION = "Dogs and dog food for the Vet, or a parrot?"


def test_the_words_add_up_to_the_score() -> None:
    index = LexicalIndex(TEXTS, 1.5, 0.75)
    words = distinct_words(QUESTION)
    alone = index.scores([[word] for word in words])
    assert alone.sum(dim=0) == pytest.approx(index.scores([words])[0])
    assert [(word, (score > 0).tolist()) for word, score in zip(words, alone, strict=True)] == [
        ("dog", [True, False, True]),  # Counted once.
        ("food", [True, False, False]),
        ("vet", [False, False, True]),
        ("parrot", [False, False, False]),
    ]


def test_texts_or_questions_without_words_share_none() -> None:
    assert LexicalIndex(["", "the"], 1.5, 0.75).scores([["dog"]]).tolist() == [[0, 0]]
    assert LexicalIndex(TEXTS, 1.5, 0.75).scores([[]]).tolist() == [[0, 0, 0]]


def test_scores_are_those_of_bm25s() -> None:
    draw = random.Random(0)
    vocabulary = ["dog", "cat", "vet", "food", "farm", "barn"]
    texts = [" ".join(draw.choices(vocabulary, k=draw.randint(0, 9))) for _ in range(40)]
    theirs = bm25s.BM25(k1=2.5, b=0.75, method="lucene")
    theirs.index([words(text) for text in texts], create_empty_token=False, show_progress=False)
    question = ["dog", "farm"]
    expected = theirs.get_scores(question)
    assert LexicalIndex(texts, 2.5, 0.75).scores([question])[0].numpy() == pytest.approx(np.asarray(expected), rel=1e-5)
