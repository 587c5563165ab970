"""The arguments that name a source and say how its schema is read. Nothing here takes time to import."""

import logging
from argparse import ArgumentParser
from pathlib import Path

from joingr_pyg.terminal import PlainFormatter

INFER_JOINS = ("auto", "always", "never")
"""The choices of ``--infer-joins``."""


def add_source(parser: ArgumentParser, *, indexed: bool = True, prepared: bool = True) -> None:
    """Add the arguments that name a source and say how its schema is read.

    Args:
        parser: The parser of a command.
        indexed: Whether a folder of ``joingr index`` is a source too.
        prepared: Whether the command takes words and inferred joins, beside the schema as it is read.
    """
    folder = ", or a folder that joingr index wrote" if indexed else ""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help=f"a file of SQL statements, several separated by commas, an SQLite file, the URL of a database{folder}",
    )
    options = parser.add_argument_group("reading the schema")
    options.add_argument("--dialect", metavar="NAME", help="SQL dialect of the files; recognised where not given")
    if prepared:
        options.add_argument("--words", type=Path, metavar="FILE", help="words file that says what names stand for")
    options.add_argument("--include", metavar="PATTERNS", help="tables to read, such as 'sales.*,customer*'")
    options.add_argument("--exclude", metavar="PATTERNS", help="tables to leave out, such as '*_bak'")
    options.add_argument("--views", action="store_true", help="views compete as tables do")
    options.add_argument("--joins", type=Path, metavar="FILE", help="file of further joins, such as 'a.x = b.y' a line")
    if not prepared:
        return
    options.add_argument(
        "--infer-joins",
        choices=INFER_JOINS,
        default="auto",
        help="infer joins from names and types: where few keys are declared (auto, the default), always or never",
    )


def patterns(given: str | None) -> list[str] | None:
    """The parts of an option that takes several, separated by commas."""
    return None if given is None else [pattern.strip() for pattern in given.split(",") if pattern.strip()]


def quiet_logs() -> None:
    """Show only warnings of the package, without the names of its modules."""
    handler = logging.StreamHandler()
    handler.setFormatter(PlainFormatter("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
