"""``joingr schema SOURCE``: what was read of a schema, where each join comes from, and what was not understood."""

import json
from argparse import ArgumentParser, Namespace

from rich.table import Table

from joingr_pyg.cli.ask.arguments import add_source, quiet_logs
from joingr_pyg.cli.ask.source import read_schemas
from joingr_pyg.runs.comparison import show
from joingr_pyg.schema import Database, ForeignKey
from joingr_pyg.terminal import cell, terminal_text


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_source(parser)
    parser.add_argument("--json", action="store_true", help="print tables, columns and joins as JSON")


def run(arguments: Namespace) -> None:
    """Run the command.

    Raises:
        JoinGRError: If the input is bad, in one sentence.
    """
    quiet_logs()
    databases, notes = read_schemas(arguments)
    if arguments.json:
        print(json.dumps({"databases": [_plain(database) for database in databases], "notes": list(notes)}, indent=1))
        return
    for database in databases:
        _print(database)
    for note in notes:
        print(terminal_text(note))


def _print(database: Database) -> None:
    table = Table(title=cell(database.name), title_justify="left")
    for name in ("table", "columns", "primary key", "joins", "description"):
        table.add_column(name, overflow="fold", justify="right" if name == "columns" else "left")
    for one in database:
        joins = [join for join in database.joins if one.name == join.table]
        cells = [
            one.name,
            str(len(one.columns)),
            ", ".join(one.primary_key),
            "\n".join(map(_join_text, joins)),
            one.description,
        ]
        table.add_row(*map(cell, cells))
    show(table)
    columns = sum(len(one.columns) for one in database)
    sources = dict.fromkeys(("declared", "given", "inferred", "mined"), 0)
    for join in database.joins:
        sources[join.source] += 1
    counted = ", ".join(f"{count} {source}" for source, count in sources.items() if count) or "none"
    print(f"{len(database.tables):,} tables, {columns:,} columns, joins: {counted}.")


def _join_text(join: ForeignKey) -> str:
    """A join, and where it comes from if the schema does not declare it."""
    text = f"{join.column} = {join.referenced_table}.{join.referenced_column}"
    if join.source == "declared":
        return text
    confidence = f", confidence {join.confidence:.2f}" if join.confidence < 1 else ""
    return f"{text} ({join.source}{confidence}{': ' if join.evidence else ''}{join.evidence})"


def _plain(database: Database) -> dict[str, object]:
    return {
        "name": database.name,
        "tables": [
            {
                "name": table.name,
                "description": table.description,
                "primary_key": list(table.primary_key),
                "columns": [
                    {"name": column.name, "type": column.type, "description": column.description}
                    for column in table.columns
                ],
            }
            for table in database
        ],
        "joins": [
            {"join": str(join), "source": join.source, "confidence": join.confidence, "evidence": join.evidence}
            for join in database.joins
        ],
    }
