"""``joingr remember FOLDER ANSWERED``: add answered questions to an index, so that similar ones profit."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from joingr_pyg.cli.ask.arguments import quiet_logs
from joingr_pyg.errors import JoinGRError

SHAPE = '{"question": ..., "tables": [...]}'
"""What a line of a file of answered questions holds."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder that joingr index wrote")
    parser.add_argument("answered", type=Path, metavar="ANSWERED", help=f"file of JSON lines {SHAPE}")


def run(arguments: Namespace) -> None:
    """Run the command.

    Raises:
        JoinGRError: If the input is bad, in one sentence; the index then stays as it was.
    """
    questions, tables = read_answered(arguments.answered)
    quiet_logs()
    # Importing torch takes more than a second, which bad arguments need not wait for.
    from joingr_pyg.retrieval import TableRetriever

    retriever = TableRetriever.load(arguments.folder)
    retriever.remember(questions, tables)
    retriever.save(arguments.folder)
    print(f"{len(questions):,} answered questions were added to {arguments.folder}.")


def read_answered(path: Path) -> tuple[list[str], list[list[str | tuple[str, str]]]]:
    """Read a file of answered questions.

    Returns:
        The questions, and the tables that each of them needed; a table of several databases is written as a list of
        database and table.

    Raises:
        JoinGRError: If the file cannot be read, holds no question, or a line is not of the shape :data:`SHAPE`.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise JoinGRError(f"The file '{path}' cannot be read ({reason}): give a file of JSON lines {SHAPE}.") from error
    questions: list[str] = []
    tables: list[list[str | tuple[str, str]]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            answer = json.loads(line)
            question, names = answer["question"], answer["tables"]
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise JoinGRError(f"Line {number} of '{path}' is not of the shape {SHAPE}: correct it.") from error
        if not isinstance(question, str) or not isinstance(names, list) or not names:
            raise JoinGRError(f"Line {number} of '{path}' is not of the shape {SHAPE}: correct it.")
        questions.append(question)
        tables.append([name if isinstance(name, str) else _database_and_table(name, number, path) for name in names])
    if not questions:
        raise JoinGRError(f"The file '{path}' holds no answered question: add lines {SHAPE}.")
    return questions, tables


def _database_and_table(name: object, number: int, path: Path) -> tuple[str, str]:
    if isinstance(name, list) and len(name) == 2 and all(isinstance(part, str) for part in name):
        return name[0], name[1]
    raise JoinGRError(f"Line {number} of '{path}' names the table {name!r:.60}: write its name, or [database, table].")
