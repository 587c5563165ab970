"""Which share of a table's name a question says, and which share of a question's words a table holds."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from joingr_pyg.text.postings import Postings
from joingr_pyg.text.tokens import distinct_words, words
from joingr_pyg.text.word_counts import WordCounts, WordTotals


class Coverage:
    r"""Shares of words in common; BM25 adds up the words in common, and ignores those that are not.

    With :math:`W(\cdot)` the distinct words of a text and :math:`\iota_w = \ln(1 + (T - n_w + \frac12)/(n_w +
    \frac12))` of a word that :math:`n_w` of the :math:`T` texts hold,

    .. math::
        \mathrm{named}(t|q) = \frac{\sum_{w \in W(q) \cap W(\mathrm{name}_t)} \iota_w}
                                   {\sum_{w \in W(\mathrm{name}_t)} \iota_w}, \qquad
        \mathrm{covered}(t|q) = \frac{\sum_{w \in W(q) \cap W(\mathrm{text}_t)} \iota_w}{\sum_{w \in W(q)} \iota_w},

    where words of a question that no text holds are ignored. The words of a database are left out of the names of its
    tables, unless a name has no other words.

    Args:
        texts: ``T`` texts of tables, each with its name, or their words.
        titles: ``T`` readable names of tables.
        databases: ``T`` readable names of their databases.
        totals: Totals of the texts of all tables, where these are a part of them.

    Attributes:
        name_shares: For each word, the share of each table's name that it makes up.
        text_weights: For each word, its weight for each table whose text holds it.
    """

    def __init__(
        self,
        texts: Sequence[str] | WordCounts,
        titles: Sequence[str],
        databases: Sequence[str],
        totals: WordTotals | None = None,
    ) -> None:
        counts = texts if isinstance(texts, WordCounts) else WordCounts(texts)
        self._totals = totals or counts.totals
        weight = {word: self._totals.rarity(word) for word in counts.vocabulary}
        shares: dict[str, dict[int, float]] = defaultdict(dict)
        for table, (title, database) in enumerate(zip(titles, databases, strict=True)):
            title_words, database_words = distinct_words(title), frozenset(words(database))
            name = [word for word in title_words if word not in database_words] or title_words
            total = sum(weight.get(word, 0.0) for word in name)
            for word in name:
                if word in weight:
                    shares[word][table] = weight[word] / total
        number = {word: row for row, word in enumerate(weight)}
        value = np.fromiter(weight.values(), float).repeat(np.diff(counts.ptr))
        self.text_weights = Postings(number, counts.ptr, counts.text, value, len(titles))
        self.name_shares = Postings.of_rows(shares, len(titles))

    def __call__(self, questions: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """Shares, 0 to 1, for questions given as their distinct words.

        Returns:
            ``[B, T]`` shares of names that are said, and ``[B, T]`` shares of questions that are covered.
        """
        total = [self.total(question) for question in questions]
        covered = self.text_weights(questions) / np.array(total, np.float32).reshape(-1, 1)
        return torch.from_numpy(self.name_shares(questions)), torch.from_numpy(covered)

    def total(self, question: Sequence[str]) -> float:
        """Sum of the weights of a question's words that some text holds; 1 if there is no such word."""
        known = (word for word in question if word in self._totals.texts_with)
        return sum(self._totals.rarity(word) for word in known) or 1.0
