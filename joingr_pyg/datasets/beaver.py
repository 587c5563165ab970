"""BEAVER (Chen et al., 2024a): questions on enterprise warehouses, with annotated gold tables and joins."""

import logging
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from joingr_pyg.datasets.assembly import Asked, assemble, require
from joingr_pyg.datasets.benchmark import Benchmark
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database
from joingr_pyg.schema.names.glossary import read_words, with_words
from joingr_pyg.schema.readers.beaver import SEPARATOR, read_beaver_tables, resolve_joins
from joingr_pyg.schema.readers.json_file import read_records

logger = logging.getLogger(__name__)

NAMES = {"dw": "beaver", "nw": "beaver_nw"}
"""The benchmark's name for each part."""

WORDS = "beaver_words.json"
"""The words of the data warehouse, a file of this package."""

LEVELS = ("none", "names", "full")
"""How much of them is used: nothing; abbreviations and what tables hold; columns and joins too."""

FIELDS = {"question": str, "db_id": str, "sql": str}
"""What an entry of a questions file must hold."""


def read_beaver(root: str | Path, part: str, *, strict: bool = False, words: str = "none") -> Benchmark:
    """Read a part of BEAVER; neither is divided into training and test questions.

    Gold tables and joins are the annotated ones; where a question has no gold tables, they are those its SQL reads. An
    annotated join of a column that the schema lacks is left out with a warning.

    Args:
        root: The folder with ``dev_tables.json``, ``dw_join_keys.json`` and ``dev_dw.json`` or ``dev_nw.json``.
        part: ``"dw"``, the data warehouse, or ``"nw"``, the five databases of a network.
        strict: Raise at the first question that cannot be resolved, rather than dropping it.
        words: How much is used of the words that come with this package, one of :data:`LEVELS`; there are none of the
            network.

    Raises:
        JoinGRError: If there is no such part or level, or a file is missing or malformed (``dev_nw.json`` is not
            in every release); in strict mode, if a question cannot be resolved.
    """
    require("part of beaver", part, NAMES)
    require(f"level of words of beaver {part}", words, LEVELS if part == "dw" else LEVELS[:1])
    root = Path(root)
    questions = root / f"dev_{part}.json"
    if part == "nw" and not questions.is_file():
        raise JoinGRError(
            f"BEAVER's questions on its network databases are not at '{questions}': not every release holds them; "
            f"put 'dev_nw.json' there, or use dataset=beaver, the data warehouse."
        )
    records = read_records(questions, FIELDS)
    databases = read_beaver_tables(root / "dev_tables.json", root / "dw_join_keys.json" if part == "dw" else None)
    databases = tuple(database for database in databases if (database.name == "dw") == (part == "dw"))
    if words != "none":
        written = read_words(Path(str(files("joingr_pyg.datasets") / WORDS)))
        databases = tuple(with_words(each, written if words == "full" else written.of_names) for each in databases)
    by_name = {database.name: database for database in databases}
    asked = [_asked(index, record, by_name.get(record["db_id"])) for index, record in enumerate(records)]
    return assemble(NAMES[part], "dev", databases, asked, dialect="mysql", strict=strict)


def _asked(index: int, record: Mapping[str, Any], database: Database | None) -> Asked:
    joins, unknown = resolve_joins(record.get("join_keys") or (), database) if database else ((), [])
    if unknown:
        logger.warning("A gold join of BEAVER question %d is left out: there is no column %r.", index, unknown[0])
    # A table of another database keeps its prefix and is reported as one that this database lacks.
    tables = (table.removeprefix(f"{record['db_id']}{SEPARATOR}") for table in record.get("gold_tables") or ())
    return Asked(record["question"], record["db_id"], record["sql"], tuple(tables), joins)
