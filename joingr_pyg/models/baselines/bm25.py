"""BM25 over the words of tables (Robertson and Zaragoza, 2009)."""

import logging
from typing import Self

import torch
from torch import Tensor

from joingr_pyg.corpus import Corpus
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.retriever import Ranking, Retriever, rank_dense
from joingr_pyg.queries import Queries
from joingr_pyg.words import words


class BM25(Retriever):
    r"""Ranks tables by the words that they share with the question.

    A table's text is :attr:`Corpus.documents`; texts and questions are cut into :func:`~joingr_pyg.words.words`. With
    :math:`f` the count of a word in a table's text, :math:`\ell` the length of that text and :math:`\bar\ell` the mean
    length,

    .. math::
        s(t|q) = \sum_{w \in q} \ln\Big(1 + \frac{T - n_w + \tfrac12}{n_w + \tfrac12}\Big)
        \frac{f}{f + k_1 (1 - b + b\, \ell / \bar\ell)},

    where :math:`n_w` of the :math:`T` tables hold the word: the variant of Lucene, computed by bm25s (Lù, 2024). A
    table without any word of the question scores 0; equal scores go by table number.

    Args:
        k1: How slowly repeated words saturate, at least 0.
        b: How far long texts are discounted, from 0 to 1.

    Raises:
        JoinGRError: If an argument is out of its range.
    """

    def __init__(self, k1: float = 1.5, b: float = 0.75) -> None:
        super().__init__()
        if k1 < 0:
            raise JoinGRError(f"'k1' needs to be at least 0 (got {k1}).")
        if not 0 <= b <= 1:
            raise JoinGRError(f"'b' needs to lie between 0 and 1 (got {b}).")
        self.k1 = k1
        self.b = b

    def index(self, corpus: Corpus) -> Self:
        super().index(corpus)
        texts = [words(text) for text in corpus.documents]  # Tells first of all if a package is missing.
        import bm25s

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # It lets itself be heard on import.
        self._index = bm25s.BM25(k1=self.k1, b=self.b, method="lucene")
        self._empty = not any(texts)
        if not self._empty:
            self._index.index(texts, create_empty_token=False, show_progress=False)
        return self

    def rank(self, queries: Queries, k: int) -> Ranking:
        scores = [self._scores(words(text)) for text in queries.require_text("bm25")]
        return rank_dense(torch.stack(scores) if scores else torch.empty(0, self.corpus.num_tables), k)

    def _scores(self, question: list[str]) -> Tensor:
        known = [] if self._empty else self._index.get_tokens_ids(question)
        if not known:
            return torch.zeros(self.corpus.num_tables)
        return torch.from_numpy(self._index.get_scores_from_ids(known))
