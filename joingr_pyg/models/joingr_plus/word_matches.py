"""Word matches of questions and tables: BM25, and shares of words in common."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models.joingr_plus.features import Feature
from joingr_pyg.schema.descriptors import DOCUMENT_NAME_WEIGHT
from joingr_pyg.schema.names.readable import readable_name
from joingr_pyg.text.abbreviation_matching import Abbreviations, with_names_spelt_out, words_with_abbreviations
from joingr_pyg.text.bm25 import LexicalIndex
from joingr_pyg.text.coverage import Coverage
from joingr_pyg.text.postings import Postings
from joingr_pyg.text.word_counts import WordCounts, WordTotals

K1, B = 2.5, 0.75
"""Parameters of BM25."""

BM25_SCALE = 0.35
"""Factor that brings BM25 scores with these parameters to the order of cosines."""


class SharedWords(NamedTuple):
    """What word matches of a part of the tables depend on of all tables.

    Attributes:
        totals: Totals of the texts of tables.
        abbreviations: Words of tables that may be abbreviations.
    """

    totals: WordTotals
    abbreviations: tuple[str, ...]

    @classmethod
    def sum(cls, parts: Sequence["SharedWords"]) -> "SharedWords":
        """That of several parts together."""
        found = dict.fromkeys(chain.from_iterable(part.abbreviations for part in parts))
        return cls(WordTotals.sum([part.totals for part in parts]), tuple(found))


class WordMatches:
    """Looks up the words of questions in the tables of a corpus.

    Args:
        corpus: The corpus.
        abbreviations: Whether words also match what they may be abbreviated to.
        coverage: Whether shares of words in common are needed, too.

    Attributes:
        own: What these tables add to the words of all tables.
        postings: For each feature made of words, what each word adds to each table.
    """

    def __init__(self, corpus: Corpus, abbreviations: bool, coverage: bool) -> None:
        documents: Sequence[str] = corpus.documents
        self._abbreviations: Abbreviations | None = None
        found: tuple[str, ...] = ()
        if abbreviations:
            self._abbreviations = Abbreviations(documents)
            found = tuple(self._abbreviations.found)
            documents = with_names_spelt_out(documents, corpus.titles, DOCUMENT_NAME_WEIGHT)
        self._counts = WordCounts(documents)
        self._names: tuple[Sequence[str], Sequence[str]] | None = None
        if coverage:
            self._names = corpus.titles, [readable_name(database) for database, _ in corpus.tables]
        self.own = SharedWords(self._counts.totals, found)
        self._weigh(self.own.totals)

    def share(self, words: SharedWords) -> None:
        """Weight words by how rare they are among all tables, of which those of this corpus are a part."""
        if self._abbreviations is not None:
            self._abbreviations = Abbreviations(words.abbreviations)
        self._weigh(words.totals)

    def _weigh(self, totals: WordTotals) -> None:
        self._bm25 = LexicalIndex(self._counts, K1, B, totals)
        self.postings: dict[Feature, Postings] = {Feature.WORDS: self._bm25.postings}
        self._coverage = None
        if self._names is not None:
            self._coverage = Coverage(self._counts, *self._names, totals)
            self.postings |= {
                Feature.NAMED: self._coverage.name_shares,
                Feature.COVERED: self._coverage.text_weights,
            }

    def spellings(self, question: str) -> dict[str, list[str]]:
        """The distinct words of a question as it spells them, each with the words of tables that it matches."""
        return words_with_abbreviations(question, self._abbreviations)

    def words(self, question: str) -> list[str]:
        """The words of tables that a question is matched with: its own, and what they may be abbreviated to."""
        return list(chain.from_iterable(self.spellings(question).values()))

    def scales(self, words: Sequence[str]) -> list[float]:
        """For each feature of :attr:`postings`, the factor of the sums for a question with these words."""
        if self._coverage is None:
            return [BM25_SCALE]
        return [BM25_SCALE, 1.0, 1 / self._coverage.total(words)]

    def features(self, questions: Sequence[str]) -> dict[Feature, Tensor]:
        """``[B, T]`` values of each feature made of words."""
        words = [self.words(question) for question in questions]
        scales = np.array([self.scales(row) for row in words]).reshape(len(words), len(self.postings), 1)
        return {
            feature: torch.from_numpy((postings(words) * scales[:, kind]).astype(np.float32))
            for kind, (feature, postings) in enumerate(self.postings.items())
        }

    def word_scores(self, question: str) -> dict[str, Tensor]:
        """``[T]`` BM25 scores of each word of a question, by its spelling."""
        spellings = self.spellings(question)
        return dict(zip(spellings, self._bm25.scores(list(spellings.values())), strict=True))
