"""Spider (Yu et al., 2018): cross-domain questions on small databases."""

from pathlib import Path

from joingr_pyg.datasets.assembly import Asked, assemble, require
from joingr_pyg.datasets.benchmark import Benchmark
from joingr_pyg.schema import Database
from joingr_pyg.schema.readers.descriptions import describe, read_descriptions
from joingr_pyg.schema.readers.json_file import read_records
from joingr_pyg.schema.readers.tables_json import read_tables_json

QUESTIONS = {"train": "train_spider.json", "dev": "dev.json"}
"""The questions file of each split."""

FIELDS = {"question": str, "db_id": str, "query": str}
"""What an entry of a questions file must hold."""


def read_spider(root: str | Path, split: str, *, strict: bool = False, descriptions: bool = False) -> Benchmark:
    """Read a split of Spider, with the databases that its questions ask of.

    All 166 databases are what :func:`read_spider_databases` gives.

    Args:
        root: The folder with ``tables.json``, ``train_spider.json`` and ``dev.json``.
        split: ``"train"`` or ``"dev"``.
        strict: Raise at the first question that cannot be resolved, rather than dropping it.
        descriptions: Attach ``column_descriptions.json``, which is no part of Spider.

    Raises:
        JoinGRError: If there is no such split, or a file is missing or malformed; in strict mode, if a
            question cannot be resolved.
    """
    require("split of spider", split, QUESTIONS)
    records = read_records(Path(root) / QUESTIONS[split], FIELDS)
    asked_of = {record["db_id"] for record in records}
    databases = read_spider_databases(root, descriptions=descriptions)
    return assemble(
        "spider",
        split,
        [database for database in databases if database.name in asked_of],
        (Asked(record["question"], record["db_id"], record["query"]) for record in records),
        dialect="sqlite",
        strict=strict,
    )


def read_spider_databases(root: str | Path, *, descriptions: bool = False) -> tuple[Database, ...]:
    """Read all databases of Spider, those of every split; arguments and errors as :func:`read_spider`."""
    databases = read_tables_json(Path(root) / "tables.json")
    if descriptions:
        databases = describe(databases, read_descriptions(Path(root) / "column_descriptions.json"))
    return databases
