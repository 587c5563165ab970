"""A retriever of a command line's source: an index of ``joingr index``, the URL of a database, or schema files."""

import logging
import re
from argparse import ArgumentParser, Namespace
from pathlib import Path

from joingr_pyg.errors import JoinGRError
from joingr_pyg.retrieval import TableRetriever
from joingr_pyg.retrieval.saving import is_saved_retriever
from joingr_pyg.schema import Database
from joingr_pyg.schema.joins.few_keys import InferJoins
from joingr_pyg.schema.joins.given import read_joins
from joingr_pyg.schema.names.glossary import read_words
from joingr_pyg.schema.preparation import Preparation
from joingr_pyg.terminal import PlainFormatter

_URL = re.compile(r"[a-z][\w+]*://", re.IGNORECASE)

INFER_JOINS: dict[str, InferJoins] = {"auto": "auto", "always": True, "never": False}
"""The choices of ``--infer-joins``, as :class:`TableRetriever` takes them."""

SQLITE_SUFFIXES = (".sqlite", ".sqlite3", ".db", ".db3")
SQLITE_HEADER = b"SQLite format 3\0"


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


def open_retriever(arguments: Namespace) -> TableRetriever:
    """The retriever of a source.

    Raises:
        JoinGRError: If the source cannot be read, or an option does not fit its kind.
    """
    source = arguments.source
    if is_saved_retriever(source):
        _refuse(arguments, "a folder of joingr index", "dialect", "words", "include", "exclude", "views", "joins")
        return TableRetriever.load(source)
    joins, infer = arguments.joins or (), INFER_JOINS[arguments.infer_joins]
    if url := _database_url(source):
        _refuse(arguments, "a database", "dialect")
        return TableRetriever.from_database(
            url,
            include=patterns(arguments.include),
            exclude=patterns(arguments.exclude),
            views=arguments.views,
            words=arguments.words,
            joins=joins,
            infer_joins=infer,
        )
    _refuse(arguments, "a file", "include", "exclude")
    return TableRetriever.from_ddl(
        _files(source),
        dialect=arguments.dialect,
        views=arguments.views,
        words=arguments.words,
        joins=joins,
        infer_joins=infer,
    )


def read_schemas(arguments: Namespace) -> tuple[tuple[Database, ...], tuple[str, ...]]:
    """The schemas of a source as they would be indexed, without embedding anything.

    Returns:
        The schemas, and what the reader has to say of them, a line each.

    Raises:
        JoinGRError: As :func:`open_retriever`.
    """
    from joingr_pyg.retrieval.saving import read_retriever

    if is_saved_retriever(arguments.source):
        return read_retriever(arguments.source).databases, ()
    prepare = Preparation(
        words=None if arguments.words is None else read_words(arguments.words),
        joins=read_joins(arguments.joins or ()),
        infer_joins=INFER_JOINS[arguments.infer_joins],
    )
    database, notes = read_schema(arguments)
    return prepare((database,), strict=True), notes


def read_schema(arguments: Namespace) -> tuple[Database, tuple[str, ...]]:
    """The schema of a database or of files as it is read, without words and further joins.

    Returns:
        The schema, and what the reader has to say of it, a line each.

    Raises:
        JoinGRError: As :func:`open_retriever`, and for a folder of ``joingr index``.
    """
    from joingr_pyg.schema.readers.ddl import read_ddl_report
    from joingr_pyg.schema.readers.live import read_database

    source = arguments.source
    if is_saved_retriever(source):
        raise JoinGRError(f"'{source}' is a folder of joingr index: give the schema that it was made of.")
    if url := _database_url(source):
        _refuse(arguments, "a database", "dialect")
        database = read_database(
            url,
            include=patterns(arguments.include),
            exclude=patterns(arguments.exclude),
            views=arguments.views,
        )
        return database, ()
    _refuse(arguments, "a file", "include", "exclude")
    reading = read_ddl_report(_files(source), None, arguments.dialect, views=arguments.views)
    notes = [f"Read as {reading.dialect}: {reading.summary()}.", *reading.warnings, *reading.left_out]
    notes += [str(statement) for statement in reading.not_understood]
    if not reading.database.joins and len(reading.database.tables) > 1:
        notes.append(reading.without_joins())
    return reading.database, tuple(notes)


def quiet_logs() -> None:
    """Show only warnings of the package, without the names of its modules."""
    handler = logging.StreamHandler()
    handler.setFormatter(PlainFormatter("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def _database_url(source: str) -> str | None:
    """The URL that a source is, or that of an SQLite file that it names."""
    if _URL.match(source):
        return source
    path = Path(source)
    if path.is_file() and (path.suffix.lower() in SQLITE_SUFFIXES or _starts_as_sqlite(path)):
        return f"sqlite:///{path}"
    return None


def _starts_as_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE_HEADER)) == SQLITE_HEADER


def _files(source: str) -> Path | list[Path]:
    if Path(source).exists() or "," not in source:
        return Path(source)
    return [Path(name.strip()) for name in source.split(",") if name.strip()]


def patterns(given: str | None) -> list[str] | None:
    """The parts of an option that takes several, separated by commas."""
    return None if given is None else [pattern.strip() for pattern in given.split(",") if pattern.strip()]


def _refuse(arguments: Namespace, kind: str, *options: str) -> None:
    for option in options:
        if getattr(arguments, option):
            raise JoinGRError(f"'--{option}' has no meaning for {kind}: leave it out.")
