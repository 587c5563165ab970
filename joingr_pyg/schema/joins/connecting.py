"""The joins that connect tables."""

from collections.abc import Collection
from itertools import pairwise

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
    if _are_connected(database, tables):
        return set()
    # Loading networkx takes longer than reading a schema.
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(table.name for table in database)
    for join in database.joins:
        length = 2.0 - join.confidence - PREFERRED * (join in preferred)
        before = graph.get_edge_data(join.table, join.referenced_table, {"length": length})
        graph.add_edge(join.table, join.referenced_table, length=min(length, before["length"]))
    # Sorted, so that equally short paths are chosen in the same way every time.
    groups = sorted((sorted(group) for group in nx.connected_components(graph.subgraph(tables))), key=min)
    pairs: set[frozenset[str]] = set()
    while len(groups) > 1:
        group, *others = groups
        length, paths = nx.multi_source_dijkstra(graph, group, weight="length")
        nearest = min(
            (table for other in others for table in other if table in length),
            key=lambda table: (length[table], table),
            default=None,
        )
        if nearest is None:
            groups = others
            continue
        path = paths[nearest]
        pairs |= {frozenset(pair) for pair in pairwise(path)}
        reached = next(other for other in others if nearest in other)
        groups = [[*group, *path[1:-1], *reached], *(other for other in others if other is not reached)]
    return pairs


def _are_connected(database: Database, tables: Collection[str]) -> bool:
    """Whether joins among tables alone connect all of them."""
    group = {table: {table} for table in tables}
    for join in database.joins:
        if join.table in group and join.referenced_table in group:
            together = group[join.table] | group[join.referenced_table]
            group |= dict.fromkeys(together, together)
    return all(len(own) == len(group) for own in group.values())
