"""From the tables that the statements create to the schema: what is inherited, left out, and how tables are named."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from joingr_pyg.schema.model import ForeignKey, Table
from joingr_pyg.schema.names.readable import is_internal, match
from joingr_pyg.schema.readers.ddl.catalog import Catalog, DraftTable, Reference, UnknownTableError, take_over


@dataclass
class Assembly:
    """The schema that a catalog amounts to.

    Args:
        tables: Its tables.
        foreign_keys: Its foreign keys, column by column.
        constraints: How many foreign keys these are, composite ones counted once.
        views: How many views there are.
        partitions: How many tables hold but a part of the rows of another, and are left out.
        left_out: What could not be part of the schema, one sentence each.
    """

    tables: list[Table] = field(default_factory=list)
    foreign_keys: list[ForeignKey] = field(default_factory=list)
    constraints: int = 0
    views: int = 0
    partitions: int = 0
    left_out: list[str] = field(default_factory=list)


def assemble(catalog: Catalog, database: str, views: bool) -> Assembly:
    """Make the tables and keys of a schema.

    Args:
        catalog: All that was created.
        database: Name of the database, for messages.
        views: Whether views become tables.
    """
    made = Assembly()
    for draft in catalog.tables:
        try:
            take_over(draft, catalog)
        except UnknownTableError as error:
            made.left_out.append(f"Columns that table {str(draft.name)!r} inherits are left out: {error}.")
    kept = []
    for draft in catalog.tables:
        if draft.is_view:
            made.views += 1
        if is_internal(draft.name.name) or (draft.is_view and not views):
            continue
        if _is_partition(draft, catalog):
            made.partitions += 1
        elif (fault := _fault(draft)) is not None:
            made.left_out.append(f"Table {str(draft.name)!r} of database {database!r} is left out: {fault}.")
        else:
            kept.append(draft)
    named = _named(kept)
    for draft in kept:
        made.tables.append(_table(draft, named[draft], made, database))
    by_draft = dict(zip(kept, made.tables, strict=True))
    distinct: dict[ForeignKey, None] = {}
    for draft in kept:
        for reference in draft.references:
            keys = list(_foreign_keys(draft, reference, by_draft, catalog, made, database))
            made.constraints += any(key not in distinct for key in keys)
            distinct.update(dict.fromkeys(keys))
    made.foreign_keys = list(distinct)
    return made


def _is_partition(draft: DraftTable, catalog: Catalog) -> bool:
    """Whether a table holds a part of the rows of another, by declaration or by inheritance with a ``CHECK``."""
    if draft.partition_of is not None:
        return True
    parents = [catalog.find(name, draft.name.schema) for name in draft.parents]
    if len(parents) != 1 or parents[0] is None or not draft.checked:
        return False
    return {column.name for column in draft.columns} == {column.name for column in parents[0].columns}


def _fault(draft: DraftTable) -> str | None:
    """Why a table cannot be part of a schema."""
    if not draft.columns:
        return "it has no columns"
    counts = Counter(column.name for column in draft.columns)
    name, count = counts.most_common(1)[0]
    return f"it lists column {name!r} twice" if count > 1 else None


def _named(drafts: list[DraftTable]) -> dict[DraftTable, str]:
    """The name of each table, with its schema where several have a table of the name."""
    counts = Counter(draft.name.name.lower() for draft in drafts)
    names = {draft: str(draft.name) if counts[draft.name.name.lower()] > 1 else draft.name.name for draft in drafts}
    if len(set(names.values())) < len(drafts):
        # Two tables whose names with and without a schema are spelled alike.
        return {draft: str(draft.name) for draft in drafts}
    return names


def _table(draft: DraftTable, name: str, made: Assembly, database: str) -> Table:
    names = [column.name for column in draft.columns]
    primary = [match(column, names) for column in draft.primary_key]
    if None in primary:
        missing = draft.primary_key[primary.index(None)]
        made.left_out.append(
            f"The primary key of table {str(draft.name)!r} of database {database!r} is left out: it names column "
            f"{missing!r}, which does not exist."
        )
        primary = []
    key = tuple(dict.fromkeys(column for column in primary if column is not None))
    return Table(name, tuple(draft.columns), key, description=draft.description, schema=draft.name.schema)


def _foreign_keys(
    draft: DraftTable,
    reference: Reference,
    tables: dict[DraftTable, Table],
    catalog: Catalog,
    made: Assembly,
    database: str,
) -> Iterator[ForeignKey]:
    """The pairs of columns that a foreign key joins; none where one of them does not exist."""
    own = tables[draft]
    columns = [match(column, own.column_names) for column in reference.columns]
    target = catalog.find(reference.table, draft.name.schema)
    while target is not None and target.partition_of is not None and target not in tables:
        target = catalog.find(target.partition_of)
    parent = None if target is None else tables.get(target)
    targets: list[str | None] = []
    if parent is not None and reference.targets:
        targets = [match(column, parent.column_names) for column in reference.targets]
    elif parent is not None:
        targets = list(parent.primary_key)
    where = f"The foreign key {own.name!r} ({', '.join(reference.columns)}) of database {database!r} is skipped"
    if None in columns:
        missing = reference.columns[columns.index(None)]
        made.left_out.append(f"{where}: column {missing!r} does not exist.")
    elif parent is None or None in targets or len(targets) != len(columns):
        aim = ", ".join(reference.targets) or "its primary key"
        made.left_out.append(f"{where}: it references {str(reference.table)!r} ({aim}), which does not exist.")
    else:
        for column, referenced in zip(columns, targets, strict=True):
            yield ForeignKey(own.name, str(column), parent.name, str(referenced))
