import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from joingr_pyg.datasets.bird import read_bird
from joingr_pyg.errors import JoinGRError

TABLES = [
    {
        "db_id": "shop",
        "table_names_original": ["items"],
        "column_names_original": [[-1, "*"], [0, "id "]],
        "primary_keys": [],
        "foreign_keys": [],
    }
]
QUESTIONS = [
    {"question": "How many?", "db_id": "shop", "SQL": "SELECT count(*) FROM `Items`", "evidence": ""},
    {"question": "How many shops?", "db_id": "shops", "SQL": "SELECT count(*) FROM items"},
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "dev_tables.json").write_text(json.dumps(TABLES))
    (tmp_path / "dev" / "dev.json").write_text(json.dumps(QUESTIONS))
    return tmp_path


def test_a_split_is_read_from_its_folder(root: Path) -> None:
    bird = read_bird(root, "dev")
    assert (bird.name, bird.split) == ("bird", "dev")
    assert [(question.text, question.gold) for question in bird.questions] == [("How many?", (("shop", "items"),))]
    assert [dropped.index for dropped in bird.dropped] == [1]
    assert bird.databases[0]["items"].columns[0].description == ""


def test_descriptions_in_the_folder_are_attached_by_default(root: Path) -> None:
    (root / "column_descriptions.json").write_text('{"shop": {"items": {"id": "number of the item"}}}')
    assert read_bird(root, "dev").databases[0]["items"].columns[0].description == "number of the item"
    assert read_bird(root, "dev", descriptions=False).databases[0]["items"].columns[0].description == ""


def test_strict_mode_names_the_question(root: Path) -> None:
    with pytest.raises(JoinGRError, match=r"Question 1 of bird dev.*'shops'"):
        read_bird(root, "dev", strict=True)


@pytest.mark.parametrize("file", ["dev.json", "dev_tables.json"])
def test_a_missing_file_is_named(root: Path, file: str) -> None:
    (root / "dev" / file).unlink()
    with pytest.raises(JoinGRError, match=f"'{file}' is missing.*JOINGR_DATA"):
        read_bird(root, "dev")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"bird/dev/dev_tables\.json"):
        read_bird(tmp_path / "bird", "dev")


def test_a_truncated_file_is_named(root: Path) -> None:
    path = root / "dev" / "dev.json"
    path.write_text(path.read_text()[:60])
    with pytest.raises(JoinGRError, match=r"dev\.json' is truncated"):
        read_bird(root, "dev")


def test_an_unknown_split_is_refused(root: Path) -> None:
    shutil.copytree(root / "dev", root / "test")
    with pytest.raises(JoinGRError, match="There is no split of bird 'test'"):
        read_bird(root, "test")


def test_the_real_dev_split(benchmarks: Path) -> None:
    bird = read_bird(benchmarks / "bird", "dev", strict=True)
    assert len(bird.questions) == 1534
    sizes = [len(question.gold_tables) for question in bird.questions]
    assert round(sum(sizes) / len(sizes), 2) == 1.93
    assert len({name for question in bird.questions for name in question.gold}) == 75
    first = bird.questions[0]
    assert (first.database, first.gold_tables) == ("california_schools", ("frpm",))


def test_the_real_train_split_lacks_three_tables(benchmarks: Path) -> None:
    bird = read_bird(benchmarks / "bird", "train")
    assert (len(bird.questions), len(bird.dropped)) == (9068, 24)
    assert Counter(dropped.reason.split("'")[1] for dropped in bird.dropped) == {
        "Order Details": 19,
        "EmployeeTerritories": 1,
        "PersonPhone": 4,
    }
