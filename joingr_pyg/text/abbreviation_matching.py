"""Abbreviations in the words of tables, matched with the words of a question."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from joingr_pyg.schema.names.expansion import common_abbreviations, is_known
from joingr_pyg.text.tokens import first_spellings, spelled, words

SHORTEST = 3
"""Fewest letters of an abbreviation; fewer would match almost any word."""

SHORTEST_CONTRACTION = 4
"""Fewest letters of an abbreviation that leaves out consonants in the middle."""

LEFT_OUT = 2
"""Letters by which an abbreviation is at least shorter than its word."""

CACHED_WORDS = 1 << 14
"""Words whose abbreviations are cached, because questions repeat words."""

_VOWELS = re.compile("[aeiou]")
_DOUBLED = re.compile(r"(.)\1+")


def abbreviates(short: str, word: str) -> bool:
    """Whether a lower-case word can be abbreviated so: *organization* to ``org``, *transformers* to ``trfmr``.

    An abbreviation begins a word that has at least two letters more. Or it is made of letters of such a word in their
    order, the first of them included, and ends with a consonant; then its consonants begin those of the word (*feeder*,
    ``fdr``), or, if it has four letters or more, end with the last of them (*substation*, ``substn``).
    """
    if len(short) < SHORTEST or len(word) < len(short) + LEFT_OUT or short[0] != word[0]:
        return False
    if word.startswith(short):
        return True
    if short[-1] in "aeiou" or not _in_order(short, word):
        return False
    short_consonants, word_consonants = _consonants(short), _consonants(word)
    if word_consonants.startswith(short_consonants):
        return True
    same_end = len(short) >= SHORTEST_CONTRACTION and short_consonants[-1] == _last(word_consonants)
    return same_end and _in_order(short_consonants, word_consonants)


class Abbreviations:
    """The abbreviations in texts of tables.

    No list says what ``OUTG_CAUS`` stands for, but a question about the causes of outages shows it. Every word of the
    texts that is not English may abbreviate a word of a question, but for the
    :func:`~joingr_pyg.schema.names.expansion.common_abbreviations`: :func:`with_names_spelt_out` handles those.

    Args:
        texts: The texts.

    Attributes:
        found: The abbreviations. Those of several sets of texts, one after the other, are texts with the same ones.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.found: dict[str, None] = {}
        self._by_consonants: dict[str, list[str]] = defaultdict(list)
        self._by_ends: dict[tuple[str, str], list[str]] = defaultdict(list)
        for short in dict.fromkeys(word for text in texts for word in spelled(text)):
            if len(short) >= SHORTEST and short.isascii() and short.isalpha() and not is_known(short):
                consonants = _consonants(short)
                self.found[short] = None
                self._by_consonants[consonants].append(short)
                self._by_ends[consonants[0], consonants[-1]].append(short)
        self._cache: dict[str, Sequence[str]] = {}

    def of(self, word: str) -> Sequence[str]:
        """The abbreviations of a lower-case word, as stems (:func:`~joingr_pyg.text.tokens.words`)."""
        if word not in self._cache:
            if len(self._cache) >= CACHED_WORDS:
                self._cache.clear()
            self._cache[word] = self._look_up(word)
        return self._cache[word]

    def _look_up(self, word: str) -> Sequence[str]:
        consonants = _consonants(word)
        candidates = [word[:end] for end in range(SHORTEST, len(word)) if word[:end] in self.found]
        for end in range(1, len(consonants) + 1):
            candidates += self._by_consonants.get(consonants[:end], ())
        candidates += self._by_ends.get((consonants[0], _last(consonants)), ())
        return [words(short)[0] for short in dict.fromkeys(candidates) if abbreviates(short, word)]


def words_with_abbreviations(question: str, abbreviations: Abbreviations | None) -> dict[str, list[str]]:
    """The distinct words of a question, by their first spelling, each with its stem and its abbreviations.

    A stem or abbreviation that belongs to several words is listed with the first of them only.
    """
    used: set[str] = set()
    matches: dict[str, list[str]] = {}
    for stem, spelling in first_spellings(question).items():
        candidates = [stem, *(abbreviations.of(spelling) if abbreviations else ())]
        matches[spelling] = [word for word in dict.fromkeys(candidates) if word not in used]
        used.update(candidates)
    return matches


def with_names_spelt_out(documents: Sequence[str], titles: Sequence[str], name_weight: int) -> list[str]:
    """Documents of tables, each followed by what the common abbreviations in the table's name stand for.

    Abbreviations in the names of columns stay: they are so many that spelling them out would make all tables similar.

    Args:
        documents: The documents of ``T`` tables.
        titles: Their readable names.
        name_weight: How often a document repeats the name of its table; the words spelt out are repeated as often.
    """
    meaning = common_abbreviations()
    return [
        " ".join([document, *([meaning[word] for word in spelled(title) if word in meaning] * name_weight)])
        for document, title in zip(documents, titles, strict=True)
    ]


def _consonants(word: str) -> str:
    """The first letter and all consonants of a word, doubled ones once."""
    return _DOUBLED.sub(r"\1", word[0] + _VOWELS.sub("", word[1:]))


def _last(consonants: str) -> str:
    """The last consonant, before the s of a plural."""
    return (consonants[:-1] if len(consonants) > 1 and consonants[-1] == "s" else consonants)[-1]


def _in_order(letters: str, word: str) -> bool:
    """Whether the word holds the letters in their order."""
    rest = iter(word)
    return all(letter in rest for letter in letters)
