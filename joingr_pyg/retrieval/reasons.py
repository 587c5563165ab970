"""Why a table was found, in a short sentence."""

from collections.abc import Mapping, Sequence

from joingr_pyg.models.joingr_plus.features import REASONS

LEAST = 0.02
"""How far a term of the prior has to be above its median over all tables to be a reason; of the order of cosines."""

LEAST_SHARE = 0.25
"""Which share of the largest such difference it has to reach, so that weak reasons do not stand beside strong ones."""

LEAST_COSINE = 0.35
"""Cosine of the nearest column from which it is a reason, if it is also :data:`LEAST_ABOVE` above the median.

Of the tables of BIRD train that a question does not name, one in four is needed where both hold, with MiniLM, and one
in twenty where they do not.
"""

LEAST_ABOVE = 0.05

WORDS = 3
"""How many shared words are told at most."""

NOTHING = "nothing in the question speaks for it"


def clear_terms(above: Mapping[str, float], cosine: float) -> list[str]:
    """The terms of a model's prior that are a reason for a table, the strongest first.

    Args:
        above: How far each term is above its median over all tables: ``"similarity"``, ``"words"``, ``"votes"`` and
            ``"phrases"``.
        cosine: Cosine of the question and the table's nearest column.
    """
    least = max(LEAST, LEAST_SHARE * max(above.values(), default=0.0))
    clear = sorted((term for term in above if above[term] >= least), key=lambda term: -above[term])
    resembles = cosine >= LEAST_COSINE and above.get("similarity", 0.0) >= LEAST_ABOVE
    return [term for term in clear if term != "similarity" or resembles]


def reason(
    terms: Sequence[str],
    column: str,
    cosine: float,
    words: Sequence[str] = (),
    phrase: str = "",
    named: bool = False,
    origin: str | None = None,
    joins: Sequence[str] = (),
) -> str:
    """Write the sentence: that the question names the table, then the joins that led to it, then the other reasons.

    Args:
        terms: What :func:`clear_terms` returned.
        column: The table's nearest column.
        cosine: Cosine of that column and the question.
        words: The words that the table shares with the question, the one that counts most first.
        phrase: The phrase of the question that matches the table best.
        named: Whether the question holds all words of the table's name.
        origin: The table that most of its deposit came from over joins, if it did.
        joins: The joins from there.
    """
    values = {
        "column": column,
        "cosine": cosine,
        "words": ", ".join(repr(word) for word in words[:WORDS]),
        "phrase": phrase,
    }
    clauses = ["the question names it"] if named else []
    if origin is not None:
        clauses.append(f"reached from {origin} over {', '.join(joins)}")
    others = [REASONS[term].format(**values) for term in terms if term in REASONS and (term != "words" or words)]
    clauses += others[:1] if origin is not None else others
    return "; ".join(clauses) or NOTHING
