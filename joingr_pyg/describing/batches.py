"""Batches of related tables, each for one request."""

from collections import Counter
from collections.abc import Sequence

from joingr_pyg.schema import Database, Table
from joingr_pyg.schema.names.readable import readable_name

BATCH_COLUMNS = 200
"""Columns from which on a batch takes no further table; a table with more stands alone."""


def related_batches(database: Database, tables: Sequence[Table], size: int) -> list[list[Table]]:
    """Divide tables into batches, so that those that are joined come together.

    A batch begins with the first table that is left, and takes the table that most joins lead to from those it has;
    among equals one whose name begins with the same word as that of its first table, and then the first.

    Args:
        database: Their schema, whose joins count.
        tables: The tables to divide.
        size: Maximum number of tables in a batch, at least 1.
    """
    joined: dict[str, Counter[str]] = {table.name: Counter() for table in database}
    for join in database.joins:
        joined[join.table][join.referenced_table] += 1
        joined[join.referenced_table][join.table] += 1
    left = {table.name: table for table in tables}
    batches = []
    while left:
        batch = [left.pop(next(iter(left)))]
        links, prefix = Counter(joined[batch[0].name]), _first_word(batch[0])
        columns = len(batch[0].columns)
        while left and len(batch) < size:
            nearest = max(left.values(), key=lambda table: (links[table.name], _first_word(table) == prefix))
            columns += len(nearest.columns)
            if columns > BATCH_COLUMNS:
                break
            batch.append(left.pop(nearest.name))
            links += joined[nearest.name]
        batches.append(batch)
    return batches


def _first_word(table: Table) -> str:
    return readable_name(table.name).partition(" ")[0]
