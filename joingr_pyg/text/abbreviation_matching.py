"""Abbreviations in the words of tables, understood through the question."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from joingr_pyg.schema.names.expansion import common_abbreviations, is_known
from joingr_pyg.text.tokens import first_spellings, spelled, words

SHORTEST = 3
"""Letters of an abbreviation, at least; fewer fit anything."""

SHORTEST_CONTRACTION = 4
"""Letters of one that leaves out consonants in the middle, at least."""

LEFT_OUT = 2
"""Letters that an abbreviation is shorter than its word, at least."""

WORDS_KEPT = 1 << 14
"""Words whose abbreviations are kept: the same few are asked again and again."""

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
    kept, all_of_them = _consonants(short), _consonants(word)
    if all_of_them.startswith(kept):
        return True
    ends = len(short) >= SHORTEST_CONTRACTION and kept[-1] == _last(all_of_them)
    return ends and _in_order(kept, all_of_them)


class Abbreviations:
    """The abbreviations in texts of tables.

    No list tells what ``OUTG_CAUS`` stands for, but a question that asks for the causes of outages does. Words of the
    texts that are no English are what a question's words may be abbreviated to; those of the
    :func:`~joingr_pyg.schema.names.expansion.common_abbreviations` are left to :func:`with_names_spelt_out`.

    Args:
        texts: The texts.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._known: set[str] = set()
        self._by_consonants: dict[str, list[str]] = defaultdict(list)
        self._by_ends: dict[tuple[str, str], list[str]] = defaultdict(list)
        for short in dict.fromkeys(word for text in texts for word in spelled(text)):
            if len(short) >= SHORTEST and short.isascii() and short.isalpha() and not is_known(short):
                consonants = _consonants(short)
                self._known.add(short)
                self._by_consonants[consonants].append(short)
                self._by_ends[consonants[0], consonants[-1]].append(short)
        self._found: dict[str, Sequence[str]] = {}

    def of(self, word: str) -> Sequence[str]:
        """What a lower-case word is abbreviated to, in the form of :func:`~joingr_pyg.text.tokens.words`."""
        if word not in self._found:
            if len(self._found) >= WORDS_KEPT:
                self._found.clear()
            self._found[word] = self._look_up(word)
        return self._found[word]

    def _look_up(self, word: str) -> Sequence[str]:
        consonants = _consonants(word)
        found = [word[:end] for end in range(SHORTEST, len(word)) if word[:end] in self._known]
        for end in range(1, len(consonants) + 1):
            found += self._by_consonants.get(consonants[:end], ())
        found += self._by_ends.get((consonants[0], _last(consonants)), ())
        return [words(short)[0] for short in dict.fromkeys(found) if abbreviates(short, word)]


def asked_words(question: str, abbreviations: Abbreviations | None) -> dict[str, list[str]]:
    """The distinct words of a question, by their first spelling, each with itself and what it is abbreviated to.

    No word stands in two places.
    """
    taken: set[str] = set()
    found: dict[str, list[str]] = {}
    for word, spelling in first_spellings(question).items():
        every = [word, *(abbreviations.of(spelling) if abbreviations else ())]
        found[spelling] = [each for each in dict.fromkeys(every) if each not in taken]
        taken.update(every)
    return found


def with_names_spelt_out(documents: Sequence[str], titles: Sequence[str], name_weight: int) -> list[str]:
    """Documents of tables, and behind each what the common abbreviations in the table's name stand for.

    Those in the names of columns are so many that spelling them out only makes tables alike.

    Args:
        documents: The documents of ``T`` tables.
        titles: Their readable names.
        name_weight: How often a document repeats the name of its table; what is spelt out is repeated as often.
    """
    known = common_abbreviations()
    return [
        " ".join([document, *([known[word] for word in spelled(title) if word in known] * name_weight)])
        for document, title in zip(documents, titles, strict=True)
    ]


def _consonants(word: str) -> str:
    """The first letter and all consonants of a word, doubled ones once."""
    return _DOUBLED.sub(r"\1", word[0] + _VOWELS.sub("", word[1:]))


def _last(consonants: str) -> str:
    """The last consonant but for the s of a plural."""
    return (consonants[:-1] if len(consonants) > 1 and consonants[-1] == "s" else consonants)[-1]


def _in_order(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)
