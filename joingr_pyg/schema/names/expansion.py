"""Names of tables and columns spelt out without anybody's help: abbreviations, and words that are run together."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from symspellpy import SymSpell

from joingr_pyg.schema.model import Database
from joingr_pyg.schema.names.natural import spell_out

SHORTEST_RUN = 6
"""Letters that words run together have at least: what is shorter is an abbreviation, and seldom falls apart rightly."""

SHORTEST_PART = 3
"""Letters that a part of them has at least, but for those of :data:`SHORT_PARTS`; others fit in anywhere."""

SHORT_PARTS = {"by", "id", "no", "of", "to"}

RAREST = -5.5
"""Mean decimal logarithm of the probability of the parts, at least; one word in 300,000."""

ABBREVIATION_COUNT = 10_000_000
"""How often an abbreviation counts among a trillion words, which is as often as a common word."""

_DICTIONARY = "frequency_dictionary_en_82_765.txt"
_RUN = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_LAST_NO = re.compile(r"(?<=[^\W_] )no$")  # Elsewhere it says no.


def with_expanded_names(database: Database, abbreviations: Mapping[str, str] | None = None) -> Database:
    """Spell out the names of tables and columns whose source gives no natural name.

    Common abbreviations of databases are spelt out (``CUST_NBR``: customer number; those of several meanings, such as
    ``inv``, are none of them), and lower- or upper-case words that are run together are told apart
    (``SALESORDERHEADER``: sales order header) where English words or abbreviations that are not too rare make up the
    whole. Words of the English dictionary are not taken apart.

    Args:
        database: The schema; it stays as it is.
        abbreviations: Abbreviations of the schema's own, in any letter case, which go before the common ones.
    """
    own = {name.lower(): text for name, text in (abbreviations or {}).items()}
    known = {**common_abbreviations(), **own}
    return spell_out(database, lambda name: _spelt(name, known))


@cache
def common_abbreviations() -> Mapping[str, str]:
    """What common abbreviations in the names of databases stand for, by the abbreviation in lower case."""
    return json.loads((files("joingr_pyg.schema.names") / "abbreviations.json").read_text(encoding="utf-8"))


def is_known(word: str) -> bool:
    """Whether a lower-case word is one of the English dictionary or of the common abbreviations."""
    return word in _english().words


def split_run(word: str) -> list[str]:
    """The words that are run together in a lower-case word; the word alone where none are."""
    english = _english()
    if len(word) < SHORTEST_RUN or word in english.words:
        return [word]
    found = english.word_segmentation(word, max_edit_distance=0)
    parts = found.corrected_string.split()
    sound = all(part in english.words and (len(part) >= SHORTEST_PART or part in SHORT_PARTS) for part in parts)
    return parts if sound and "".join(parts) == word and found.log_prob_sum >= RAREST * len(parts) else [word]


def _spelt(name: str, known: Mapping[str, str]) -> str:
    name = _RUN.sub(lambda run: run[0] if run[0] in known else _told_apart(run[0]), name)
    name = _RUN.sub(
        lambda run: known.get(run[0]) or _LETTERS.sub(lambda part: known.get(part[0], part[0]), run[0]), name
    )
    return _LAST_NO.sub("number", name)


def _told_apart(run: str) -> str:
    """A run of letters and digits, its words told apart; numbers stay where they are."""
    return _LETTERS.sub(lambda letters: " ".join(split_run(letters[0])), run)


@cache
def _english() -> SymSpell:
    english = SymSpell(max_dictionary_edit_distance=0, prefix_length=1)
    english.load_dictionary(files("symspellpy") / _DICTIONARY, term_index=0, count_index=1)
    for abbreviation in common_abbreviations():
        english.create_dictionary_entry(abbreviation, ABBREVIATION_COUNT)
    return english
