"""The words of a text, for methods that match words rather than vectors."""

import re
from functools import cache
from typing import TYPE_CHECKING

from joingr_pyg.errors import JoinGRError

if TYPE_CHECKING:
    from Stemmer import Stemmer

_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Lower-case words in the order of the text, without English stop words, each cut to its Snowball stem.

    A word is a run of letters and digits, so ``"Aren't"`` is ``aren`` and ``t``, both stop words. Words of languages
    other than English are kept as far as the English stemmer leaves them alone.

    Raises:
        JoinGRError: If the packages of the extra ``lexical`` are not installed.
    """
    stemmer, stop_words = _english()
    return stemmer.stemWords([word for word in _WORD.findall(text.lower()) if word not in stop_words])


@cache
def _english() -> tuple["Stemmer", frozenset[str]]:
    try:
        from bm25s.stopwords import STOPWORDS_EN_PLUS
        from Stemmer import Stemmer
    except ImportError as error:
        raise JoinGRError(
            f"Matching words needs the package {error.name!r}: pip install 'joingr_pyg[lexical]'."
        ) from error
    return Stemmer("english"), frozenset(STOPWORDS_EN_PLUS)
