"""Why a table was found, in a short sentence."""

from collections.abc import Mapping, Sequence

LEAST = 0.02
"""What speaks for a table no more than this above the median table is not told; of the order of cosines."""

BESIDE = 0.25
"""Nor is what is less than this part of what speaks for it most."""

WORDS = 3
"""At most so many words are told."""


def stands_out(above: Mapping[str, float]) -> bool:
    """Whether anything speaks for a table more than for the median table."""
    return max(above.values()) >= LEAST


def reason(
    above: Mapping[str, float],
    column: str,
    similarity: float,
    words: Sequence[str] = (),
    origin: str | None = None,
    joins: Sequence[str] = (),
    phrase: str = "",
) -> str:
    """The sentence: the way of the deposit first, where it came over joins, then what speaks for the table itself.

    Args:
        above: What speaks for the table, each above the median of all tables.
        column: Its column that is most similar to the question.
        similarity: Cosine of that column and the question.
        words: The words that it shares with the question, strongest first.
        origin: The table that its deposit came from over joins, where most of it did.
        joins: The joins from there.
        phrase: The phrase of the question that points at it most surely.
    """
    nearest = f"nearest column {column} (cosine {similarity:.2f})"
    told = {
        "similarity": nearest,
        "words": "shares " + ", ".join(repr(word) for word in words[:WORDS]),
        "votes": "similar answered questions needed it",
        "phrases": f"{phrase!r} points at it",
    }
    parts = sorted(above, key=lambda part: -above[part])
    clauses = [told[part] for part in parts if above[part] >= max(LEAST, BESIDE * above[parts[0]])]
    if origin is not None:
        return "; ".join([f"reached from {origin} over {', '.join(joins)}", *clauses[:1]])
    return "; ".join(clauses) or f"nothing stands out, {nearest}"
