"""The texts of columns, joins and tables that the frozen encoder embeds (section 3.1 of the paper).

Each function is a template over a :class:`~joingr_pyg.schema.Database`. Embeddings are cached by the text itself, so a
changed template never gets a stale embedding.
"""

from collections.abc import Sequence

from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.names.readable import readable_name

TABLE_COLUMNS = 40
"""Maximum number of column names in the descriptor of a table."""

DOCUMENT_NAME_WEIGHT = 3
"""Repetitions of the table name in the document of a table, so that its words weigh more than those of a column."""

DOCUMENT_DESCRIPTION_LENGTH = 200
"""Maximum number of characters of a description in the document of a table."""

DESCRIPTION_LENGTH = 250
"""Maximum number of characters of a description in a descriptor; encoders cut off the end of long texts."""

_COLUMNS = "; columns: "


def _natural(item: Column | Table) -> str:
    return readable_name(item.natural_name or item.name)


def _sentence(description: str) -> str:
    """The beginning of a description on one line, without a full stop."""
    return " ".join(description.split())[:DESCRIPTION_LENGTH].rstrip(". ")


def _canonical(database: Database, table: str, column: str) -> str:
    return f"{database.name}.{table}.{column}"


def _column_text(database: Database, table: Table, column: Column) -> str:
    # Prose comes first: it gave better retrieval on BIRD train than a list of fields.
    sentences = [f"The {_natural(column)} of a {_natural(table)} in {readable_name(database.name)}"]
    if description := _sentence(column.description):
        sentences.append(description)
    key = "key" if (table.name, column.name) in database.keys else ""
    facts = [_canonical(database, table.name, column.name), column.type.lower(), key]
    sentences.append(f"Column {', '.join(fact for fact in facts if fact)}")
    return ". ".join(sentences) + "."


def _join_text(database: Database, join: ForeignKey) -> str:
    left, right = database[join.table], database[join.referenced_table]
    left_column = _natural(left.columns[left.column_names.index(join.column)])
    right_column = _natural(right.columns[right.column_names.index(join.referenced_column)])
    # A sentence made of the names is used only if there is no description: it would dilute a written one.
    reason = _sentence(join.description) or (
        f"The {left_column} of a {_natural(left)} is the {right_column} of a {_natural(right)}, "
        f"which links {_natural(left)} with {_natural(right)}"
    )
    return (
        f"Join of {_canonical(database, join.table, join.column)} "
        f"with {_canonical(database, join.referenced_table, join.referenced_column)}. {reason}."
    )


def _table_text(database: Database, table: Table) -> str:
    title = f"table {table.name} in database {database.name}"
    if description := _sentence(table.description):
        title += f": {description}"
    return f"{title}{_COLUMNS}{', '.join(_natural(column) for column in table.columns[:TABLE_COLUMNS])}"


def column_descriptors(database: Database) -> list[str]:
    """The node descriptors of a database: one text per column, in table then column order.

    A descriptor contains the readable name, the description if known, the canonical name ``db.table.column``, the
    declared type and whether the column is a key (section 3.1, items i to iv of a node descriptor).
    """
    return [_column_text(database, table, column) for table in database for column in table.columns]


def join_descriptors(database: Database) -> list[str]:
    """The edge descriptors of a database: one text per join, in the order of ``database.joins``.

    A descriptor contains the canonical names of both columns, the edge type and why the columns are related (section
    3.1, items i to iii of an edge descriptor): the description of the join, or a sentence made of the names.
    """
    return [_join_text(database, join) for join in database.joins]


def table_descriptors(database: Database) -> list[str]:
    """One text per table, in table order: its name, database, description and first :data:`TABLE_COLUMNS` columns."""
    return [_table_text(database, table) for table in database]


def table_summaries(database: Database) -> list[str]:
    """One line per table, in table order: its readable name, and the beginning of its description if it has one."""
    return [
        f"{_natural(table)}: {description}" if (description := _sentence(table.description)) else _natural(table)
        for table in database
    ]


def descriptors(databases: Sequence[Database]) -> list[list[str]]:
    """All texts to embed: for each database a list for its columns, for its joins, for its tables, for their summaries.

    The lists for columns of all databases come first, then those for joins, and so on.
    """
    return [
        describe(database)
        for describe in (column_descriptors, join_descriptors, table_descriptors, table_summaries)
        for database in databases
    ]


def split_table_descriptor(text: str) -> tuple[str, list[str]] | None:
    """The title and column names of a text made by :func:`table_descriptors`; ``None`` for other texts."""
    title, separator, columns = text.rpartition(_COLUMNS)
    return (title, columns.split(", ")) if separator and title.startswith("table ") else None


def table_titles(database: Database) -> list[str]:
    """The readable name of each table, in table order."""
    return [_natural(table) for table in database]


def table_documents(database: Database) -> list[str]:
    """One text per table, in table order, for lexical matching.

    It contains the readable name of the table (:data:`DOCUMENT_NAME_WEIGHT` times), the name of the database, the
    beginning of the table's description, and the names of the columns with the beginning of their descriptions.
    """
    return [
        " ".join(
            [_natural(table)] * DOCUMENT_NAME_WEIGHT
            + [readable_name(database.name)]
            + [_beginning(table.description)] * bool(table.description)
            + [_natural(column) for column in table.columns]
            + [_beginning(column.description) for column in table.columns]
        ).rstrip()
        for table in database
    ]


def _beginning(description: str) -> str:
    return " ".join(description.split())[:DOCUMENT_DESCRIPTION_LENGTH]
