"""How far a question says the name of a table, and a table holds the words of a question."""

from collections import defaultdict
from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from joingr_pyg.words import words


class _Posting(NamedTuple):
    """A word: its weight, the tables whose text holds it, those whose name does, and how much of each name it is."""

    weight: float
    table: np.ndarray
    named: np.ndarray
    part: np.ndarray


class Coverage:
    r"""Shares of words in common, which BM25 leaves out: it adds up words, and does not ask what is left.

    With :math:`W(\cdot)` the distinct words of a text and :math:`\iota_w = \ln(1 + (T - n_w + \frac12)/(n_w +
    \frac12))` of a word that :math:`n_w` of the :math:`T` texts hold,

    .. math::
        \mathrm{named}(t|q) = \frac{\sum_{w \in W(q) \cap W(\mathrm{name}_t)} \iota_w}
                                   {\sum_{w \in W(\mathrm{name}_t)} \iota_w}, \qquad
        \mathrm{covered}(t|q) = \frac{\sum_{w \in W(q) \cap W(\mathrm{text}_t)} \iota_w}{\sum_{w \in W(q)} \iota_w},

    where words of a question that no text holds do not count, and the words of a database are left out of the names of
    its tables, but for names of nothing else.

    Args:
        texts: ``T`` texts of tables, each with its name.
        titles: ``T`` readable names of tables.
        databases: ``T`` readable names of their databases.
    """

    def __init__(self, texts: Sequence[str], titles: Sequence[str], databases: Sequence[str]) -> None:
        self._size = len(texts)
        tables: dict[str, list[int]] = defaultdict(list)
        for table, text in enumerate(texts):
            for word in dict.fromkeys(words(text)):
                tables[word].append(table)
        weight = {word: log(1 + (self._size - len(at) + 0.5) / (len(at) + 0.5)) for word, at in tables.items()}
        parts: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for table, (title, database) in enumerate(zip(titles, databases, strict=True)):
            every, taken = list(dict.fromkeys(words(title))), frozenset(words(database))
            name = [word for word in every if word not in taken] or every
            total = sum(weight.get(word, 0.0) for word in name)
            for word in name:
                if word in weight:
                    parts[word].append((table, weight[word] / total))
        self._postings = {
            word: _Posting(
                weight[word],
                np.array(at),
                np.array([table for table, _ in parts[word]], dtype=int),
                np.array([part for _, part in parts[word]], dtype=np.float32),
            )
            for word, at in tables.items()
        }

    def __call__(self, questions: Sequence[str]) -> tuple[Tensor, Tensor]:
        """``[B, T]`` how much of each name is said, and ``[B, T]`` how much of each question is covered, 0 to 1."""
        named = np.zeros((len(questions), self._size), dtype=np.float32)
        covered = np.zeros_like(named)
        for row, question in enumerate(questions):
            known = [self._postings[word] for word in dict.fromkeys(words(question)) if word in self._postings]
            total = sum(posting.weight for posting in known)
            for posting in known:
                covered[row, posting.table] += posting.weight / total
                named[row, posting.named] += posting.part
        return torch.from_numpy(named), torch.from_numpy(covered)
