from math import log

import numpy as np

from joingr_pyg.text.bm25 import LexicalIndex
from joingr_pyg.text.coverage import Coverage
from joingr_pyg.text.word_counts import WordCounts, WordTotals

TEXTS = ["dog food dogs", "", "vet dog", "cat food"]


def test_words_are_counted_text_by_text() -> None:
    counts = WordCounts(TEXTS)
    assert counts.vocabulary == ["dog", "food", "vet", "cat"]
    assert counts.ptr.tolist() == [0, 2, 4, 5, 6]
    assert counts.text.tolist() == [0, 2, 0, 3, 2, 3]
    assert counts.count.tolist() == [2, 1, 1, 1, 1, 1]
    assert counts.length.tolist() == [3, 0, 2, 2]
    assert counts.totals == WordTotals(4, 7, {"dog": 2, "food": 2, "vet": 1, "cat": 1})
    assert counts.totals.rarity("dog") == log(1 + 2.5 / 2.5)
    assert WordCounts([]).totals == WordTotals(0, 0, {})


def test_parts_with_the_totals_of_all_weigh_words_as_all_do() -> None:
    parts = TEXTS[:1], TEXTS[1:]
    totals = WordTotals.sum([WordCounts(part).totals for part in parts])
    assert totals == WordCounts(TEXTS).totals
    question = [["dog", "food", "cat"]]
    found = [LexicalIndex(part, 1.5, 0.75, totals).scores(question).numpy() for part in parts]
    assert np.array_equal(np.hstack(found), LexicalIndex(TEXTS, 1.5, 0.75).scores(question).numpy())
    titles, databases = ["dog", "food", "vet", "cat"], ["x"] * 4
    whole = Coverage(TEXTS, titles, databases)(question)
    first = Coverage(parts[0], titles[:1], databases[:1], totals)(question)
    second = Coverage(parts[1], titles[1:], databases[1:], totals)(question)
    for expected, one, other in zip(whole, first, second, strict=True):
        assert np.array_equal(np.hstack([one, other]), expected)
