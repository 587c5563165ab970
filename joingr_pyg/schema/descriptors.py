"""The texts of columns, joins and tables that the frozen encoder embeds (section 3.1 of the paper).

Every function is a pure template over a :class:`~joingr_pyg.schema.Database`. Whatever is derived from a text is
keyed by the text itself, so changing a template never serves stale embeddings.
"""

from collections.abc import Sequence

from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.names.readable import readable_name

TABLE_COLUMNS = 40
"""How many column names the text of a table lists at most."""

DOCUMENT_NAME_WEIGHT = 3
"""How often the name of a table stands in its document, so that its words count more than those of a column."""

DOCUMENT_DESCRIPTION_LENGTH = 200
"""How many characters of a description enter the document of a table."""

DESCRIPTION_LENGTH = 250
"""How many characters of a description enter a text; encoders cut long texts at their end."""

_COLUMNS = "; columns: "


def _natural(item: Column | Table) -> str:
    return readable_name(item.natural_name or item.name)


def _sentence(description: str) -> str:
    """The beginning of a description as one line without a full stop; empty where there is none."""
    return " ".join(description.split())[:DESCRIPTION_LENGTH].rstrip(". ")


def _canonical(database: Database, table: str, column: str) -> str:
    return f"{database.name}.{table}.{column}"


def _column_text(database: Database, table: Table, column: Column) -> str:
    # Prose first: it embeds better than a list of fields (measured by retrieval on BIRD train).
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
    # The names say no more than a guess at the reason, which would only thin out one that somebody wrote.
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
    """The node descriptors of a database: one text a column, in table then column order.

    Each holds the readable name, the description where known, the canonical name ``db.table.column``, the declared
    type and whether the column is a key (section 3.1, items i to iv of a node descriptor).
    """
    return [_column_text(database, table, column) for table in database for column in table.columns]


def join_descriptors(database: Database) -> list[str]:
    """The edge descriptors of a database: one text for each of ``database.joins``, in that order.

    Each holds the canonical names of both ends, the edge type and why the two columns are related (section 3.1,
    items i to iii of an edge descriptor): the description of the join where it has one, else what the names tell.
    """
    return [_join_text(database, join) for join in database.joins]


def table_descriptors(database: Database) -> list[str]:
    """One text a table, in table order: its name, its database, its description and its first 40 columns."""
    return [_table_text(database, table) for table in database]


def descriptors(databases: Sequence[Database]) -> list[list[str]]:
    """All texts that are embedded: a list for the columns of each database, then for its joins, then for its tables."""
    return [
        describe(database)
        for describe in (column_descriptors, join_descriptors, table_descriptors)
        for database in databases
    ]


def split_table_descriptor(text: str) -> tuple[str, list[str]] | None:
    """The title and the column names of a text that :func:`table_descriptors` made, or ``None`` of any other."""
    title, found, columns = text.rpartition(_COLUMNS)
    return (title, columns.split(", ")) if found and title.startswith("table ") else None


def table_titles(database: Database) -> list[str]:
    """The readable name of each table, in table order."""
    return [_natural(table) for table in database]


def table_documents(database: Database) -> list[str]:
    """The words of each table, in table order, for methods that match words rather than vectors.

    Each holds the readable name of the table three times, that of its database and the beginning of the table's
    description once, and the names of its columns with the beginning of their descriptions.
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
