"""Which tables hold a word, and what it adds to each of them."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Postings:
    """A sparse matrix of words and tables, whose rows are added up for all questions of a batch at once.

    Args:
        number: The row of each word.
        ptr: ``[V + 1]`` the entries of row ``v`` are ``ptr[v]:ptr[v + 1]``.
        table: Table of each entry; a row names a table once.
        value: What the word adds to the table.
        num_tables: Number of tables ``T``.
    """

    def __init__(self, number: Mapping[str, int], ptr: Array, table: Array, value: Array, num_tables: int) -> None:
        self._number = number
        self._first, self._width = ptr[:-1].astype(np.int64), np.diff(ptr).astype(np.int64)
        self._table, self._value, self._num_tables = table, value, num_tables

    @classmethod
    def of_rows(cls, rows: Mapping[str, Mapping[int, float]], num_tables: int) -> "Postings":
        """Take what each word adds to each table, word by word."""
        return cls(
            {word: row for row, word in enumerate(rows)},
            np.cumsum([0, *map(len, rows.values())]),
            np.fromiter(chain.from_iterable(rows.values()), int),
            np.fromiter(chain.from_iterable(row.values() for row in rows.values()), float),
            num_tables,
        )

    def __call__(self, questions: Sequence[Sequence[str]]) -> Array:
        """``[B, T]`` what the words of each question add up to; words without a row add nothing."""
        number = self._number
        known = [[number[word] for word in question if word in number] for question in questions]
        row = np.fromiter(chain.from_iterable(known), int)
        width = self._width[row]
        # The entries of several rows end to end: each is as far into its row as it is behind the row's begin.
        entry = np.arange(width.sum()) + (self._first[row] - width.cumsum() + width).repeat(width)
        begin = np.arange(0, len(known) * self._num_tables, self._num_tables).repeat([len(each) for each in known])
        place = begin.repeat(width) + self._table[entry]
        total = np.bincount(place, self._value[entry], minlength=len(known) * self._num_tables)
        return total.reshape(len(known), self._num_tables).astype(np.float32)
