"""The phrases of a question: values that it names, and the runs of words between its stop words."""

import re
from functools import lru_cache
from itertools import groupby

_SEPARATORS = """
a about above after again against all also although am among an and any are as ask at be because been before being
below between both but by calculate can compute count could did display do does doing during each either every find
for from further get give had has have having he her here hers him his how i if in include including indicate into
is it its itself know less let list many may me more most much must my named no nor not of off on once only or
other others our out over own per please provide return same she should show so some state such tell than that the
their theirs them then there these they this those through to together under until up us very want was we were what
whats when where whether which while who whom whose why will with within without would you your
"""

STOP_WORDS = frozenset(_SEPARATORS.split())
"""Words that separate phrases: function words, and verbs that ask for an answer."""

ENDS = ("", ".", "?", "!", ":", ";")
"""Ends of a sentence, or of the text before the first one: the next word starts a sentence."""

_QUOTED = re.compile(r"[\"“]([^\"“”]{2,60})[\"”]|(?<!\w)['‘]([^'‘’]{2,60})['’](?!\w)")
"""A value between quotation marks; a mark within a word is an apostrophe."""

_CAPITALS = re.compile(
    r"[A-Z][\w’'.&-]*"  # a name
    r"(?:\s+(?:(?:of|the|and|&|de|la|van|von)\s+)?(?:[A-Z][\w’'.&-]*|\d+))*"  # further words and numbers of it
)

_PIECE = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\s\w]")


def noun_phrases(question: str) -> list[str]:
    """Cut a question into its phrases, each once, in order: the runs of words between stop words and punctuation.

    This is a chunker without a language model: every run of words that are no stop words counts as a noun phrase, also
    if it holds verbs. A question of stop words alone is one phrase.
    """
    runs = groupby(_PIECE.findall(question), key=_separates)
    phrases = dict.fromkeys(" ".join(run) for separates, run in runs if not separates)
    return list(phrases) or [question.strip()]


@lru_cache(maxsize=1 << 14)  # Questions repeat words.
def _separates(piece: str) -> bool:
    return not piece[0].isalnum() or piece.lower().removesuffix("'s").removesuffix("’s") in STOP_WORDS


def values(question: str) -> tuple[list[str], str]:
    """The values that a question names: text in quotation marks, and runs of capitalised words.

    The first word of a sentence alone is no value, because every first word has a capital.

    Returns:
        The values, each once, and the question with a semicolon in the place of each.
    """
    texts: list[str] = []

    def quoted(match: re.Match[str]) -> str:
        texts.append(match[1] or match[2])
        return ";"

    def named(match: re.Match[str]) -> str:
        starts_sentence = match.string[: match.start()].rstrip()[-1:] in ENDS
        run = match[0].split()
        while run and run[0].lower() in STOP_WORDS:
            starts_sentence = False
            run = run[1:]
        value = " ".join(run).strip(".'’")
        if len(value) < 2 or (starts_sentence and len(run) == 1):
            return match[0]
        texts.append(value)
        return ";"

    rest = _CAPITALS.sub(named, _QUOTED.sub(quoted, question))
    return list(dict.fromkeys(texts)), rest


def phrases(question: str) -> list[str]:
    """The values that a question names, then the noun phrases of what is left, each once."""
    named, rest = values(question)
    others = [phrase for phrase in noun_phrases(rest) if phrase != rest.strip()]
    return list(dict.fromkeys([*named, *others]))
