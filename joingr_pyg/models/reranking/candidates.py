"""The candidates of one question, with all that the reranker reads of them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.models.joingr_plus.features import Feature
from joingr_pyg.models.reranking.candidate_tables import CandidateTables
from joingr_pyg.text.tokens import distinct_words

Array = NDArray[Any]

FAR = 5
"""Number of joins that stands for any larger distance."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """``C`` tables that a first ranking found for one question, best first.

    Attributes:
        tables: All tables of the corpus.
        table: ``[C]`` numbers of the candidates.
        features: ``[C]`` values of each feature of JoinGR+.
        text: The question.
        words: Its words as matched with tables.
        vector: ``[d]`` its embedding.
        phrases: ``[S, d]`` embeddings of its phrases.
    """

    tables: CandidateTables
    table: Array
    features: dict[Feature, Array]
    text: str
    words: list[str]
    vector: Array
    phrases: Array

    @cached_property
    def said(self) -> tuple[Array, Array, Array, Array]:
        """What the question says of the candidates' names (:meth:`TableNames.said`)."""
        return self.tables.names.said(self.question_words, self.table)

    @cached_property
    def question_words(self) -> frozenset[str]:
        return frozenset(distinct_words(self.text))

    @cached_property
    def summary_similarity(self) -> Array:
        """``[C]`` cosines of the question and the summaries."""
        return dots(self.vector[None], self.summaries)[0]

    @cached_property
    def summaries(self) -> Array:
        """``[C, d]`` embeddings of the summaries."""
        return self.tables.summary_x[self.table]

    @cached_property
    def phrase_similarity(self) -> Array:
        """``[S, C]`` cosines of phrases and summaries; one row of zeros where there is no phrase."""
        if not len(self.phrases):
            return np.zeros((1, len(self.table)), np.float32)
        return dots(self.phrases, self.summaries)

    @cached_property
    def best_columns(self) -> Array:
        """``[C]`` mean cosine of the question and the three most similar columns of each candidate."""
        first, count = self.tables.first_column[self.table], self.tables.num_columns[self.table]
        start = np.cumsum(count) - count
        column = np.repeat(first - start, count) + np.arange(count.sum())
        owner = np.repeat(np.arange(len(count)), count)
        similarity = dots(self.vector[None], self.tables.x[column])[0]
        order = np.lexsort((-similarity, owner))
        place = np.arange(len(column)) - np.repeat(start, count)
        best = place < 3
        sums = np.bincount(owner[best], similarity[order][best], minlength=len(count))
        return (sums / np.minimum(count, 3)).astype(np.float32)

    @cached_property
    def references(self) -> Array:
        """``[C, C]`` confidence that the first candidate references the second."""
        count, matrix = len(self.table), self.tables.references
        first, last = matrix.indptr[self.table], matrix.indptr[self.table + 1]
        sizes = last - first
        entry = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        place = np.full(len(self.tables.degree), -1)
        place[self.table] = np.arange(count)
        referenced = place[matrix.indices[entry]]
        inside = referenced >= 0
        confidence = np.zeros((count, count), np.float32)
        confidence[np.repeat(np.arange(count), sizes)[inside], referenced[inside]] = matrix.data[entry[inside]]
        return confidence

    @cached_property
    def joined(self) -> Array:
        """``[C, C]`` the same without direction."""
        return np.maximum(self.references, self.references.T)

    @cached_property
    def share(self) -> Array:
        """``[C, C]`` what a step of a random walk passes on from the first to the second.

        Shares are over all joins of a table, so that a hub passes on little to each.
        """
        return self.joined / self._degree[:, None]

    @cached_property
    def symmetric_share(self) -> Array:
        """``[C, C]`` the same divided by the root of both degrees."""
        return self.joined / np.sqrt(self._degree[:, None] * self._degree)

    @cached_property
    def _degree(self) -> Array:
        return np.maximum(self.tables.weighted_degree[self.table], 1e-9)

    @cached_property
    def distance(self) -> Array:
        """``[C, C]`` joins of the shortest way over candidates, at most :data:`FAR`."""
        step = (self.joined > 0).astype(np.float32)
        distance = np.full(step.shape, FAR, np.float32)
        np.fill_diagonal(distance, 0)
        reached = np.eye(len(step), dtype=np.float32)
        for length in range(1, FAR):
            reached = reached @ step
            distance[(reached > 0) & (distance > length)] = length
            reached = (reached > 0).astype(np.float32)
        return distance

    @cached_property
    def base(self) -> Array:
        """``[C]`` place of the candidate that is the base of this one's name, -1 where there is none."""
        place = {table: number for number, table in enumerate(self.table.tolist())}
        return np.array([place.get(base, -1) for base in self.tables.names.base[self.table].tolist()])


def dots(a: Array, b: Array) -> Array:
    """``[A, B]`` products of vectors ``[A, d]`` and ``[B, d]``.

    They are summed in one order. A matrix product sums in an order that depends on where its operands lie in memory, so
    that a question might have a slightly different score the next time.
    """
    return np.einsum("ad,bd->ab", a, b)
