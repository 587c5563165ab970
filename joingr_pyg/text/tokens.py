"""Words of a text, for methods that match words rather than vectors."""

import re
import runpy
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from Stemmer import Stemmer


def _stop_words() -> Iterable[str]:
    """English stop words, from their file in bm25s: importing bm25s itself would import numba, half a second."""
    spec = find_spec("bm25s")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return runpy.run_path(str(Path(spec.submodule_search_locations[0], "stopwords.py")))["STOPWORDS_EN_PLUS"]


_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = frozenset(_stop_words())
_ENGLISH = Stemmer("english")


def words(text: str) -> list[str]:
    """Lower-case words in the order of the text, without English stop words, each cut to its Snowball stem.

    A word is a run of letters and digits, so ``"Aren't"`` is ``aren`` and ``t``, both stop words. Words of languages
    other than English are kept unless the English stemmer changes them.
    """
    return _ENGLISH.stemWords(spelled(text))


def distinct_words(text: str) -> list[str]:
    """The same words, each once."""
    return list(dict.fromkeys(words(text)))


def first_spellings(text: str) -> dict[str, str]:
    """The same words as stems, each with its first spelling."""
    first: dict[str, str] = {}
    spellings = spelled(text)
    for stem, spelling in zip(_ENGLISH.stemWords(spellings), spellings, strict=True):
        first.setdefault(stem, spelling)
    return first


def spelled(text: str) -> list[str]:
    """The words of a text in lower case, one by one, without English stop words."""
    return [word for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS]
