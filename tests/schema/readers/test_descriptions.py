import json
import logging
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, Table
from joingr_pyg.schema.readers.descriptions import describe, read_descriptions
from joingr_pyg.schema.readers.tables_json import read_tables_json

SHOP = Database(
    "shop",
    (
        Table("Orders", (Column("id"), Column("ID"), Column("Total ", description="as declared"))),
        Table("orders ", (Column("id"),)),
    ),
)


def test_names_match_exactly_then_loosely() -> None:
    texts = {
        "shop": {"ORDERS": {"Id": "loose"}, "Orders": {"ID": " upper ", "id": "lower", "total": "sum", "Id": "no"}}
    }
    (shop,) = describe([SHOP], {**texts, "other": {"x": {"y": "z"}}})
    assert [column.description for column in shop["Orders"].columns] == ["lower", "upper", "sum"]
    assert [column.description for column in shop["orders "].columns] == [""]


def test_the_given_databases_stay_as_they_are() -> None:
    describe([SHOP], {"shop": {"Orders": {"id": "changed"}}})
    assert SHOP["Orders"].columns[0].description == ""


def test_a_column_without_a_text_keeps_what_it_had() -> None:
    assert describe([SHOP], {}) == (SHOP,)


def test_unmatched_descriptions_are_counted_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    texts = {"shop": {"Orders": {"id": "lower", "gone": "x"}, "Gone": {"a": "x", "b": "x"}}, "other": {"t": {"c": "x"}}}
    with caplog.at_level(logging.INFO):
        describe([SHOP], texts)
    assert [record.getMessage() for record in caplog.records] == [
        "Ignored 3 column description(s) that name no column of the schema."
    ]


@pytest.mark.parametrize("content", [[], {"shop": []}, {"shop": {"Orders": "x"}}, {"shop": {"Orders": {"id": None}}}])
def test_a_malformed_file_is_refused(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "column_descriptions.json"
    path.write_text(json.dumps(content))
    with pytest.raises(
        JoinGRError, match=r"column_descriptions\.json' is not \{database: \{table: \{column: text\}\}\}"
    ):
        read_descriptions(path)


@pytest.mark.parametrize(
    ("benchmark", "tables", "columns"),
    [("bird", "dev/dev_tables.json", 798), ("bird", "train/train_tables.json", 3575), ("spider", "tables.json", 4503)],
)
def test_the_real_descriptions_reach_every_column(benchmarks: Path, benchmark: str, tables: str, columns: int) -> None:
    texts = read_descriptions(benchmarks / benchmark / "column_descriptions.json")
    databases = describe(read_tables_json(benchmarks / benchmark / tables), texts)
    described = [bool(column.description) for database in databases for table in database for column in table.columns]
    assert len(described) == columns
    assert sum(described) >= columns - 2
