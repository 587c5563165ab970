"""Word matches of questions and tables."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor

from joingr_pyg.text.postings import Postings
from joingr_pyg.text.tokens import words


class LexicalIndex:
    r"""BM25 scores (Robertson and Zaragoza, 2009) over a list of texts.

    With :math:`f` the count of a word in a text, :math:`\ell` the text's length and :math:`\bar\ell` the mean length,

    .. math::
        s(t|q) = \sum_{w \in q} \ln\Big(1 + \frac{T - n_w + \tfrac12}{n_w + \tfrac12}\Big)
        \frac{f}{f + k_1 (1 - b + b\, \ell / \bar\ell)},

    over the distinct words of a question, where :math:`n_w` of the :math:`T` texts hold the word: the variant of
    Lucene, as bm25s (Lù, 2024) has it.

    Args:
        texts: The texts.
        k1: How slowly repeated words saturate, at least 0.
        b: How far long texts are discounted, from 0 to 1.

    Attributes:
        postings: What each word adds to the score of each text.
    """

    def __init__(self, texts: Sequence[str], k1: float, b: float) -> None:
        tokens = [words(text) for text in texts]
        number: dict[str, int] = {}
        row = np.fromiter((number.setdefault(word, len(number)) for word in chain.from_iterable(tokens)), int)
        length = np.fromiter(map(len, tokens), int)
        text = np.repeat(np.arange(len(texts)), length)
        # Entries of the same word and text are added up.
        count = csr_array((np.ones(len(row)), (row, text)), shape=(len(number), len(texts)))
        holders = np.diff(count.indptr)
        rarity = np.log1p((len(texts) - holders + 0.5) / (holders + 0.5))
        mean_length = len(row) / max(1, len(texts))
        saturation = k1 * (1 - b + b * length[count.indices] / mean_length)
        value = np.repeat(rarity, holders) * count.data / (count.data + saturation)
        self.postings = Postings(number, count.indptr, count.indices, value, len(texts))

    def scores(self, questions: Sequence[Sequence[str]]) -> Tensor:
        """``[B, T]`` scores of questions given as their distinct words; 0 where no word is shared."""
        return torch.from_numpy(self.postings(questions))
