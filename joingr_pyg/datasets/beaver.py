"""BEAVER (Chen et al., 2024a): questions on enterprise data warehouses, with annotated gold tables and joins."""

import logging
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from joingr_pyg.datasets.assembly import RawQuestion, assemble, require_choice
from joingr_pyg.datasets.benchmark import Benchmark
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database
from joingr_pyg.schema.names.glossary import read_words, with_words
from joingr_pyg.schema.readers.beaver import SEPARATOR, read_beaver_tables, resolve_joins
from joingr_pyg.schema.readers.json_file import read_records

logger = logging.getLogger(__name__)

NAMES = {"dw": "beaver", "nw": "beaver_nw"}
"""The name of the benchmark of each part."""

WORDS = "beaver_words.json"
"""The bundled words file of the data warehouse."""

LEVELS = ("none", "names", "full")
"""How much of the words file is used: nothing; abbreviations and table descriptions; all descriptions."""

FIELDS = {"question": str, "db_id": str, "sql": str}
"""Required fields of an entry of a questions file."""


def read_beaver(root: str | Path, part: str, *, strict: bool = False, words: str = "none") -> Benchmark:
    """Read a part of BEAVER. Neither part has a train and a test split.

    Gold tables and joins are the annotated ones. If a question has no annotated gold tables, they are the tables that
    its SQL reads. An annotated join of a column that is not in the schema is skipped with a warning.

    Args:
        root: The folder with ``dev_tables.json``, ``dw_join_keys.json`` and ``dev_dw.json`` or ``dev_nw.json``.
        part: ``"dw"``, the data warehouse, or ``"nw"``, the five databases of a network.
        strict: Raise at the first question that cannot be resolved, instead of dropping it.
        words: How much of the bundled words file is used, one of :data:`LEVELS`. There is no such file for the
            network.

    Raises:
        JoinGRError: If there is no such part or level, or a file is missing or malformed (``dev_nw.json`` is not
            in every release). In strict mode, if a question cannot be resolved.
    """
    require_choice("part of beaver", part, NAMES)
    require_choice(f"level of words of beaver {part}", words, LEVELS if part == "dw" else LEVELS[:1])
    root = Path(root)
    questions = root / f"dev_{part}.json"
    if part == "nw" and not questions.is_file():
        raise JoinGRError(
            f"BEAVER's questions on its network databases are not at '{questions}'; not every release has them: "
            f"put 'dev_nw.json' there, or use dataset=beaver, the data warehouse."
        )
    records = read_records(questions, FIELDS)
    databases = read_beaver_tables(root / "dev_tables.json", root / "dw_join_keys.json" if part == "dw" else None)
    databases = tuple(database for database in databases if (database.name == "dw") == (part == "dw"))
    if words != "none":
        glossary = read_words(Path(str(files("joingr_pyg.datasets") / WORDS)))
        used = glossary if words == "full" else glossary.without_columns_and_joins
        databases = tuple(with_words(database, used, strict=False) for database in databases)
    by_name = {database.name: database for database in databases}
    raw_questions = [_raw_question(index, record, by_name.get(record["db_id"])) for index, record in enumerate(records)]
    return assemble(NAMES[part], "dev", databases, raw_questions, dialect="mysql", strict=strict)


def _raw_question(index: int, record: Mapping[str, Any], database: Database | None) -> RawQuestion:
    joins, unknown = resolve_joins(record.get("join_keys") or (), database) if database else ((), [])
    if unknown:
        logger.warning("A gold join of BEAVER question %d is skipped: there is no column %r.", index, unknown[0])
    # A table of another database keeps its prefix, so it is reported as missing from this database.
    tables = (table.removeprefix(f"{record['db_id']}{SEPARATOR}") for table in record.get("gold_tables") or ())
    return RawQuestion(record["question"], record["db_id"], record["sql"], tuple(tables), joins)
