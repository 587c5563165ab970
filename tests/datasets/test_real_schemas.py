"""The published schemas, where the data folder holds them."""

import os
from pathlib import Path

import pytest

from joingr_pyg.datasets.folder import read_folder

ROOT = Path(os.environ.get("JOINGR_DATA", "")) / "real_schemas"

pytestmark = pytest.mark.skipif(
    "JOINGR_DATA" not in os.environ or not ROOT.is_dir(), reason="JOINGR_DATA names no folder with real_schemas"
)


def test_all_schemas_and_questions_are_read() -> None:
    benchmark = read_folder(ROOT, words=False, expand_names=False)
    assert len(benchmark.databases) == 17
    assert sum(len(database.tables) for database in benchmark.databases) == 2_410
    assert (len(benchmark.questions), benchmark.dropped) == (369, ())
    assert sum(bool(question.bridge_tables) for question in benchmark.questions) == 183
