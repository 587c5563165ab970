"""The bundled demo benchmark: ten databases, one of them a warehouse with cryptic names."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from joingr_pyg.datasets.assembly import RawQuestion, assemble, require_choice
from joingr_pyg.datasets.benchmark import Benchmark
from joingr_pyg.schema.readers.ddl import read_ddl
from joingr_pyg.schema.readers.json_file import read_records

WAREHOUSE = "utility_dw"
"""The database that belongs to both splits; each of its questions names its split."""

DATABASES = {
    "train": ("bike_share", "film_festival", "museum_loans", "vet_clinic", "vineyard", WAREHOUSE),
    "test": ("coffee_trade", "library_network", "mountain_rescue", "observatory", WAREHOUSE),
}
"""The databases of each split."""

FIELDS = {"question": str, "sql": str}
"""Required fields of an entry of a questions file."""


def read_demo(split: str, *, strict: bool = False) -> Benchmark:
    """Read a split of the demo benchmark from the package.

    Questions are numbered within the split, database by database.

    Args:
        split: ``"train"`` or ``"test"``.
        strict: Raise at the first question that cannot be resolved, instead of dropping it.

    Raises:
        JoinGRError: If there is no such split. In strict mode, if a question cannot be resolved.
    """
    require_choice("split of demo", split, DATABASES)
    folder = files("joingr_pyg.datasets") / "demo"
    databases = [
        read_ddl((folder / name / "schema.sql").read_text(encoding="utf-8"), name) for name in DATABASES[split]
    ]
    questions = (question for name in DATABASES[split] for question in _raw_questions(folder / name, name, split))
    return assemble("demo", split, databases, questions, dialect="sqlite", strict=strict)


def _raw_questions(folder: Traversable, database: str, split: str) -> Iterator[RawQuestion]:
    for record in read_records(folder / "questions.json", FIELDS):
        if record.get("split", split) == split:
            yield RawQuestion(record["question"], database, record["sql"])
