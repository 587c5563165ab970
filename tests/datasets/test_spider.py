import json
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.datasets.spider import read_spider, read_spider_databases
from joingr_pyg.errors import JoinGRError


def tables(name: str) -> dict[str, Any]:
    return {
        "db_id": name,
        "table_names_original": ["city", "sqlite_sequence"],
        "column_names_original": [[-1, "*"], [0, "id"], [1, "seq"]],
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    questions = [
        {"question": "How many?", "db_id": "world", "query": "SELECT count(*) FROM city"},
        {"question": "What?", "db_id": "gone", "query": "SELECT 1 FROM city"},
    ]
    (tmp_path / "tables.json").write_text(json.dumps([tables("asia"), tables("world")]))
    (tmp_path / "dev.json").write_text(json.dumps(questions))
    (tmp_path / "column_descriptions.json").write_text('{"world": {"city": {"id": "number of the city"}}}')
    return tmp_path


def test_a_split_has_only_the_databases_of_its_questions(root: Path) -> None:
    spider = read_spider(root, "dev")
    assert (spider.name, spider.split) == ("spider", "dev")
    assert [database.name for database in spider.databases] == ["world"]
    assert [question.gold for question in spider.questions] == [(("world", "city"),)]
    assert [(dropped.index, dropped.database) for dropped in spider.dropped] == [(1, "gone")]


def test_all_databases_can_be_read(root: Path) -> None:
    assert [database.name for database in read_spider_databases(root)] == ["asia", "world"]


def test_descriptions_are_attached_only_on_request(root: Path) -> None:
    assert read_spider(root, "dev").databases[0]["city"].columns[0].description == ""
    described = read_spider(root, "dev", descriptions=True)
    assert described.databases[0]["city"].columns[0].description == "number of the city"


def test_strict_mode_names_the_question(root: Path) -> None:
    with pytest.raises(JoinGRError, match=r"Question 1 of spider dev.*'gone'"):
        read_spider(root, "dev", strict=True)


def test_the_train_split_has_its_own_file(root: Path) -> None:
    with pytest.raises(JoinGRError, match=r"'train_spider\.json' is missing"):
        read_spider(root, "train")


def test_an_unknown_split_is_refused(root: Path) -> None:
    with pytest.raises(JoinGRError, match="There is no split of spider 'test': choose 'train' or 'dev'"):
        read_spider(root, "test")


def test_the_real_dev_split(benchmarks: Path) -> None:
    spider = read_spider(benchmarks / "spider", "dev", strict=True)
    assert len(spider.questions) == 1034
    sizes = [len(question.gold_tables) for question in spider.questions]
    assert round(sum(sizes) / len(sizes), 2) == 1.51
    assert len(spider.databases) == 20
    assert sum(len(database.joins) for database in spider.databases) == 64
    assert sum(len(database.tables) for database in spider.databases) == 81
    assert sum(len(table.columns) for database in spider.databases for table in database) == 441


def test_the_real_train_split_lacks_one_table(benchmarks: Path) -> None:
    spider = read_spider(benchmarks / "spider", "train")
    assert (len(spider.databases), len(spider.questions)) == (139, 6986)
    assert [(dropped.index, dropped.database) for dropped in spider.dropped] == [(3145, "assets_maintenance")]
    assert "'Ref_Company_Types'" in spider.dropped[0].reason
    assert len(read_spider_databases(benchmarks / "spider")) == 166
