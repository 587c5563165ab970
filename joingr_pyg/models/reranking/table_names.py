"""What the names of a schema's tables say about each other: rare and common words, families, satellites."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, groupby
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.text.tokens import distinct_words

Array = NDArray[np.float32]
Values = NDArray[Any]

COPY_WORDS = frozenset(
    distinct_words("archive audit backup bak hist history log old snapshot stage staging temp temporary tmp version")
)
"""Words of names of tables that repeat another table, as ``orders_audit``."""

LONG_NAME = 6
"""Words of a name up to which all parts of it are looked up among other names."""


class TableNames:
    r"""The words of the names of ``T`` tables, each weighted by how rare it is among the names of its database.

    A word that :math:`n_w` of the :math:`T_d` names of a database hold has the weight
    :math:`\iota_w = \ln(1 + (T_d - n_w + \frac12) / (n_w + \frac12))`, so that one which half of a schema shares says
    little.

    Args:
        titles: ``T`` readable names.
        databases: ``T`` databases; tables of a database lie together.

    Attributes:
        length: ``[T]`` number of words.
        rarest: ``[T]`` largest weight of a word.
        commonest: ``[T]`` smallest weight of a word.
        is_copy: ``[T]`` whether the name holds one of :data:`COPY_WORDS`.
        base: ``[T]`` the table of the same database whose name's words are part of this name's, ``order`` of
            ``order_item``; of several, that with the most weight; -1 where there is none.
        satellites: ``[T]`` number of tables whose names hold all words of this name and more.
        database_size: ``[T]`` number of tables of the database.
    """

    def __init__(self, titles: Sequence[str], databases: Sequence[str]) -> None:
        count = len(titles)
        self._words = [frozenset(distinct_words(title)) for title in titles]
        weights: list[dict[str, float]] = []
        self.base, self.satellites = np.full(count, -1), np.zeros(count, np.float32)
        for _, rows in groupby(range(count), key=lambda row: databases[row]):
            weights += self._add_database(list(rows))
        self.database_size = np.array(
            [count for count in Counter(databases).values() for _ in range(count)], np.float32
        )
        self.length = np.array([len(words) for words in self._words], np.float32)
        self._total = np.array([sum(weight.values()) for weight in weights])
        self.rarest = np.array([max(weight.values(), default=0) for weight in weights], np.float32)
        self.commonest = np.array([min(weight.values(), default=0) for weight in weights], np.float32)
        holding: dict[str, list[int]] = defaultdict(list)
        for table, words in enumerate(self._words):
            for word in words:
                holding[word].append(table)
        # Of each word, the tables whose names hold it, and its weight among the names of each one's database.
        self._holding = {
            word: (np.array(tables), np.array([weights[table][word] for table in tables]))
            for word, tables in holding.items()
        }
        self.is_copy = np.array([bool(words & COPY_WORDS) for words in self._words])

    def _add_database(self, rows: Sequence[int]) -> list[dict[str, float]]:
        holding = Counter(word for row in rows for word in self._words[row])
        rarity = {word: log(1 + (len(rows) - n + 0.5) / (n + 0.5)) for word, n in holding.items()}
        first: dict[frozenset[str], int] = {}
        for row in rows:
            first.setdefault(self._words[row], row)
        for row in rows:
            parts = [part for part in _parts(self._words[row]) if part in first]
            for part in parts:
                self.satellites[first[part]] += 1
            if parts:
                self.base[row] = first[max(parts, key=lambda part: (sum(rarity[word] for word in part), sorted(part)))]
        return [{word: rarity[word] for word in self._words[row]} for row in rows]

    def said(self, question_words: frozenset[str], tables: NDArray[np.int64]) -> tuple[Values, Values, Values, Values]:
        """What a question says of the names of ``C`` tables.

        Args:
            question_words: Its words, as :func:`joingr_pyg.text.tokens.words` returns them.
            tables: ``[C]`` numbers of the tables.

        Returns:
            ``[C]`` weight of the words that it says, ``[C]`` weight of those that it does not, ``[C]`` number of those
            that it does not, and ``[C]`` whether it says one of :data:`COPY_WORDS` that the name holds.
        """
        weight, said, copy = np.zeros((3, len(self.length)))
        for word in sorted(question_words & self._holding.keys()):  # Sums depend on the order.
            rows, weights = self._holding[word]
            weight[rows] += weights
            said[rows] += 1
            if word in COPY_WORDS:
                copy[rows] = 1
        weight, said, copy = weight[tables], said[tables], copy[tables]
        return weight, self._total[tables] - weight, self.length[tables] - said, copy


def _parts(words: frozenset[str]) -> Iterator[frozenset[str]]:
    """The proper parts of a set of words: all of them of a short name, those without one or two words of a long one."""
    sizes = range(1, len(words)) if len(words) <= LONG_NAME else range(len(words) - 2, len(words))
    for size in sizes:
        yield from map(frozenset, combinations(sorted(words), size))
