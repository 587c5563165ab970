"""A benchmark in a folder: schemas and questions that somebody wrote for databases of their own."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from joingr_pyg.datasets.assembly import Asked, assemble
from joingr_pyg.datasets.benchmark import Benchmark
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database
from joingr_pyg.schema.names.glossary import read_words
from joingr_pyg.schema.preparation import Preparation
from joingr_pyg.schema.readers.ddl import read_ddl_report
from joingr_pyg.schema.readers.schema_json import read_schema_json
from joingr_pyg.schema.sql.parsing import sql_dialect

SCHEMAS = ("schema.json", "schema.sql", "schema.ddl", "schema.sqlite", "schema.db")
"""Names of a schema file, in the order in which they are looked for."""

DEFAULT_DIALECT = "sqlite"
"""Dialect of SQL where neither the caller nor the schema names one."""

QUESTIONS = "questions.jsonl"
WORDS = "words.json"

SHAPE = '{"question": ..., "sql": ...} or {"question": ..., "tables": [...]}, with "bridge": [...] where known'
"""What a line of a questions file holds."""


def read_folder(
    path: str | Path,
    *,
    name: str | None = None,
    words: bool = True,
    expand_names: bool = True,
    dialect: str | None = None,
    strict: bool = False,
) -> Benchmark:
    """Read a benchmark from a folder, or from a folder of such folders, one a database.

    A database is a folder with

    - its schema: ``schema.json`` (:data:`~joingr_pyg.schema.readers.schema_json.SHAPE`), ``schema.sql`` or
      ``schema.ddl`` (DDL), ``schema.sqlite`` or ``schema.db`` (an SQLite file);
    - ``questions.jsonl``: one JSON object a line (:data:`SHAPE`). Where a question lists no ``tables``, its gold tables
      are those that its ``sql`` reads;
    - ``words.json``, where there is one: a words file
      (:func:`~joingr_pyg.schema.names.glossary.read_words`).

    Args:
        path: The folder.
        name: Name of the benchmark; that of the folder where not given.
        words: Whether words files are used.
        expand_names: Whether common abbreviations in names are spelt out.
        dialect: Name of the sqlglot dialect of DDL and SQL; where not given, that of the schema file, else SQLite.
        strict: Raise at the first question that cannot be resolved, rather than dropping it.

    Raises:
        JoinGRError: If the folder or a file is missing or malformed; in strict mode, if a question cannot be resolved.
    """
    path = Path(path)
    databases: list[Database] = []
    questions: list[Asked] = []
    for folder in database_folders(path):
        database, own_dialect = _schema(folder, dialect)
        preparation = Preparation(
            expand_names, read_words(folder / WORDS) if words and (folder / WORDS).is_file() else None
        )
        databases += preparation([replace(database, name=folder.resolve().name)], strict=True)
        questions += _questions(folder, own_dialect)
    return assemble(name or path.resolve().name, "all", databases, questions, DEFAULT_DIALECT, strict)


def database_folders(path: Path) -> list[Path]:
    """The folders of a benchmark that hold a schema: ``path`` itself, or folders in it.

    Raises:
        JoinGRError: If there is none.
    """
    if not path.is_dir():
        raise JoinGRError(f"There is no folder '{path}': give the folder of a benchmark with dataset.path=<folder>.")
    candidates = [path, *sorted(child for child in path.iterdir() if child.is_dir())]
    folders = [folder for folder in candidates if _schema_file(folder) is not None]
    if not folders:
        raise JoinGRError(
            f"No schema lies in the folder '{path}' or in a folder of it: name it {' or '.join(SCHEMAS)}."
        )
    return folders


def benchmark_files(path: Path) -> list[Path]:
    """The files of a benchmark that :func:`read_folder` reads."""
    files = []
    for folder in database_folders(path):
        schema = _schema_file(folder)
        files += [file for file in (schema, folder / QUESTIONS, folder / WORDS) if file is not None and file.is_file()]
    return files


def _schema_file(folder: Path) -> Path | None:
    return next((folder / name for name in SCHEMAS if (folder / name).is_file()), None)


def _schema(folder: Path, dialect: str | None) -> tuple[Database, str]:
    """The schema of a database, and the dialect of its SQL."""
    file = _schema_file(folder)
    assert file is not None
    if file.suffix == ".json":
        database, own_dialect = read_schema_json(file)
        return database, dialect or sql_dialect(own_dialect) or DEFAULT_DIALECT
    if file.suffix in (".sqlite", ".db"):
        from joingr_pyg.schema.readers.live import read_database

        return read_database(f"sqlite:///{file}"), dialect or DEFAULT_DIALECT
    reading = read_ddl_report(file, folder.resolve().name, dialect)
    return reading.database, reading.dialect


def _questions(folder: Path, dialect: str) -> Iterator[Asked]:
    file = folder / QUESTIONS
    if not file.is_file():
        raise JoinGRError(f"The folder '{folder}' has a schema but no {QUESTIONS}: add one object a line, {SHAPE}.")
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if line.strip():
            question = _question(line, f"Line {number} of '{file}'")
            yield Asked(
                question["question"],
                folder.resolve().name,
                question.get("sql") or "",
                tuple(question.get("tables") or ()),
                bridge_tables=tuple(question.get("bridge") or ()),
                dialect=dialect,
            )


def _question(line: str, where: str) -> Mapping[str, Any]:
    """One line of a questions file, checked."""
    try:
        question = json.loads(line)
    except ValueError as error:
        raise JoinGRError(f"{where} is not JSON ({error}): write {SHAPE}.") from error
    if not isinstance(question, dict) or not isinstance(question.get("question"), str):
        raise JoinGRError(f"{where} has no text at 'question': write {SHAPE}.")
    for part, kind in (("sql", str), ("tables", list), ("bridge", list)):
        value = question.get(part)
        if value is not None and not isinstance(value, kind):
            raise JoinGRError(f"{where} has a value of type {type(value).__name__} at {part!r}: write {SHAPE}.")
    if not question.get("tables") and not question.get("sql"):
        raise JoinGRError(f"{where} has neither 'tables' nor 'sql', so its gold tables are unknown: write {SHAPE}.")
    return question
