"""The demo benchmark that comes with the package: ten databases, one of them a warehouse with cryptic names."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from joingr_pyg.datasets.assembly import Asked, assemble, require
from joingr_pyg.datasets.benchmark import Benchmark
from joingr_pyg.schema.readers.ddl import read_ddl
from joingr_pyg.schema.readers.json_file import read_records

WAREHOUSE = "utility_dw"
"""The database that both splits ask of; its questions say which split they belong to."""

DATABASES = {
    "train": ("bike_share", "film_festival", "museum_loans", "vet_clinic", "vineyard", WAREHOUSE),
    "test": ("coffee_trade", "library_network", "mountain_rescue", "observatory", WAREHOUSE),
}
"""The databases of each split."""

FIELDS = {"question": str, "sql": str}
"""What an entry of a questions file must hold."""


def read_demo(split: str, *, strict: bool = False) -> Benchmark:
    """Read a split of the demo benchmark from the package.

    A question's index counts the questions of the split, database by database.

    Args:
        split: ``"train"`` or ``"test"``.
        strict: Raise at the first question that cannot be resolved, rather than dropping it.

    Raises:
        JoinGRError: If there is no such split.
    """
    require("split of demo", split, DATABASES)
    folder = files("joingr_pyg.datasets") / "demo"
    databases = [
        read_ddl((folder / name / "schema.sql").read_text(encoding="utf-8"), name) for name in DATABASES[split]
    ]
    asked = (each for name in DATABASES[split] for each in _asked(folder / name, name, split))
    return assemble("demo", split, databases, asked, dialect="sqlite", strict=strict)


def _asked(folder: Traversable, database: str, split: str) -> Iterator[Asked]:
    for record in read_records(folder / "questions.json", FIELDS):
        if record.get("split", split) == split:
            yield Asked(record["question"], database, record["sql"])
