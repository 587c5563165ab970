"""The texts of columns, joins and tables that the frozen encoder embeds (section 3.1 of the paper).

Every function is a pure template over a :class:`~joingr_pyg.schema.Database`. Whatever is derived from a text is
keyed by the text itself, so changing a template never serves stale embeddings.
"""

import re

from joingr_pyg.schema import Column, Database, ForeignKey, Table

TABLE_COLUMNS = 40
"""How many column names the text of a table lists at most."""

DOCUMENT_NAME_WEIGHT = 3
"""How often the name of a table stands in its document, so that its words count more than those of a column."""

DOCUMENT_DESCRIPTION_LENGTH = 200
"""How many characters of a column's description enter the document of its table."""

DESCRIPTION_LENGTH = 250
"""How many characters of a description enter the text of a column; encoders cut long texts at their end."""

_WORD_BOUNDARY = re.compile(
    r"[\s_]+"  # snake_case
    r"|(?<=[^\W\d_A-Z])(?=[A-Z])"  # camelCase
    r"|(?<=[A-Z\d])(?=[A-Z][a-z])"  # the end of an acronym or a number: IDNumber, line2Total
)


def readable_name(name: str) -> str:
    """Split a ``snake_case``, ``camelCase`` or ``UPPER_CASE`` name into lower-case words.

    Names in scripts without letter case stay as they are. A name without any word is ``"unnamed"``.
    """
    return " ".join(word for word in _WORD_BOUNDARY.split(name) if word).lower() or "unnamed"


def _natural(item: Column | Table) -> str:
    return readable_name(item.natural_name or item.name)


def _canonical(database: Database, table: str, column: str) -> str:
    return f"{database.name}.{table}.{column}"


def _column_text(database: Database, table: Table, column: Column) -> str:
    # Prose first: it embeds better than a list of fields (measured by retrieval on BIRD train).
    sentences = [f"The {_natural(column)} of a {_natural(table)} in {readable_name(database.name)}"]
    if description := " ".join(column.description.split())[:DESCRIPTION_LENGTH].rstrip(". "):
        sentences.append(description)
    key = "key" if (table.name, column.name) in database.keys else ""
    facts = [_canonical(database, table.name, column.name), column.type.lower(), key]
    sentences.append(f"Column {', '.join(fact for fact in facts if fact)}")
    return ". ".join(sentences) + "."


def _join_text(database: Database, join: ForeignKey) -> str:
    left, right = database[join.table], database[join.referenced_table]
    left_column = _natural(left.columns[left.column_names.index(join.column)])
    right_column = _natural(right.columns[right.column_names.index(join.referenced_column)])
    return (
        f"Join of {_canonical(database, join.table, join.column)} "
        f"with {_canonical(database, join.referenced_table, join.referenced_column)}. "
        f"The {left_column} of a {_natural(left)} is the {right_column} of a {_natural(right)}, "
        f"which links {_natural(left)} with {_natural(right)}."
    )


def column_descriptors(database: Database) -> list[str]:
    """The node descriptors of a database: one text a column, in table then column order.

    Each holds the readable name, the description where known, the canonical name ``db.table.column``, the declared
    type and whether the column is a key (section 3.1, items i to iv of a node descriptor).
    """
    return [_column_text(database, table, column) for table in database for column in table.columns]


def join_descriptors(database: Database) -> list[str]:
    """The edge descriptors of a database: one text for each of ``database.joins``, in that order.

    Each holds the canonical names of both ends, the edge type and why the two columns are related (section 3.1,
    items i to iii of an edge descriptor).
    """
    return [_join_text(database, join) for join in database.joins]


def table_descriptors(database: Database) -> list[str]:
    """One text a table, in table order: its name, its database and its first 40 columns."""
    return [
        f"table {table.name} in database {database.name}; "
        f"columns: {', '.join(_natural(column) for column in table.columns[:TABLE_COLUMNS])}"
        for table in database
    ]


def split_table_descriptor(text: str) -> tuple[str, list[str]] | None:
    """The title and the column names of a text that :func:`table_descriptors` made, or ``None`` of any other."""
    title, found, columns = text.partition("; columns: ")
    return (title, columns.split(", ")) if found and title.startswith("table ") else None


def table_documents(database: Database) -> list[str]:
    """The words of each table, in table order, for methods that match words rather than vectors.

    Each holds the readable name of the table three times, that of its database once, and those of its columns with
    the beginning of their descriptions.
    """
    return [
        " ".join(
            [_natural(table)] * DOCUMENT_NAME_WEIGHT
            + [readable_name(database.name)]
            + [_natural(column) for column in table.columns]
            + [" ".join(column.description.split())[:DOCUMENT_DESCRIPTION_LENGTH] for column in table.columns]
        ).rstrip()
        for table in database
    ]
