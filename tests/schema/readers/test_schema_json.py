import json
from pathlib import Path

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.readers.schema_json import read_schema_json


def write(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content))
    return path


def test_tables_keys_and_comments(tmp_path: Path) -> None:
    path = write(
        tmp_path / "schema.json",
        {
            "name": "shop",
            "dialect": "postgresql",
            "note": "ignored",
            "tables": {
                "customers": {"columns": [["id", "int", "number"]], "primary_key": ["id"], "comment": "people who buy"},
                "orders": {"columns": ["id", ["customer_id", "int"]]},
            },
            "foreign_keys": [[["orders", "customer_id"], ["customers", "id"]]],
        },
    )
    database, dialect = read_schema_json(path)
    assert dialect == "postgresql"
    assert database == Database(
        "shop",
        (
            Table("customers", (Column("id", "int", description="number"),), ("id",), description="people who buy"),
            Table("orders", (Column("id"), Column("customer_id", "int"))),
        ),
        (ForeignKey("orders", "customer_id", "customers", "id"),),
    )


def test_the_default_name_is_that_of_the_file(tmp_path: Path) -> None:
    database, dialect = read_schema_json(write(tmp_path / "shop.json", {"tables": {"t": {"columns": ["a"]}}}))
    assert (database.name, dialect) == ("shop", "")


@pytest.mark.parametrize(
    "content",
    [
        [],
        {},
        {"tables": []},
        {"tables": {"t": ["a"]}},
        {"tables": {"t": {"columns": [[]]}}},
        {"tables": {"t": {"columns": ["a"]}}, "foreign_keys": [["t", "a"]]},
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, content: object) -> None:
    with pytest.raises(JoinGRError, match=r"schema file '.*schema\.json' is malformed .*write \{"):
        read_schema_json(write(tmp_path / "schema.json", content))
