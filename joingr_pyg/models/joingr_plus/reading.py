"""What the texts of questions say of the tables of a corpus, kept by text as encoders keep vectors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.data.queries import Queries
from joingr_pyg.models.joingr_plus.constants import LEXICAL_SCALE
from joingr_pyg.models.joingr_plus.signals import Signal
from joingr_pyg.models.phrase_matches import phrase_similarities
from joingr_pyg.text.postings import Postings

if TYPE_CHECKING:
    from joingr_pyg.models.joingr_plus.model import JoinGRPlus

Array = NDArray[Any]

NUMBERS_KEPT = 1 << 24
"""Numbers that the readings kept may have, 4 bytes each."""


class Reading(NamedTuple):
    """What a question's text says.

    Attributes:
        similarity: ``[S, T]`` similarities of its phrases and the best columns of tables.
        row: Rows of its words, those of one kind of word match behind those of another, ...
        size: ... how many there are of each kind, ...
        scale: ... and what their sum is multiplied by.
    """

    similarity: Array
    row: Array
    size: Sequence[int]
    scale: Sequence[float]


class Reader:
    """Reads texts for a model that is bound to a corpus; nothing of it depends on what the model learns.

    Args:
        model: The model.

    Attributes:
        matches: The kinds of word matches that it looks words up for.
    """

    def __init__(self, model: "JoinGRPlus") -> None:
        self._model = model
        self.matches: dict[Signal, Postings] = {}
        if model.words is not None:
            self.matches[Signal.WORDS] = model.words.postings
        if model.coverage is not None:
            self.matches |= {Signal.NAMED: model.coverage.parts, Signal.COVERED: model.coverage.held}
        self._finds_phrases = model.prior.phrases is not None
        self._kept: dict[str, Reading] = {}
        self._numbers = 0
        self._encoder = ""

    def __call__(self, queries: Queries) -> list[Reading]:
        """A reading of each question.

        Raises:
            JoinGRError: If the questions come without texts or an encoder that are needed.
        """
        if not len(queries):
            return []
        if not (self.matches or self._finds_phrases):
            nothing = np.empty((0, self._model.corpus.num_tables), np.float32)
            return [Reading(nothing, np.empty(0, np.int64), [], [])] * len(queries)
        texts = queries.require_text(self._model.kind)
        encoder = queries.require_encoder(self._model.kind).identity if self._finds_phrases else ""
        if encoder != self._encoder:
            self._encoder, self._kept, self._numbers = encoder, {}, 0
        kept = self._kept
        place = {text: row for row, text in enumerate(texts) if text not in kept}
        if not place:
            return [kept[text] for text in texts]
        fresh = dict(zip(place, self._read(queries[list(place.values())]), strict=True))
        readings = [kept.get(text) or fresh[text] for text in texts]
        numbers = sum(reading.similarity.size + reading.row.size for reading in fresh.values())
        # Another thread may have begun anew meanwhile, for another encoder.
        if numbers > NUMBERS_KEPT or self._kept is not kept:
            return readings
        if self._numbers + numbers > NUMBERS_KEPT:
            # Not emptied: another thread may be reading from it.
            self._kept, self._numbers = {}, 0
        self._kept |= fresh
        self._numbers += numbers
        return readings

    def _read(self, queries: Queries) -> list[Reading]:
        """Readings of questions that are new."""
        similarities = (
            phrase_similarities(queries, self._model.corpus, self._model.kind)
            if self._finds_phrases
            else [np.empty((0, self._model.corpus.num_tables), np.float32)] * len(queries)
        )
        return [self._read_words(text, similarity) for text, similarity in zip(queries.text, similarities, strict=True)]

    def _read_words(self, text: str, similarity: Array) -> Reading:
        asked = self._model.asked(text) if self.matches else []
        scale = {Signal.WORDS: LEXICAL_SCALE, Signal.NAMED: 1.0}
        if self._model.coverage is not None:
            scale[Signal.COVERED] = 1 / self._model.coverage.total(asked)
        rows = [postings.rows(asked) for postings in self.matches.values()]
        return Reading(
            similarity,
            np.array([row for kind in rows for row in kind], np.int64),
            [len(kind) for kind in rows],
            [scale[signal] for signal in self.matches],
        )
