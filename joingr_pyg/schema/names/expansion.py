"""Expansion of names: common abbreviations are expanded, and run-together words are split."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from joingr_pyg.schema.model import Database
from joingr_pyg.schema.names.meanings import Meanings
from joingr_pyg.schema.names.natural import spell_out

if TYPE_CHECKING:
    from symspellpy import SymSpell

SHORTEST_RUN = 6
"""Minimum length of a run of words that is split. Shorter ones are mostly abbreviations."""

SHORTEST_PART = 3
"""Minimum length of a part of a run, except for :data:`SHORT_PARTS`."""

SHORT_PARTS = {"by", "id", "no", "of", "to"}

RAREST = -5.5
"""Minimum mean of the decimal logarithms of the parts' probabilities, which is about one word in 300,000."""

ABBREVIATION_COUNT = 10_000_000
"""Frequency of an abbreviation among a trillion words, about that of a common word."""

_DICTIONARY = "frequency_dictionary_en_82_765.txt"
_RUN = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_LAST_NO = re.compile(r"(?<=[^\W_] )no$")  # "no" means "number" only at the end.


def with_expanded_names(database: Database, abbreviations: Mapping[str, str] | None = None) -> Database:
    """Expand the names of tables and columns that have no natural name.

    Common abbreviations are expanded (``CUST_NBR``: customer number), except ambiguous ones such as ``inv``.
    Run-together words are split (``SALESORDERHEADER``: sales order header) if the whole run consists of English words
    or abbreviations that are not too rare. Words of the English dictionary are not split.

    Args:
        database: The schema; it is not modified.
        abbreviations: The schema's own abbreviations, as :class:`~joingr_pyg.schema.names.meanings.Meanings` takes
            them. They take precedence over common ones.
    """
    own = {name.lower(): text for name, text in (abbreviations or {}).items()}
    common, given = {**common_abbreviations(), **own}, Meanings(abbreviations or {})

    def spell(name: str) -> str:
        return _LAST_NO.sub("number", given.spell_out(name, lambda part: _expand(part, common)))

    return spell_out(database, spell)


@cache
def common_abbreviations() -> Mapping[str, str]:
    """The meanings of common abbreviations in database names, by abbreviation in lower case."""
    return json.loads((files("joingr_pyg.schema.names") / "abbreviations.json").read_text(encoding="utf-8"))


def is_known(word: str) -> bool:
    """Whether a lower-case word is in the English dictionary or a common abbreviation."""
    return word in _english_words()


def split_run(word: str) -> list[str]:
    """Split a lower-case run of words; a single word is returned as a list of one."""
    english = _english()
    if len(word) < SHORTEST_RUN or word in english.words:
        return [word]
    segmentation = english.word_segmentation(word, max_edit_distance=0)
    parts = segmentation.corrected_string.split()
    valid = all(part in english.words and (len(part) >= SHORTEST_PART or part in SHORT_PARTS) for part in parts)
    likely = segmentation.log_prob_sum >= RAREST * len(parts)
    return parts if valid and likely and "".join(parts) == word else [word]


def _expand(name: str, meanings: Mapping[str, str]) -> str:
    name = _RUN.sub(lambda run: run[0] if run[0] in meanings else _split_letters(run[0]), name)
    return _RUN.sub(
        lambda run: meanings.get(run[0]) or _LETTERS.sub(lambda part: meanings.get(part[0], part[0]), run[0]), name
    )


def _split_letters(run: str) -> str:
    """Split the words in a run of letters and digits; digits are kept."""
    return _LETTERS.sub(lambda letters: " ".join(split_run(letters[0])), run)


@cache
def _english_words() -> frozenset[str]:
    """The words that :func:`_english` knows, read in a tenth of its time."""
    dictionary = (files("symspellpy") / _DICTIONARY).read_text(encoding="utf-8")
    return frozenset(line.partition(" ")[0] for line in dictionary.splitlines()) | common_abbreviations().keys()


@cache
def _english() -> "SymSpell":
    from symspellpy import SymSpell

    english = SymSpell(max_dictionary_edit_distance=0, prefix_length=1)
    english.load_dictionary(files("symspellpy") / _DICTIONARY, term_index=0, count_index=1)
    for abbreviation in common_abbreviations():
        english.create_dictionary_entry(abbreviation, ABBREVIATION_COUNT)
    return english
