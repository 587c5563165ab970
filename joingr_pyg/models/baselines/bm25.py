"""BM25 over the words of tables (Robertson and Zaragoza, 2009)."""

from typing import Self

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.retriever import Ranking, Retriever, rank_dense
from joingr_pyg.text.bm25 import LexicalIndex
from joingr_pyg.text.tokens import distinct_words


class BM25(Retriever):
    """Ranks tables by the BM25 scores of their texts (:attr:`Corpus.documents`).

    A table without any word of the question has score 0. Ties are broken by table number.

    Args:
        k1: Saturation of repeated words, at least 0.
        b: Strength of length normalisation, from 0 to 1.

    Raises:
        JoinGRError: If an argument is out of range.
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
        self._index = LexicalIndex(corpus.documents, self.k1, self.b)
        return super().index(corpus)

    def rank(self, queries: Queries, k: int) -> Ranking:
        questions = [distinct_words(question) for question in queries.require_text("bm25")]
        return rank_dense(self._index.scores(questions), k)
