"""Whether a schema declares so few keys that joins should be inferred."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.joins.inference import Judge, infer_joins
from joingr_pyg.schema.model import Database, ForeignKey

logger = logging.getLogger(__name__)

InferJoins = bool | Literal["auto"]
"""Whether joins are inferred: always, never, or where a schema declares few."""

ReadShares = Callable[[Database, Sequence[ForeignKey]], Mapping[str, float]]
"""Reads from the rows of a schema which share of the values of each join's referring column the other has too, by the
join as text."""

SURE = 0.5
"""Confidence from which on an inferred join counts as one that should have been declared."""

FEW = 0.5
"""Number of such joins for each declared one, from which on a schema declares few keys."""


def declares_few_keys(database: Database, inferred: tuple[ForeignKey, ...]) -> bool:
    """Whether a schema declares few keys: half as many joins as it declares, or more, are surely missing.

    Args:
        database: The schema with its declared and given joins.
        inferred: What :func:`infer_joins` adds to them.
    """
    sure = sum(join.confidence >= SURE for join in inferred)
    return sure > FEW * len(database.joins)


def with_inferred_joins(
    database: Database,
    when: InferJoins = "auto",
    opinion: Judge | None = None,
    read_shares: ReadShares | None = None,
) -> Database:
    """Add inferred joins to a schema.

    Args:
        database: The schema; it stays as it is.
        when: ``True`` adds them, ``False`` does not, ``"auto"`` does where :func:`declares_few_keys`.
        opinion: As :func:`~joingr_pyg.schema.joins.inference.infer_joins` takes it.
        read_shares: Where rows may be read, what they say of joins that names suggest.

    Raises:
        JoinGRError: If ``when`` is something else.
    """
    if when not in (True, False, "auto"):
        raise JoinGRError(f"'infer_joins' needs to be True, False or 'auto' (got {when!r}).")
    if when is False or len(database.tables) < 2:
        return database
    contained = None if read_shares is None else _contained(database, opinion, read_shares)
    inferred = infer_joins(database, contained=contained, opinion=opinion)
    if when == "auto" and not declares_few_keys(database, inferred):
        return database
    if inferred:
        logger.info(
            "Inferred %d joins of database %r, beside %d that it has.",
            len(inferred),
            database.name,
            len(database.joins),
        )
    return replace(database, foreign_keys=(*database.foreign_keys, *inferred))


def _contained(database: Database, opinion: Judge | None, read_shares: ReadShares) -> Judge:
    """What the rows say of every join that the inference would ask about; all are read at once."""
    asked: list[ForeignKey] = []
    infer_joins(database, contained=asked.append, opinion=opinion)
    shares = read_shares(database, asked)
    return lambda join: shares.get(str(join))
