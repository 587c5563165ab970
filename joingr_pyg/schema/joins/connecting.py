"""The joins that connect tables."""

from collections.abc import Collection

from joingr_pyg.schema.model import Database, ForeignKey

PREFERRED = 0.999
"""Length of a join that is preferred; others have 1, so it decides between equally short ways alone."""


def connecting_joins(
    database: Database, tables: Collection[str], preferred: Collection[ForeignKey] = ()
) -> list[ForeignKey]:
    """Connect tables by few joins, which may lead over further tables.

    The tables are joined by a Steiner tree of the graph of tables, at most twice as large as the smallest (Mehlhorn,
    1988). Tables that no joins connect stay apart.

    Args:
        database: The schema.
        tables: Names of some of its tables.
        preferred: Joins to prefer where several ways are equally short.

    Returns:
        The joins in the order of :attr:`Database.joins`; where several join the same two tables, all of them.
    """
    # Loading networkx takes longer than reading a schema.
    import networkx as nx
    from networkx.algorithms.approximation import steiner_tree

    graph = nx.Graph((join.table, join.referenced_table, {"weight": 1.0}) for join in database.joins)
    for join in preferred:
        graph.edges[join.table, join.referenced_table]["weight"] = PREFERRED
    chosen: set[frozenset[str]] = set()
    for part in nx.connected_components(graph):
        # Sorted, so that equally small trees are told apart the same way every time.
        if len(ends := sorted(part.intersection(tables))) > 1:
            chosen |= {frozenset(pair) for pair in steiner_tree(graph.subgraph(part), ends).edges}
    return [join for join in database.joins if frozenset((join.table, join.referenced_table)) in chosen]
