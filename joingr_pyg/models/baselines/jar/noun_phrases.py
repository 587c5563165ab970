"""Sub-queries without a language model: the phrases between a question's stop words."""

import re

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

_PIECE = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\s\w]")


def noun_phrases(question: str) -> list[str]:
    """Cut a question into its phrases, each once, in order: the runs of words between stop words and punctuation.

    A chunker without a model: every run of words that are no stop words counts as a noun phrase, verbs among them. A
    question without such a word is one phrase, itself.
    """
    phrases: list[str] = []
    run: list[str] = []
    for piece in [*_PIECE.findall(question), "."]:
        if piece[0].isalnum() and piece.lower().removesuffix("'s").removesuffix("’s") not in STOP_WORDS:
            run.append(piece)
        elif run:
            phrases.append(" ".join(run))
            run = []
    return list(dict.fromkeys(phrases)) or [question.strip()]
