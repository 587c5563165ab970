"""Which tables and joins of an answer are drawn."""

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from joingr_pyg.plotting.picture import Picture, PictureJoin, PictureTable
from joingr_pyg.schema import ForeignKey, Table, TableName

if TYPE_CHECKING:
    from joingr_pyg.retrieval.results import RetrievalResult, RetrievedTable

FOUND = 24
"""How many tables that were found are drawn at most; the list beside the picture has all of them."""

OTHERS = 10
"""How many tables are drawn at most that the walk touched and that were not found."""

LEAST_SHARE = 0.01
"""Which share of the largest deposit at a table, or on a join, is worth drawing."""


def picture_of(result: "RetrievalResult") -> Picture:
    """The picture of an answer: its tables, those that connect them, and others where deposits lie."""
    walk = result.walk
    hops = 0 if walk is None else walk.hops
    at_table: dict[TableName, list[float]] = defaultdict(lambda: [0.0] * hops)
    on_join: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(dict)
    for laid in () if walk is None else walk.deposits:
        for table in (laid.frontier, laid.neighbor):
            at_table[laid.database, table][laid.hop - 1] += laid.deposit
        per_hop = on_join[laid.database, laid.join].setdefault(laid.frontier, [0.0] * hops)
        per_hop[laid.hop - 1] += laid.deposit
    anchors = {} if walk is None else dict(walk.anchors)
    total = {table: sum(deposits) for table, deposits in at_table.items()}

    found = {(table.database, table.table): table for table in result}
    drawn = dict.fromkeys(list(found)[:FOUND])
    if len(found) <= FOUND:
        for join in result.joins:
            drawn |= dict.fromkeys([(join.database, join.table), (join.database, join.referenced_table)])
    connecting = set(drawn) - set(found)
    least = LEAST_SHARE * max(total.values(), default=0.0)
    touched = sorted((table for table in total if table not in found), key=lambda table: -total[table])
    drawn |= dict.fromkeys([table for table in touched if table not in drawn and total[table] >= least][:OTHERS])

    place = {table: number for number, table in enumerate(found, start=1)}
    descriptions = {
        (database.name, table.name): table.description or _meaning(table)
        for database in result.databases
        for table in database
        if (database.name, table.name) in drawn or (database.name, table.name) in found
    }

    def table_of(name: TableName) -> PictureTable:
        table: RetrievedTable | None = found.get(name)
        return PictureTable(
            name,
            descriptions.get(name, ""),
            place.get(name),
            None if table is None else table.score,
            _reason(name, connecting) if table is None else table.reason,
            "" if table is None else table.column,
            0.0 if table is None else table.similarity,
            anchors.get(name),
            tuple(at_table.get(name, [0.0] * hops)),
        )

    return Picture(
        question=result.question,
        tables=tuple(map(table_of, drawn)),
        listed=tuple(map(table_of, found)),
        joins=tuple(_joins(result, list(drawn), on_join, hops)),
        hops=hops,
        num_tables=sum(len(database.tables) for database in result.databases) if walk is None else walk.num_tables,
        num_touched=len(total.keys() | anchors.keys()),
        drawn_share=sum(total.get(table, 0.0) for table in drawn) / max(sum(total.values()), 1e-12),
    )


def _meaning(table: Table) -> str:
    """The readable name of a table, if it says more than its own name."""
    same = re.sub(r"\W|_", "", table.natural_name).lower() == re.sub(r"\W|_", "", table.name).lower()
    return "" if same else table.natural_name


def _reason(table: TableName, connecting: set[TableName]) -> str:
    if table in connecting:
        return "not among the tables found; it connects them"
    return "not among the tables found; the walk touched it"


def _joins(
    result: "RetrievalResult",
    drawn: list[TableName],
    on_join: dict[tuple[str, str], dict[str, list[float]]],
    hops: int,
) -> list[PictureJoin]:
    """The joins of the answer, and others among the drawn tables with a deposit worth drawing."""
    number = {table: place for place, table in enumerate(drawn)}
    wanted = {(join.database, str(join)) for join in result.joins}
    largest = max((sum(map(sum, ways.values())) for ways in on_join.values()), default=0.0)
    pairs: dict[tuple[int, int], list[ForeignKey]] = defaultdict(list)
    for database in result.databases:
        for join in database.joins:
            one, other = (number.get((database.name, table)) for table in (join.table, join.referenced_table))
            deposit = sum(map(sum, on_join.get((database.name, str(join)), {}).values()))
            worth = deposit > 0 and deposit >= LEAST_SHARE * largest
            if one is not None and other is not None and (worth or (database.name, str(join)) in wanted):
                pairs[min(one, other), max(one, other)].append(join)
    joins = []
    for ends, keys in pairs.items():
        ways = [[0.0] * hops, [0.0] * hops]
        for key in keys:
            for frontier, deposits in on_join.get((drawn[ends[0]][0], str(key)), {}).items():
                way = ways[frontier != drawn[ends[0]][1]]
                way[:] = [one + other for one, other in zip(way, deposits, strict=True)]
        joins.append(PictureJoin(ends, tuple(keys), tuple(ways[0]), tuple(ways[1])))
    return joins
