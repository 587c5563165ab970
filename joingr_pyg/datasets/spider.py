"""Spider (Yu et al., 2018): cross-domain questions on small databases."""

from pathlib import Path

from joingr_pyg.datasets.assembly import RawQuestion, assemble, require_choice
from joingr_pyg.datasets.benchmark import Benchmark
from joingr_pyg.schema import Database
from joingr_pyg.schema.readers.descriptions import describe, read_descriptions
from joingr_pyg.schema.readers.json_file import read_records
from joingr_pyg.schema.readers.tables_json import read_tables_json

QUESTIONS = {"train": "train_spider.json", "dev": "dev.json"}
"""The questions file of each split."""

FIELDS = {"question": str, "db_id": str, "query": str}
"""Required fields of an entry of a questions file."""


def read_spider(root: str | Path, split: str, *, strict: bool = False, descriptions: bool = False) -> Benchmark:
    """Read a split of Spider, with the databases of its questions only.

    :func:`read_spider_databases` reads all 166 databases.

    Args:
        root: The folder with ``tables.json``, ``train_spider.json`` and ``dev.json``.
        split: ``"train"`` or ``"dev"``.
        strict: Raise at the first question that cannot be resolved, instead of dropping it.
        descriptions: Attach ``column_descriptions.json``, which is not part of Spider.

    Raises:
        JoinGRError: If there is no such split, or a file is missing or malformed. In strict mode, if a question
            cannot be resolved.
    """
    require_choice("split of spider", split, QUESTIONS)
    records = read_records(Path(root) / QUESTIONS[split], FIELDS)
    used = {record["db_id"] for record in records}
    databases = read_spider_databases(root, descriptions=descriptions)
    return assemble(
        "spider",
        split,
        [database for database in databases if database.name in used],
        (RawQuestion(record["question"], record["db_id"], record["query"]) for record in records),
        dialect="sqlite",
        strict=strict,
    )


def read_spider_databases(root: str | Path, *, descriptions: bool = False) -> tuple[Database, ...]:
    """Read the databases of all splits of Spider. Arguments and errors are those of :func:`read_spider`."""
    databases = read_tables_json(Path(root) / "tables.json")
    if descriptions:
        databases = describe(databases, read_descriptions(Path(root) / "column_descriptions.json"))
    return databases
