"""A retriever of a command line's source: an index of ``joingr index``, the URL of a database, or schema files."""

import re
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from joingr_pyg.cli.ask.arguments import patterns
from joingr_pyg.errors import JoinGRError
from joingr_pyg.retrieval.manifest import is_saved_retriever
from joingr_pyg.schema import Database

if TYPE_CHECKING:
    from joingr_pyg.retrieval import TableRetriever
    from joingr_pyg.schema.joins.few_keys import InferJoins

_URL = re.compile(r"[a-z][\w+]*://", re.IGNORECASE)

INFER_JOINS: "dict[str, InferJoins]" = {"auto": "auto", "always": True, "never": False}
"""The choices of ``--infer-joins``, as a retriever takes them."""

SQLITE_SUFFIXES = (".sqlite", ".sqlite3", ".db", ".db3")
SQLITE_HEADER = b"SQLite format 3\0"


def open_retriever(arguments: Namespace, *, keep: bool = False) -> "TableRetriever":
    """The retriever of a source.

    Args:
        arguments: The arguments of :func:`~joingr_pyg.cli.ask.arguments.add_source`.
        keep: Whether the index of a file is kept for the next time (:mod:`joingr_pyg.cli.ask.kept_indexes`).

    Raises:
        JoinGRError: If the source cannot be read, or an option does not fit its kind.
    """
    # Importing torch takes more than a second, which bad arguments need not wait for.
    from joingr_pyg.retrieval import TableRetriever

    source = arguments.source
    if is_saved_retriever(source):
        _refuse(arguments, "a folder of joingr index", "dialect", "words", "include", "exclude", "views", "joins")
        return TableRetriever.load(source)
    url = _database_url(source)
    if url is None:
        _refuse(arguments, "a file", "include", "exclude")
    else:
        _refuse(arguments, "a database", "dialect")

    def read() -> TableRetriever:
        common = {
            "views": arguments.views,
            "words": arguments.words,
            "joins": arguments.joins or (),
            "infer_joins": INFER_JOINS[arguments.infer_joins],
        }
        if url is None:
            return TableRetriever.from_ddl(_files(source), dialect=arguments.dialect, **common)
        include, exclude = patterns(arguments.include), patterns(arguments.exclude)
        return TableRetriever.from_database(url, include=include, exclude=exclude, **common)

    if not keep or _URL.match(source):
        return read()
    from joingr_pyg.cli.ask.kept_indexes import kept_or_made

    files = _files(source)
    return kept_or_made(arguments, [files] if isinstance(files, Path) else files, read, sqlite=url is not None)


def read_schemas(arguments: Namespace) -> tuple[tuple[Database, ...], tuple[str, ...]]:
    """The schemas of a source as they would be indexed, without embedding anything.

    Returns:
        The schemas, and what the reader has to say of them, a line each.

    Raises:
        JoinGRError: As :func:`open_retriever`.
    """
    from joingr_pyg.schema.joins.given import read_joins
    from joingr_pyg.schema.names.glossary import read_words
    from joingr_pyg.schema.preparation import Preparation

    if is_saved_retriever(arguments.source):
        # Importing torch takes more than a second, which reading a schema need not wait for.
        from joingr_pyg.retrieval.saving import read_retriever

        return read_retriever(arguments.source).databases, ()
    prepare = Preparation(
        expand_names=True,
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


def _refuse(arguments: Namespace, kind: str, *options: str) -> None:
    for option in options:
        if getattr(arguments, option):
            raise JoinGRError(f"'--{option}' has no meaning for {kind}: leave it out.")
