"""Word matches of questions and tables."""

import logging
from collections.abc import Sequence

import bm25s
import numpy as np
import torch
from torch import Tensor

from joingr_pyg.text.postings import Postings
from joingr_pyg.text.tokens import words

logging.getLogger("bm25s").setLevel(logging.WARNING)  # It logs messages while it indexes.


class LexicalIndex:
    r"""BM25 scores (Robertson and Zaragoza, 2009) over a list of texts.

    With :math:`f` the count of a word in a text, :math:`\ell` the text's length and :math:`\bar\ell` the mean length,

    .. math::
        s(t|q) = \sum_{w \in q} \ln\Big(1 + \frac{T - n_w + \tfrac12}{n_w + \tfrac12}\Big)
        \frac{f}{f + k_1 (1 - b + b\, \ell / \bar\ell)},

    over the distinct words of a question, where :math:`n_w` of the :math:`T` texts hold the word: the variant of
    Lucene, computed by bm25s (Lù, 2024).

    Args:
        texts: The texts.
        k1: How slowly repeated words saturate, at least 0.
        b: How far long texts are discounted, from 0 to 1.

    Attributes:
        postings: What each word adds to the score of each text.
    """

    def __init__(self, texts: Sequence[str], k1: float, b: float) -> None:
        tokens = [words(text) for text in texts]
        self.postings = Postings({}, np.zeros(1), np.empty(0, int), np.empty(0), len(texts))
        if any(tokens):
            index = bm25s.BM25(k1=k1, b=b, method="lucene")
            index.index(tokens, create_empty_token=False, show_progress=False)
            table, value = index.scores["indices"], index.scores["data"]
            self.postings = Postings(index.vocab_dict, index.scores["indptr"], table, value, len(texts))

    def scores(self, questions: Sequence[Sequence[str]]) -> Tensor:
        """``[B, T]`` scores of questions given as their distinct words; 0 where no word is shared."""
        return torch.from_numpy(self.postings(questions))
