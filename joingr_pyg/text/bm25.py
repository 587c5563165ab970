"""Word matches of questions and tables."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from joingr_pyg.text.postings import Postings
from joingr_pyg.text.word_counts import WordCounts, WordTotals


class LexicalIndex:
    r"""BM25 scores (Robertson and Zaragoza, 2009) over a list of texts.

    With :math:`f` the count of a word in a text, :math:`\ell` the text's length and :math:`\bar\ell` the mean length,

    .. math::
        s(t|q) = \sum_{w \in q} \ln\Big(1 + \frac{T - n_w + \tfrac12}{n_w + \tfrac12}\Big)
        \frac{f}{f + k_1 (1 - b + b\, \ell / \bar\ell)},

    over the distinct words of a question, where :math:`n_w` of the :math:`T` texts hold the word: the variant of
    Lucene, as bm25s (Lù, 2024) computes it, which takes no totals from elsewhere.

    Args:
        texts: The texts, or their words.
        k1: How slowly repeated words saturate, at least 0.
        b: How far long texts are discounted, from 0 to 1.
        totals: Totals of all texts, where these are a part of them.

    Attributes:
        postings: What each word adds to the score of each text.
    """

    def __init__(
        self, texts: Sequence[str] | WordCounts, k1: float, b: float, totals: WordTotals | None = None
    ) -> None:
        counts = texts if isinstance(texts, WordCounts) else WordCounts(texts)
        totals = totals or counts.totals
        mean_length = totals.words / totals.texts if totals.words else 1.0
        rarity = np.array([totals.rarity(word) for word in counts.vocabulary])
        discount = k1 * (1 - b + b * counts.length / mean_length)
        saturation = counts.count / (counts.count + discount[counts.text])
        value = rarity.repeat(np.diff(counts.ptr)) * saturation
        number = {word: row for row, word in enumerate(counts.vocabulary)}
        self.postings = Postings(number, counts.ptr, counts.text, value, len(counts.length))

    def scores(self, questions: Sequence[Sequence[str]]) -> Tensor:
        """``[B, T]`` scores of questions given as their distinct words; 0 where no word is shared."""
        return torch.from_numpy(self.postings(questions))
