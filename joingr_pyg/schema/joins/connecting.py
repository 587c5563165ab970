"""The joins that connect tables."""

from collections.abc import Collection, Iterable, Mapping, Set
from heapq import heappop, heappush
from itertools import pairwise
from math import inf

from joingr_pyg.schema.model import Database, ForeignKey

PREFERRED = 0.001
"""How much shorter a preferred join is than others: it decides between equally short paths alone."""


def connecting_joins(
    database: Database, tables: Collection[str], preferred: Collection[ForeignKey] = ()
) -> list[ForeignKey]:
    """All joins among tables, and shortest paths over further tables where that leaves them unconnected.

    Tables that the joins among them connect are a group. A group is connected to the next one by a shortest path, with
    all joins of any two tables on it, until no path leads from a group to another. A join is as long as 2 minus its
    confidence, so a declared join is preferred to an inferred one.

    Args:
        database: The schema.
        tables: Names of some of its tables.
        preferred: Joins to prefer where several paths are equally short.

    Returns:
        The joins in the order of :attr:`Database.joins`. A join of a table with itself is among them if the table is
        one of ``tables``.
    """
    chosen = {frozenset((one, other)) for one in tables for other in tables}
    chosen |= _paths(database, tables, preferred)
    return [join for join in database.joins if frozenset((join.table, join.referenced_table)) in chosen]


def _paths(database: Database, tables: Collection[str], preferred: Collection[ForeignKey]) -> set[frozenset[str]]:
    """The pairs of tables along the paths that connect groups of tables."""
    closer: dict[frozenset[str], float] = {}
    for join in preferred:
        ends = frozenset((join.table, join.referenced_table))
        closer[ends] = min(closer.get(ends, inf), join.length - PREFERRED)
    # Sorted, so that equally short paths are chosen in the same way every time.
    groups = sorted((sorted(group) for group in _groups(database, tables)), key=min)
    pairs: set[frozenset[str]] = set()
    while len(groups) > 1:
        group, *others = groups
        path = _shortest_path(database, group, {table for other in others for table in other}, closer)
        if not path:
            groups = others
            continue
        pairs |= {frozenset(pair) for pair in pairwise(path)}
        reached = next(other for other in others if path[-1] in other)
        groups = [[*group, *path[1:-1], *reached], *(other for other in others if other is not reached)]
    return pairs


def _groups(database: Database, tables: Collection[str]) -> list[set[str]]:
    """The tables in groups that joins among them connect."""
    group = {table: {table} for table in tables}
    for join in database.joins:
        if join.table in group and join.referenced_table in group:
            together = group[join.table] | group[join.referenced_table]
            group |= dict.fromkeys(together, together)
    return list({id(own): own for own in group.values()}.values())


def _shortest_path(
    database: Database, sources: Iterable[str], targets: Set[str], closer: Mapping[frozenset[str], float]
) -> list[str]:
    """A shortest path from any source to the nearest target (Dijkstra), empty if joins lead to none.

    Args:
        database: The schema.
        sources: Where paths begin.
        targets: Where they may end; of equally near ones the first by name.
        closer: Lengths of some pairs of tables that differ from those of the schema.
    """
    found = dict.fromkeys(sources, 0.0)
    before: dict[str, str] = {}
    waiting = [(0.0, place, table) for place, table in enumerate(found)]
    pushed = len(waiting)
    nearest: tuple[float, str] | None = None
    done: set[str] = set()
    while waiting:
        length, _, table = heappop(waiting)
        if nearest is not None and length > nearest[0]:
            break
        if table in done:
            continue
        done.add(table)
        if table in targets:
            nearest = min(nearest or (length, table), (length, table))
        for other, step in database.neighbors.get(table, {}).items():
            reached = length + closer.get(frozenset((table, other)), step)
            if reached < found.get(other, inf):
                found[other], before[other] = reached, table
                heappush(waiting, (reached, pushed, other))
                pushed += 1
    if nearest is None:
        return []
    path = [nearest[1]]
    while path[-1] in before:
        path.append(before[path[-1]])
    return path[::-1]
