"""Opinions of others on joins that nobody declared, by the names of the joined columns."""

from collections.abc import Mapping

from joingr_pyg.schema.joins.direction import End
from joingr_pyg.schema.joins.inference import Judge
from joingr_pyg.schema.model import Database
from joingr_pyg.schema.names.readable import find_column


def judge_of(opinions: Mapping[str, float], database: Database) -> Judge | None:
    """The judge that has these opinions, for :func:`~joingr_pyg.schema.joins.inference.infer_joins`.

    Args:
        opinions: Probabilities, by ``"A.x = B.y"`` in either direction and any letter case. Those of columns that the
            schema lacks are passed over.
        database: The schema.

    Returns:
        The judge; ``None`` if there is no opinion.
    """
    if not opinions:
        return None
    by_ends: dict[frozenset[End | None], float] = {
        frozenset(find_column(name.strip(), database) for name in join.split(" = ", 1)): probability
        for join, probability in opinions.items()
    }
    return lambda join: by_ends.get(join.endpoints)
