"""How often each word stands in each text, and what of it a part of the texts has to know of all of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.text.tokens import words

Array = NDArray[Any]


@dataclass(frozen=True)
class WordTotals:
    """Numbers of a set of texts that weights of words depend on. Those of two sets add up to those of both.

    Attributes:
        texts: Number of texts ``T``.
        words: Number of words of all texts together.
        texts_with: For each word, the number of texts that hold it.
    """

    texts: int
    words: int
    texts_with: Mapping[str, int]

    @classmethod
    def sum(cls, parts: Sequence["WordTotals"]) -> "WordTotals":
        """The numbers of several sets of texts together."""
        if len(parts) == 1:
            return parts[0]
        texts_with: Counter[str] = Counter()
        for part in parts:
            texts_with.update(part.texts_with)
        return cls(sum(part.texts for part in parts), sum(part.words for part in parts), texts_with)

    def rarity(self, word: str) -> float:
        r"""The weight :math:`\ln(1 + (T - n_w + \frac12) / (n_w + \frac12))` of a word that ``n_w`` texts hold."""
        holding = self.texts_with.get(word, 0)
        return log(1 + (self.texts - holding + 0.5) / (holding + 0.5))


class WordCounts:
    """The words of ``T`` texts as a sparse matrix of words and texts.

    Args:
        texts: The texts.

    Attributes:
        vocabulary: ``V`` distinct words, in the order in which the texts use them.
        ptr: ``[V + 1]`` the entries of word ``v`` are ``ptr[v]:ptr[v + 1]``.
        text: Text of each entry, ascending within a word.
        count: How often the text holds the word.
        length: ``[T]`` number of words of each text.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        tokens = [words(text) for text in texts]
        self.length = np.fromiter(map(len, tokens), np.int64, len(tokens))
        number: dict[str, int] = {}
        word = np.fromiter((number.setdefault(word, len(number)) for word in chain.from_iterable(tokens)), np.int64)
        pair = word * max(len(tokens), 1) + np.arange(len(tokens)).repeat(self.length)
        pair, self.count = np.unique(pair, return_counts=True)
        word, self.text = np.divmod(pair, max(len(tokens), 1))
        self.vocabulary = list(number)
        self.ptr = np.searchsorted(word, np.arange(len(number) + 1))

    @cached_property
    def totals(self) -> WordTotals:
        """The totals of these texts alone."""
        holding = dict(zip(self.vocabulary, np.diff(self.ptr).tolist(), strict=True))
        return WordTotals(len(self.length), int(self.length.sum()), holding)
