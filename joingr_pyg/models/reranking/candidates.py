"""The candidates of one question, with all that the reranker reads of them."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models.joingr_plus.features import Feature
from joingr_pyg.models.reranking.table_names import TableNames
from joingr_pyg.text.bm25 import LexicalIndex
from joingr_pyg.text.tokens import distinct_words

Array = NDArray[Any]

FAR = 5
"""Number of joins that stands for any larger distance."""


NAME_WORDS = ("caption", "description", "label", "name", "text", "title")
"""Ends of names of columns that say in words what a row is."""


class CandidateTables:
    """The tables of a corpus as the reranker sees them: names, words, columns, joins.

    Args:
        corpus: The corpus.

    Attributes:
        corpus: The corpus.
        names: The names of the tables.
        name_words: Their words.
        summary_words: The words of their summaries.
        x: ``[N, d]`` embeddings of columns.
        summary_x: ``[T, d]`` embeddings of summaries.
        first_column: ``[T + 1]`` the columns of table ``t`` are ``first_column[t]:first_column[t + 1]``.
        num_columns: ``[T]`` number of columns.
        has_name: ``[T]`` whether a column says in words what a row is.
        names_base: ``[T]`` whether one does, and none of the table's base (:attr:`TableNames.base`).
        columns_of_base: ``[T]`` share of the base's columns that the table has, too; high for copies.
        database: ``[T]`` number of the database.
        references: ``[T, T]`` confidence that the first table references the second.
        degree: ``[T]`` number of joined tables.
        weighted_degree: ``[T]`` sum of the confidence in these joins.
        referencing: ``[T]`` number of tables that it references.
        referenced: ``[T]`` number of tables that reference it.
        key_share: ``[T]`` number of references per column.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.names = TableNames(corpus.titles, [database for database, _ in corpus.tables])
        self.name_words = LexicalIndex(corpus.titles, 1.2, 0.5)
        self.summary_words = LexicalIndex(corpus.summaries, 1.5, 0.6)
        self.x, self.summary_x = corpus.x.float().numpy(), corpus.summary_x.float().numpy()
        self.first_column = corpus.column_ptr.numpy()
        self.num_columns = np.diff(self.first_column)
        columns = [
            {name.lower() for name in corpus.columns[first:last]}
            for first, last in pairwise(self.first_column.tolist())
        ]
        base = self.names.base
        self.has_name = np.array([any(map(_is_name, own)) for own in columns], np.float32)
        self.names_base = self.has_name * (base >= 0) * (1 - self.has_name[base])
        self.columns_of_base = np.array(
            [
                len(own & columns[of]) / len(columns[of]) if of >= 0 else 0
                for own, of in zip(columns, base, strict=True)
            ],
            np.float32,
        )
        self.database = corpus.database.numpy()
        child, parent = corpus.edge_index.numpy()
        apart = child != parent
        shape = corpus.num_tables, corpus.num_tables
        references = csr_array((corpus.edge_weight.numpy()[apart], (child[apart], parent[apart])), shape=shape)
        # Several joins between two tables count as the surest of them.
        references.data = np.minimum(references.data, 1.0)
        self.references = references
        joined = references.maximum(references.T).tocsr()
        self.degree = np.diff(joined.indptr)
        self.weighted_degree = np.asarray(joined.sum(axis=1)).ravel()
        self.referencing = np.diff(references.indptr)
        self.referenced = np.diff(references.tocsc().indptr)
        self.key_share = np.bincount(child[apart], minlength=shape[0]) / self.num_columns


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
        return self.tables.names.said(self.question_words, self.table.tolist())

    @cached_property
    def question_words(self) -> frozenset[str]:
        return frozenset(distinct_words(self.text))

    @cached_property
    def summary_similarity(self) -> Array:
        """``[C]`` cosines of the question and the summaries."""
        return dots(self.summaries, self.vector)

    @cached_property
    def summaries(self) -> Array:
        """``[C, d]`` embeddings of the summaries."""
        return self.tables.summary_x[self.table]

    @cached_property
    def phrase_similarity(self) -> Array:
        """``[S, C]`` cosines of phrases and summaries; one row of zeros where there is no phrase."""
        if not len(self.phrases):
            return np.zeros((1, len(self.table)), np.float32)
        return np.stack([dots(self.summaries, phrase) for phrase in self.phrases])

    @cached_property
    def best_columns(self) -> Array:
        """``[C]`` mean cosine of the question and the three most similar columns of each candidate."""
        first, count = self.tables.first_column[self.table], self.tables.num_columns[self.table]
        start = np.cumsum(count) - count
        column = np.repeat(first - start, count) + np.arange(count.sum())
        owner = np.repeat(np.arange(len(count)), count)
        similarity = dots(self.tables.x[column], self.vector)
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


def dots(rows: Array, vector: Array) -> Array:
    """``[n]`` products of rows ``[n, d]`` and a vector.

    They are summed in one order. A matrix product sums in an order that depends on where its operands lie in memory, so
    that a question might have a slightly different score the next time.
    """
    return (rows * vector).sum(axis=1)


def _is_name(column: str) -> bool:
    return column.endswith(NAME_WORDS)
