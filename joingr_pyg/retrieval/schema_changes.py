"""What a model remembers, carried over to a schema that has changed since.

A remembered question names the tables that it needed as ``(database, table)``. After a change, a database is the same
if it has the same name. A database whose name is gone is taken to be the one new database that shares at least half of
its tables, so a schema file may be renamed. Within a database, a table is the same if it has the same name, else if the
names differ in letter case alone.
"""

import logging
from collections.abc import Sequence

from joingr_pyg.models import JoinGRPlus, TrainableRetriever
from joingr_pyg.schema import Database, TableName
from joingr_pyg.schema.names.readable import match

logger = logging.getLogger(__name__)

SAME_DATABASE = 0.5
"""Share of the table names of two databases that they have in common, from which they are versions of one database."""

NAMES_SHOWN = 5
"""How many missing tables a warning names."""


def new_names(before: Sequence[Database], after: Sequence[Database]) -> dict[TableName, TableName]:
    """The tables of changed databases whose names are others than before, by their names before."""
    databases = {database.name: database for database in after}
    free = [database for database in after if database.name not in {old.name for old in before}]
    names: dict[TableName, TableName] = {}
    for old in before:
        new = databases.get(old.name) or max(free, key=lambda other: _common(old, other), default=None)
        if new is None or (new.name != old.name and _common(old, new) < SAME_DATABASE):
            continue
        free = [database for database in free if database is not new]
        for table in old:
            name = match(table.name, (other.name for other in new))
            if name is not None and (new.name, name) != (old.name, table.name):
                names[old.name, table.name] = (new.name, name)
    return names


def carry_memory_over(model: TrainableRetriever, before: Sequence[Database], after: Sequence[Database]) -> None:
    """Let remembered questions vote for the tables of a changed schema; a warning names the tables that are gone.

    Args:
        model: The model, whether it is bound to the changed schema yet or not.
        before: The databases whose tables the questions needed.
        after: The databases now.
    """
    if not isinstance(model, JoinGRPlus) or not len(model.memory):
        return
    model.memory.rename(new_names(before, after))
    # Questions that a model was trained on name tables of other databases, which were not here before either.
    lost = {(database.name, table.name) for database in before for table in database}
    lost -= {(database.name, table.name) for database in after for table in database}
    missing = [[table for table in tables if table in lost] for tables in model.memory.gold]
    gone = list(dict.fromkeys(".".join(table) for tables in missing for table in tables))
    if gone:
        shown = ", ".join(gone[:NAMES_SHOWN]) + (f" and {len(gone) - NAMES_SHOWN} more" * (len(gone) > NAMES_SHOWN))
        logger.warning(
            "%d of %d remembered questions name tables that are not here: %s. They have no vote for these tables.",
            *(sum(map(bool, missing)), len(missing), shown),
        )


def _common(one: Database, other: Database) -> float:
    """The Jaccard similarity of the table names of two databases, in lower case."""
    names = [{table.name.lower() for table in database} for database in (one, other)]
    return len(names[0] & names[1]) / len(names[0] | names[1])
