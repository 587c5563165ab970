"""How far a question says the name of a table, and a table holds the words of a question."""

from collections import defaultdict
from collections.abc import Sequence
from math import log

import numpy as np
import torch
from torch import Tensor

from joingr_pyg.text.postings import Postings
from joingr_pyg.text.tokens import distinct_words, words


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

    Attributes:
        parts: Which share of each name a word is.
        held: What each word that a text holds weighs.
    """

    def __init__(self, texts: Sequence[str], titles: Sequence[str], databases: Sequence[str]) -> None:
        size = len(texts)
        held: dict[str, list[int]] = defaultdict(list)
        for table, text in enumerate(texts):
            for word in distinct_words(text):
                held[word].append(table)
        self._weight = {word: log(1 + (size - len(at) + 0.5) / (len(at) + 0.5)) for word, at in held.items()}
        parts: dict[str, dict[int, float]] = defaultdict(dict)
        for table, (title, database) in enumerate(zip(titles, databases, strict=True)):
            every, taken = distinct_words(title), frozenset(words(database))
            name = [word for word in every if word not in taken] or every
            total = sum(self._weight.get(word, 0.0) for word in name)
            for word in name:
                if word in self._weight:
                    parts[word][table] = self._weight[word] / total
        self.held = Postings.of_rows({word: dict.fromkeys(at, self._weight[word]) for word, at in held.items()}, size)
        self.parts = Postings.of_rows(parts, size)

    def __call__(self, questions: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """Shares, 0 to 1, for questions given as their distinct words.

        Returns:
            ``[B, T]`` how much of each name is said, and ``[B, T]`` how much of each question is covered.
        """
        total = [self.total(question) for question in questions]
        covered = self.held(questions) / np.array(total, np.float32).reshape(-1, 1)
        return torch.from_numpy(self.parts(questions)), torch.from_numpy(covered)

    def total(self, question: Sequence[str]) -> float:
        """What the words of a question that some text holds weigh; 1 where there is none, so that 0 of 1 is covered."""
        return sum(self._weight.get(word, 0.0) for word in question) or 1.0
