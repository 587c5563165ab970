"""Postings: for each word, the tables that hold it and what it adds to each of them."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Array = NDArray[Any]


class Postings:
    """A sparse matrix of words and tables, whose rows are added up for all questions of a batch at once.

    Args:
        number: The row of each word.
        ptr: ``[V + 1]`` the entries of row ``v`` are ``ptr[v]:ptr[v + 1]``.
        table: Table of each entry.
        value: What the word adds to the table.
        num_tables: Number of tables ``T``.

    Attributes:
        matrix: Where the entries of each row begin, ``[V + 1]``, and table and value of each entry.
    """

    def __init__(self, number: Mapping[str, int], ptr: Array, table: Array, value: Array, num_tables: int) -> None:
        self._number = number
        self._added = csr_array((value.astype(float), table, ptr), shape=(len(ptr) - 1, num_tables))
        self.matrix = self._added.indptr, self._added.indices, self._added.data

    @classmethod
    def of_rows(cls, rows: Mapping[str, Mapping[int, float]], num_tables: int) -> "Postings":
        """Postings from what each word adds to each table."""
        return cls(
            {word: row for row, word in enumerate(rows)},
            np.cumsum([0, *map(len, rows.values())]),
            np.fromiter(chain.from_iterable(rows.values()), int),
            np.fromiter(chain.from_iterable(row.values() for row in rows.values()), float),
            num_tables,
        )

    def rows(self, question: Sequence[str]) -> list[int]:
        """The rows of the words that have one."""
        return [self._number[word] for word in question if word in self._number]

    def of(self, question: Sequence[str], tables: Array) -> Array:
        """``[C]`` sums of the rows of one question's words for tables ``[C]``, in less time than for all tables."""
        ptr, table, value = self.matrix
        sums = np.zeros(self._added.shape[1], np.float32)
        for row in self.rows(question):
            entries = slice(ptr[row], ptr[row + 1])
            sums[table[entries]] += value[entries]
        return sums[tables]

    def __call__(self, questions: Sequence[Sequence[str]]) -> Array:
        """``[B, T]`` sums of the rows of each question's words; words without a row add nothing."""
        rows = [self.rows(question) for question in questions]
        row = np.fromiter(chain.from_iterable(rows), int)
        ptr = np.cumsum([0, *map(len, rows)])
        words = csr_array((np.ones(len(row)), row, ptr), shape=(len(rows), self._added.shape[0]))
        return (words @ self._added).toarray().astype(np.float32)
