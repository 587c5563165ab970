"""What a language model thinks of joins that names suggest and nobody declared."""

from collections.abc import Mapping, Sequence
from typing import Any

from joingr_pyg.describing.answers import ends
from joingr_pyg.describing.prompts import table_text
from joingr_pyg.schema import Database, ForeignKey
from joingr_pyg.schema.joins.inference import infer_joins

LEAST_LIKELY = 0.1
"""Confidence of the inference from which on a join is worth a question."""

BATCH_JOINS = 20
"""Maximum number of joins in a request."""

INSTRUCTIONS = """\
You know databases. Of each listed pair of columns, which no declared key joins, say how probable it is that the first \
refers to the second, so that queries join them: a number from 0 to 1. You see the schema alone. Write each join as it \
is listed. Answer with JSON only."""


def candidate_batches(database: Database, known: Mapping[str, float]) -> list[list[ForeignKey]]:
    """Joins that the inference thinks possible and that have no opinion, each batch for one request.

    Args:
        database: The schema.
        known: Opinions that there are already, by join.
    """
    asked = set(map(ends, known))
    joins = infer_joins(database, least_confidence=LEAST_LIKELY)
    left = sorted((join for join in joins if ends(str(join)) not in asked), key=lambda join: join.table)
    return [left[start : start + BATCH_JOINS] for start in range(0, len(left), BATCH_JOINS)]


def opinion_messages(database: Database, batch: Sequence[ForeignKey]) -> list[dict[str, str]]:
    """The messages of a request, with the tables on both sides."""
    names = dict.fromkeys(name for join in batch for name in (join.table, join.referenced_table))
    parts = [f"Database: {database.name}", *(table_text(database, database[name]) for name in names)]
    parts.append("\n".join(["How probable are these joins?", *(f"- {join}" for join in batch)]))
    return [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": "\n\n".join(parts)}]


def opinion_shape() -> dict[str, Any]:
    """JSON schema of an answer."""
    entry = {
        "type": "object",
        "properties": {"join": {"type": "string"}, "probability": {"type": "number"}},
        "required": ["join", "probability"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"joins": {"type": "array", "items": entry}},
        "required": ["joins"],
        "additionalProperties": False,
    }


def read_opinions(answer: Any, batch: Sequence[ForeignKey]) -> dict[str, float]:
    """The probabilities in an answer, by join; what is malformed is left out."""
    asked = {ends(str(join)): str(join) for join in batch}
    entries = answer.get("joins") if isinstance(answer, dict) else None
    opinions: dict[str, float] = {}
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict):
            continue
        join, probability = asked.get(ends(str(entry.get("join")))), entry.get("probability")
        if join is None or isinstance(probability, bool) or not isinstance(probability, int | float):
            continue
        if 0 <= probability <= 1:
            opinions.setdefault(join, float(probability))
    return opinions
