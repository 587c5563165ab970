import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.readers.beaver import read_beaver_tables, resolve_joins


def table(columns: list[str], types: list[str] | None = None, **keys: Any) -> dict[str, Any]:
    return {"column_names_original": columns, "column_types": types or ["int"] * len(columns), **keys}


def reference(column: str, target: str, referenced: str) -> dict[str, str]:
    return {"column_name": column, "referenced_table_name": target, "referenced_column_name": referenced}


def read(tmp_path: Path, content: Any, join_keys: Any = None) -> tuple[Database, ...]:
    (tmp_path / "dev_tables.json").write_text(json.dumps(content))
    if join_keys is None:
        return read_beaver_tables(tmp_path / "dev_tables.json")
    (tmp_path / "dw_join_keys.json").write_text(json.dumps(join_keys))
    return read_beaver_tables(tmp_path / "dev_tables.json", tmp_path / "dw_join_keys.json")


def test_keys_and_types_are_read_from_the_tables(tmp_path: Path) -> None:
    content = {
        "d#sep#a": table(["id"], ["int NOT NULL AUTO_INCREMENT"]),
        "d#sep#b": table(["a_id", "n"], primary_key=["n"], foreign_key=[reference("a_id", "d#sep#a", "id")]),
        "e#sep#a": table(["id"]),
    }
    assert read(tmp_path, content) == (
        Database(
            "d",
            (Table("a", (Column("id", "int"),)), Table("b", (Column("a_id", "int"), Column("n", "int")), ("n",))),
            (ForeignKey("b", "a_id", "a", "id"),),
        ),
        Database("e", (Table("a", (Column("id", "int"),)),)),
    )


@pytest.mark.parametrize(
    ("key", "missing"),
    [
        (reference("a_id", "d#sep#gone", "id"), "'gone'.'id'"),
        (reference("a_id", "d#sep#a", "gone"), "'a'.'gone'"),
        (reference("gone", "d#sep#a", "id"), "'b'.'gone'"),
        (reference("a_id", "e#sep#a", "id"), "'e#sep#a'.'id'"),
    ],
)
def test_a_foreign_key_to_an_unknown_column_is_skipped_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, key: dict[str, str], missing: str
) -> None:
    content = {"d#sep#a": table(["id"]), "d#sep#b": table(["a_id"], foreign_key=[key]), "e#sep#a": table(["id"])}
    with caplog.at_level(logging.WARNING):
        databases = read(tmp_path, content)
    assert databases[0].foreign_keys == ()
    assert f"database 'd' is skipped: there is no column {missing}" in caplog.text


def test_the_warehouse_gets_its_joins_from_the_join_keys(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    content = {"dw#sep#A": table(["K"]), "dw#sep#B": table(["A_K"]), "nw#sep#A": table(["K"])}
    warehouse, network = read(tmp_path, content, [["A.K", "b.a_k"], ["B.A_K", "A.K"], ["A.K", "C.K"]])
    assert warehouse.joins == (ForeignKey("A", "K", "B", "A_K"),)
    assert warehouse.keys == {("A", "K"), ("B", "A_K")}
    assert network.joins == ()
    assert "there is no column 'C.K'" in caplog.text


def test_a_dot_within_a_name_does_not_split_it() -> None:
    database = Database("d", (Table("a.b", (Column("c"), Column("d.e"))), Table("a", (Column("x"),))))
    joins, unknown = resolve_joins([("a.b.c", "A.B.D.E"), ("a.x", "a.b.x")], database)
    assert joins == ((("a.b", "c"), ("a.b", "d.e")),)
    assert unknown == ["a.b.x"]


@pytest.mark.parametrize(
    "content",
    [
        ["d#sep#a"],
        {"a": table(["id"])},
        {"d#sep#a": {"column_names_original": ["id"]}},
        {"d#sep#a": table(["id", "x"], ["int"])},
        {"d#sep#a": table(["id", "id"])},
        {"d#sep#a": None},
    ],
)
def test_a_malformed_file_is_named(tmp_path: Path, content: Any) -> None:
    with pytest.raises(JoinGRError, match=re.escape(str(tmp_path / "dev_tables.json"))):
        read(tmp_path, content)


@pytest.mark.parametrize("pairs", [[["A.K"]], [[1, 2]], {"A.K": "B.K"}, 3])
def test_malformed_join_keys_are_named(tmp_path: Path, pairs: Any) -> None:
    with pytest.raises(JoinGRError, match=r"dw_join_keys\.json' is not a list of column pairs"):
        read(tmp_path, {"dw#sep#A": table(["K"])}, pairs)


def test_the_real_warehouse_has_the_counts_of_table_1(benchmarks: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = benchmarks / "beaver"
    databases = read_beaver_tables(folder / "dev_tables.json", folder / "dw_join_keys.json")
    assert {database.name: len(database.tables) for database in databases} == {
        "csail_stata_nova": 109,
        "csail_stata_glance": 20,
        "csail_stata_neutron": 175,
        "csail_stata_cinder": 25,
        "keystone": 37,
        "dw": 97,
    }
    warehouse = databases[-1]
    assert sum(len(table.columns) for table in warehouse) == 1530
    assert len(warehouse.foreign_keys) == 1034
    assert len(warehouse.joins) == 197
    assert {join.table != join.referenced_table for join in warehouse.joins} == {True}
    assert [len(database.joins) for database in databases[:-1]] == [25, 17, 163, 18, 19]
    assert not any(" NULL" in column.type for database in databases for table in database for column in table.columns)
    assert not caplog.records
