"""The tables of a corpus, with all that the reranker reads of them whatever the question."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models.reranking.table_names import TableNames
from joingr_pyg.text.bm25 import LexicalIndex

Array = NDArray[Any]

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
        features: ``[T, F]`` values of :data:`TABLE_FEATURES`.
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
        self.features = np.stack([of(self) for of in TABLE_FEATURES.values()], axis=1).astype(np.float32)


TABLE_FEATURES: dict[str, Callable[[CandidateTables], Array]] = {
    "name_length": lambda t: t.names.length,
    "rarest_word": lambda t: t.names.rarest,
    "commonest_word": lambda t: t.names.commonest,
    "satellites": lambda t: np.log1p(t.names.satellites),
    "is_satellite": lambda t: t.names.base >= 0,
    "has_name": lambda t: t.has_name,
    "names_base": lambda t: t.names_base,
    "columns_of_base": lambda t: t.columns_of_base,
    "columns": lambda t: np.log1p(t.num_columns),
    "referenced": lambda t: np.log1p(t.referenced),
    "referencing": lambda t: np.log1p(t.referencing),
    "degree": lambda t: np.log1p(t.degree),
    "key_share": lambda t: t.key_share,
    "database_size": lambda t: np.log(t.names.database_size),
}
"""The features of a table that are the same for all questions."""


def _is_name(column: str) -> bool:
    return column.endswith(NAME_WORDS)
