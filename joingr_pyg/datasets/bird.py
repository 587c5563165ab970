"""BIRD (Li et al., 2023): questions on databases with dirty values, with column descriptions."""

from pathlib import Path

from joingr_pyg.datasets.assembly import RawQuestion, assemble, require_choice
from joingr_pyg.datasets.benchmark import Benchmark
from joingr_pyg.schema.readers.descriptions import describe, read_descriptions
from joingr_pyg.schema.readers.json_file import read_records
from joingr_pyg.schema.readers.tables_json import read_tables_json

SPLITS = ("train", "dev")
"""The splits with public questions."""

FIELDS = {"question": str, "db_id": str, "SQL": str}
"""Required fields of an entry of a questions file."""


def read_bird(root: str | Path, split: str, *, strict: bool = False, descriptions: bool = True) -> Benchmark:
    """Read a split of BIRD.

    Args:
        root: The folder with ``dev/dev.json``, ``dev/dev_tables.json``, the same for ``train``, and optionally
            ``column_descriptions.json``.
        split: ``"train"`` or ``"dev"``.
        strict: Raise at the first question that cannot be resolved, instead of dropping it.
        descriptions: Attach the column descriptions if their file exists.

    Raises:
        JoinGRError: If there is no such split, or a file is missing or malformed. In strict mode, if a question
            cannot be resolved.
    """
    require_choice("split of bird", split, SPLITS)
    root = Path(root)
    databases = read_tables_json(root / split / f"{split}_tables.json")
    texts = root / "column_descriptions.json"
    if descriptions and texts.is_file():
        databases = describe(databases, read_descriptions(texts))
    records = read_records(root / split / f"{split}.json", FIELDS)
    questions = (RawQuestion(record["question"], record["db_id"], record["SQL"]) for record in records)
    return assemble("bird", split, databases, questions, dialect="sqlite", strict=strict)
