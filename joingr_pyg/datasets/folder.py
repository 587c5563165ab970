"""A user's own benchmark: a folder with schemas and questions."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from joingr_pyg.datasets.assembly import RawQuestion, assemble
from joingr_pyg.datasets.benchmark import Benchmark
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database
from joingr_pyg.schema.names.glossary import read_words
from joingr_pyg.schema.preparation import Preparation
from joingr_pyg.schema.readers.ddl import read_ddl_report
from joingr_pyg.schema.readers.schema_json import read_schema_json
from joingr_pyg.schema.sql.parsing import sql_dialect

SCHEMAS = ("schema.json", "schema.sql", "schema.ddl", "schema.sqlite", "schema.db")
"""Possible names of the schema file, in order of precedence."""

DEFAULT_DIALECT = "sqlite"
"""Dialect of SQL if neither the caller nor the schema names one."""

QUESTIONS = "questions.jsonl"
WORDS = "words.json"

SHAPE = '{"question": ..., "sql": ...} or {"question": ..., "tables": [...]}, with "bridge": [...] where known'
"""Format of a line of a questions file."""


def read_folder(
    path: str | Path,
    *,
    name: str | None = None,
    words: bool = True,
    expand_names: bool = True,
    dialect: str | None = None,
    strict: bool = False,
) -> Benchmark:
    """Read a benchmark from the folder of a database, or from a folder of such folders.

    The folder of a database contains:

    - the schema: ``schema.json`` (:data:`~joingr_pyg.schema.readers.schema_json.SHAPE`), ``schema.sql`` or
      ``schema.ddl`` (DDL), ``schema.sqlite`` or ``schema.db`` (an SQLite file);
    - ``questions.jsonl``: one JSON object per line (:data:`SHAPE`). If a question lists no ``tables``, its gold tables
      are those that its ``sql`` reads;
    - optionally ``words.json``, a words file (:func:`~joingr_pyg.schema.names.glossary.read_words`).

    Args:
        path: The folder.
        name: Name of the benchmark. The default is the name of the folder.
        words: Whether words files are used.
        expand_names: Whether common abbreviations in names are expanded.
        dialect: Name of the sqlglot dialect of DDL and SQL. The default is the dialect of the schema file, or SQLite.
        strict: Raise at the first question that cannot be resolved, instead of dropping it.

    Raises:
        JoinGRError: If the folder or a file is missing or malformed. In strict mode, if a question cannot be resolved.
    """
    path = Path(path)
    databases: list[Database] = []
    questions: list[RawQuestion] = []
    for folder in database_folders(path):
        database, own_dialect = _schema(folder, dialect)
        preparation = Preparation(
            expand_names, read_words(folder / WORDS) if words and (folder / WORDS).is_file() else None
        )
        databases += preparation([replace(database, name=folder.resolve().name)], strict=True)
        questions += _raw_questions(folder, own_dialect)
    return assemble(name or path.resolve().name, "all", databases, questions, DEFAULT_DIALECT, strict)


def database_folders(path: Path) -> list[Path]:
    """The folders of a benchmark that contain a schema: ``path`` itself, or folders in it.

    Raises:
        JoinGRError: If there is no such folder.
    """
    if not path.is_dir():
        raise JoinGRError(f"There is no folder '{path}': give the folder of a benchmark with dataset.path=<folder>.")
    candidates = [path, *sorted(child for child in path.iterdir() if child.is_dir())]
    folders = [folder for folder in candidates if _schema_file(folder) is not None]
    if not folders:
        raise JoinGRError(
            f"There is no schema in the folder '{path}' or in a folder of it: name it {' or '.join(SCHEMAS)}."
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


def _raw_questions(folder: Path, dialect: str) -> Iterator[RawQuestion]:
    file = folder / QUESTIONS
    if not file.is_file():
        raise JoinGRError(f"The folder '{folder}' has a schema but no {QUESTIONS}: add one object per line, {SHAPE}.")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise JoinGRError(f"The questions file '{file}' cannot be read ({why}): correct it.") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            record = _parse_record(line, f"Line {number} of '{file}'")
            yield RawQuestion(
                record["question"],
                folder.resolve().name,
                record.get("sql") or "",
                tuple(record.get("tables") or ()),
                bridge_tables=tuple(record.get("bridge") or ()),
                dialect=dialect,
            )


def _parse_record(line: str, where: str) -> Mapping[str, Any]:
    """Parse and check one line of a questions file."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise JoinGRError(f"{where} is not JSON ({error}): write {SHAPE}.") from error
    if not isinstance(record, dict) or not isinstance(record.get("question"), str):
        raise JoinGRError(f"{where} has no text at 'question': write {SHAPE}.")
    for key, kind in (("sql", str), ("tables", list), ("bridge", list)):
        value = record.get(key)
        if value is not None and not isinstance(value, kind):
            raise JoinGRError(f"{where} has a value of type {type(value).__name__} at {key!r}: write {SHAPE}.")
        if isinstance(value, list) and (other := next((name for name in value if not isinstance(name, str)), "")) != "":
            raise JoinGRError(f"{where} has {other!r:.40}, which is no name, at {key!r}: write {SHAPE}.")
    if not record.get("tables") and not record.get("sql"):
        raise JoinGRError(f"{where} has neither 'tables' nor 'sql', so its gold tables are unknown: write {SHAPE}.")
    return record
