"""Ranking in rounds: how the parts of a corpus rank together what the whole would rank alone.

Walks never leave a database, so that a corpus may be split by databases. What a part cannot know by itself, such as
whether its best tables are anchors, it asks for: it ranks in a generator that yields what the part has found and
receives what all parts have found, merged. A corpus in one piece ranks by the same generator and receives what it
yielded (:func:`alone`), so that both give one ranking.
"""

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from joingr_pyg.models.retriever import Ranking

Array = NDArray[Any]
Result = TypeVar("Result")


class Finding(Protocol):
    """What a part has found in one round."""

    @classmethod
    def merged(cls, parts: Sequence[Self]) -> Self:
        """What several parts have found together."""


class Shared(Protocol):
    """What a part has to know of all parts before any question."""

    @classmethod
    def sum(cls, parts: Sequence[Self]) -> Self:
        """That of several parts together."""


Rounds = Generator[Any, Any, Result]
"""Yields findings of a part and receives those of all parts."""


class First(NamedTuple):
    """Numbers that the first table and the first database of a part have in the whole corpus."""

    table: int = 0
    database: int = 0


def alone(rounds: Rounds[Result]) -> Result:
    """The result of rounds of a part that is the whole."""
    try:
        found = next(rounds)
        while True:
            found = rounds.send(found)
    except StopIteration as end:
        return end.value


def merged_ranking(parts: Sequence[Ranking], k: int) -> Ranking:
    """The best ``k`` of the tables of several parts, numbered as in the whole; equal scores go by table number."""
    table = torch.cat([part.table for part in parts], dim=1).numpy()
    score = torch.cat([part.score for part in parts], dim=1).numpy()
    order = best_places(score, table, k)
    ranking = (torch.from_numpy(np.take_along_axis(part, order, axis=1)) for part in (table, score))
    return Ranking(*ranking).first(k)


def best_places(score: Array, table: Array, k: int) -> Array:
    """``[B, k]`` places of the best of ``[B, P]`` scores, best first; equal ones go by table, ``-1`` comes last."""
    last = np.where(table < 0, np.iinfo(np.int64).max, table)
    return np.lexsort((last, -score), axis=1)[:, :k]
