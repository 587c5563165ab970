"""What the texts of questions say about the tables of a corpus, cached by text as encoders cache vectors."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.models.joingr_plus.features import Feature
from joingr_pyg.models.joingr_plus.word_matches import WordMatches
from joingr_pyg.models.phrase_matches import phrase_similarities
from joingr_pyg.text.postings import Postings

Array = NDArray[Any]

CACHED_NUMBERS = 1 << 24
"""Numbers, 4 bytes each, that all cached texts may hold together."""


class QuestionText(NamedTuple):
    """A question's text, looked up in a corpus.

    Attributes:
        phrases: Its ``S`` phrases.
        similarity: ``[S, T]`` cosines of its phrases and the most similar columns of tables.
        spellings: Its distinct words, each with how many of the first rows in ``row`` are its own.
        row: Rows of its words in the postings of each feature made of words, one feature after the other.
        size: For each of these features, how many rows there are.
        scale: For each of these features, the factor of the sum of its rows.
    """

    phrases: Sequence[str]
    similarity: Array
    spellings: Sequence[tuple[str, int]]
    row: Array
    size: Sequence[int]
    scale: Sequence[float]


class QuestionTexts:
    """Looks texts up in a corpus; nothing of it depends on what a model learns.

    Args:
        corpus: The corpus.
        words: Its word matches, if the model uses words.
        uses_phrases: Whether the model uses phrases.
        method: Name of the model, for errors.
    """

    def __init__(self, corpus: Corpus, words: WordMatches | None, uses_phrases: bool, method: str) -> None:
        self._corpus, self._words, self._uses_phrases, self._method = corpus, words, uses_phrases, method
        self.postings: Mapping[Feature, Postings] = {} if words is None else words.postings
        self._cache: dict[str, QuestionText] = {}
        self._cached_numbers = 0
        self._encoder = ""

    def __call__(self, queries: Queries) -> list[QuestionText]:
        """The texts of questions.

        Raises:
            JoinGRError: If the questions come without the texts or the encoder that the model needs.
        """
        if not len(queries):
            return []
        if not (self.postings or self._uses_phrases):
            return [QuestionText((), self._no_phrases, (), np.empty(0, np.int64), (), ())] * len(queries)
        texts = queries.require_text(self._method)
        encoder = queries.require_encoder(self._method).identity if self._uses_phrases else ""
        if encoder != self._encoder:
            self._encoder, self._cache, self._cached_numbers = encoder, {}, 0
        cache = self._cache
        position = {text: row for row, text in enumerate(texts) if text not in cache}
        if not position:
            return [cache[text] for text in texts]
        fresh = dict(zip(position, self._look_up(queries[list(position.values())]), strict=True))
        results = [cache.get(text) or fresh[text] for text in texts]
        numbers = sum(text.similarity.size + text.row.size for text in fresh.values())
        # Another thread may have started a new cache meanwhile, for another encoder.
        if numbers > CACHED_NUMBERS or self._cache is not cache:
            return results
        if self._cached_numbers + numbers > CACHED_NUMBERS:
            # A new dictionary, because another thread may be reading from the old one.
            self._cache, self._cached_numbers = {}, 0
        self._cache |= fresh
        self._cached_numbers += numbers
        return results

    @property
    def _no_phrases(self) -> Array:
        return np.empty((0, self._corpus.num_tables), np.float32)

    def _look_up(self, queries: Queries) -> list[QuestionText]:
        if not self._uses_phrases:
            return [self._look_up_words(text, (), self._no_phrases) for text in queries.text]
        phrases = phrase_similarities(queries, self._corpus, self._method)
        return [self._look_up_words(text, *own) for text, own in zip(queries.text, phrases, strict=True)]

    def _look_up_words(self, text: str, phrases: Sequence[str], similarity: Array) -> QuestionText:
        if self._words is None:
            return QuestionText(phrases, similarity, (), np.empty(0, np.int64), (), ())
        matched = self._words.spellings(text)
        words = list(chain.from_iterable(matched.values()))
        bm25, *others = self.postings.values()
        spelling_rows = [bm25.rows(group) for group in matched.values()]
        rows = [list(chain.from_iterable(spelling_rows)), *(postings.rows(words) for postings in others)]
        return QuestionText(
            phrases,
            similarity,
            [(spelling, len(own)) for spelling, own in zip(matched, spelling_rows, strict=True)],
            np.array(list(chain.from_iterable(rows)), np.int64),
            [len(own) for own in rows],
            self._words.scales(words),
        )
