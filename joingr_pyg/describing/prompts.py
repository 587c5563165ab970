"""What a language model is asked about tables: instructions, the schema of the tables, and the shape of the answer.

Nothing here reads rows: a request holds names, types, keys and the comments of the schema.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from joingr_pyg.schema import Database, Table

LINE_WORDS = 22
"""Maximum number of words in the line of a table."""

COLUMN_WORDS = 8
"""Maximum number of words on a column."""

JOIN_WORDS = 12
"""Maximum number of words on a join."""

MOST_COLUMNS = 200
"""Columns of a table that are shown; of a wider table the others are counted."""

NEIGHBOUR_COLUMNS = 12
"""Columns of a neighbouring table that are named."""

COMMENT_LENGTH = 200
"""Characters of a comment that are shown."""

INSTRUCTIONS = f"""\
You describe the tables of a database, so that a search finds the tables that a question of a business user needs. You \
see the schema alone. Write in English, in plain text.

For every table to describe:
- "line": one line of at most {LINE_WORDS} words that says what one row is, in the everyday words of a business \
user, with the usual synonyms. Of a table that links others, say what it connects; of an audit, history, log or \
temporary table, that it is one, and of what; of a dictionary (a list of types, codes, statuses), what it lists. No \
two lines may be alike: name what tells similar tables apart. Do not begin with "table of" or "stores", and do not \
only repeat the name.
- "columns": only those columns whose name does not speak for itself and that somebody would ask for, each with at \
most {COLUMN_WORDS} words that say what it holds. Leave out all others; the list is often empty.
"""

EDGE_PURPOSES = f"""\
- "joins": each join that is listed with the table, written as it is there, with at most {JOIN_WORDS} words that say \
why the two are related, such as "customer who placed the order".
"""

ABBREVIATIONS = """
Then, in "abbreviations", the abbreviations in the names of these tables and columns that mean the same throughout the \
schema, each with what it stands for in a few words. Leave out words that are no abbreviations, and what you can only \
guess.
"""


def instructions(edge_purposes: bool) -> str:
    """What every request begins with."""
    return f"{INSTRUCTIONS}{EDGE_PURPOSES if edge_purposes else ''}{ABBREVIATIONS}\nAnswer with JSON only."


def answer_shape(edge_purposes: bool) -> dict[str, Any]:
    """JSON schema of an answer: lists of objects, since strict endpoints refuse keys that are not known before."""
    parts = {"table": _TEXT, "line": _TEXT, "columns": _list(column=_TEXT, words=_TEXT)}
    if edge_purposes:
        parts["joins"] = _list(join=_TEXT, words=_TEXT)
    return _object(tables=_list(**parts), abbreviations=_list(abbreviation=_TEXT, meaning=_TEXT))


_TEXT = {"type": "string"}


def _object(**parts: Any) -> dict[str, Any]:
    return {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}


def _list(**parts: Any) -> dict[str, Any]:
    return {"type": "array", "items": _object(**parts)}


def messages(
    database: Database,
    batch: Sequence[Table],
    *,
    related: Database,
    lines: Mapping[str, str],
    edge_purposes: bool = True,
    faults: Mapping[str, str] | None = None,
) -> list[dict[str, str]]:
    """The messages of a request.

    Args:
        database: The schema.
        batch: The tables to describe.
        related: The schema with inferred joins as well, which tell more neighbours.
        lines: The lines of tables that are known already, for neighbours.
        edge_purposes: Whether joins are described too.
        faults: What was wrong with earlier answers, by table.
    """
    names = {table.name for table in batch}
    pairs = [(join.table, join.referenced_table) for join in related.joins]
    near = {name for pair in pairs if names & set(pair) for name in pair} - names
    neighbours = [_neighbour(table, lines) for table in database if table.name in near]
    parts = [f"Database: {database.name}", "Tables to describe:"]
    parts += [table_text(database, table) for table in batch]
    if neighbours:
        parts.append("\n".join(["Tables that they are joined with, not to be described:", *neighbours]))
    if wrong := [f"- {table.name}: {faults[table.name]}" for table in batch if faults and table.name in faults]:
        parts.append("\n".join(["An earlier answer was of no use. Correct this:", *wrong]))
    return [
        {"role": "system", "content": instructions(edge_purposes)},
        {"role": "user", "content": "\n\n".join(parts)},
    ]


LINE_EXAMPLES = {
    "customer (id, name, city, since)": "a person or firm that buys from us, also called client or buyer",
    "order_line (order_id, product_id, quantity)": "one product on an order, and how many of it were ordered",
    "hr_emp_hist (emp_id, changed_at, old_salary)": "history of the salaries of employees: one change of one salary",
}
"""Lines that show a small model what is wanted: what a table looks like, and what is said of it."""


def line_messages(table: Table) -> list[dict[str, str]]:
    """The messages of a request for the line of one table as plain text, for a model that fails at JSON."""
    examples = [f"{shown}: {line}" for shown, line in LINE_EXAMPLES.items()]
    columns = ", ".join(table.column_names[:NEIGHBOUR_COLUMNS])
    return [
        {
            "role": "system",
            "content": f"You say what a row of a table is, in one line of at most {LINE_WORDS} everyday words. "
            "Complete the last line, and write nothing else.",
        },
        {"role": "user", "content": "\n".join([*examples, f"{table.name} ({columns}):"])},
    ]


def table_text(database: Database, table: Table) -> str:
    """A table as a request shows it: its columns with types, keys and comments, and its joins."""
    lines = [f"Table {table.name}{_comment(table.description)}"]
    for column in table.columns[:MOST_COLUMNS]:
        key = " primary key" if column.name in table.primary_key else ""
        lines.append(f"  {column.name} {column.type}".rstrip() + key + _comment(column.description))
    if len(table.columns) > MOST_COLUMNS:
        lines.append(f"  and {len(table.columns) - MOST_COLUMNS} columns more")
    joins = [f"  {join}" for join in database.joins if join.table == table.name]
    return "\n".join([*lines, *(["Joins:", *joins] if joins else [])])


def _neighbour(table: Table, lines: Mapping[str, str]) -> str:
    said = lines.get(table.name) or " ".join(table.description.split())[:COMMENT_LENGTH]
    columns = ", ".join(table.column_names[:NEIGHBOUR_COLUMNS])
    return f"- {table.name} ({columns}{', …' if len(table.columns) > NEIGHBOUR_COLUMNS else ''}){_comment(said)}"


def _comment(text: str) -> str:
    text = " ".join(text.split())[:COMMENT_LENGTH]
    return f": {text}" if text else ""
