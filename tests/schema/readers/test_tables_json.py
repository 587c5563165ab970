import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.readers.tables_json import read_tables_json


def entry(**changes: Any) -> dict[str, Any]:
    """Two tables, columns 1 to 3 in the first and 4 to 5 in the second."""
    return {
        "db_id": "school",
        "table_names_original": ["Pupil", "Takes"],
        "table_names": ["pupil", "takes course"],
        "column_names_original": [[-1, "*"], [0, "id"], [0, "name "], [0, "Best"], [1, "pupil"], [1, "course"]],
        "column_names": [[-1, "*"], [0, "id"], [0, "name"], [0, "best friend"], [1, "pupil id"], [1, "course"]],
        "column_types": ["text", "number", "text", "number", "number", "text"],
        "primary_keys": [1],
        "foreign_keys": [[4, 1]],
        **changes,
    }


def read(tmp_path: Path, *entries: Any) -> tuple[Database, ...]:
    path = tmp_path / "tables.json"
    path.write_text(json.dumps(entries))
    return read_tables_json(path)


def test_an_entry_becomes_a_database_with_its_exact_and_its_natural_names(tmp_path: Path) -> None:
    assert read(tmp_path, entry()) == (
        Database(
            "school",
            (
                Table(
                    "Pupil",
                    (
                        Column("id", "number", "id"),
                        Column("name ", "text", "name"),
                        Column("Best", "number", "best friend"),
                    ),
                    ("id",),
                    "pupil",
                ),
                Table(
                    "Takes",
                    (Column("pupil", "number", "pupil id"), Column("course", "text", "course")),
                    (),
                    "takes course",
                ),
            ),
            (ForeignKey("Takes", "pupil", "Pupil", "id"),),
        ),
    )


def test_members_of_a_nested_primary_key_are_all_keys(tmp_path: Path) -> None:
    (school,) = read(tmp_path, entry(primary_keys=[1, [4, 5]], foreign_keys=[]))
    assert school["Pupil"].primary_key == ("id",)
    assert school["Takes"].primary_key == ("pupil", "course")
    assert school.keys == {("Pupil", "id"), ("Takes", "pupil"), ("Takes", "course")}


def test_a_repeated_foreign_key_stays_as_declared_and_is_one_join(tmp_path: Path) -> None:
    (school,) = read(tmp_path, entry(foreign_keys=[[4, 1], [4, 1], [3, 1]]))
    assert [key.table for key in school.foreign_keys] == ["Takes", "Takes", "Pupil"]
    assert school.joins == (ForeignKey("Takes", "pupil", "Pupil", "id"), ForeignKey("Pupil", "Best", "Pupil", "id"))


@pytest.mark.parametrize("pair", [[0, 1], [1, -1], [6, 1], [1, 99], [4, 4]])
def test_a_pair_that_joins_no_two_columns_is_skipped_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, pair: list[int]
) -> None:
    with caplog.at_level(logging.WARNING):
        (school,) = read(tmp_path, entry(foreign_keys=[pair, [4, 1]]))
    assert school.foreign_keys == (ForeignKey("Takes", "pupil", "Pupil", "id"),)
    assert f"The foreign key {pair} of database 'school'" in caplog.text


def test_sqlite_s_own_table_is_read_like_any_other(tmp_path: Path) -> None:
    names = ["Pupil", "sqlite_sequence"]
    (school,) = read(tmp_path, entry(table_names_original=names, table_names=names))
    assert school["sqlite_sequence"].column_names == ("pupil", "course")
    assert school.foreign_keys == (ForeignKey("sqlite_sequence", "pupil", "Pupil", "id"),)


def test_a_table_without_columns_is_left_out_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    names = {"table_names_original": ["Pupil", "Takes", "Empty"], "table_names": ["pupil", "takes", "empty"]}
    (school,) = read(tmp_path, entry(**names))
    assert [table.name for table in school] == ["Pupil", "Takes"]
    assert "Table 'Empty' of database 'school' has no columns" in caplog.text


def test_columns_that_differ_in_letter_case_alone_are_two(tmp_path: Path) -> None:
    columns = [[-1, "*"], [0, "id"], [0, "ID"], [0, "Id"], [1, "pupil"], [1, "course"]]
    (school,) = read(tmp_path, entry(column_names_original=columns))
    assert school["Pupil"].column_names == ("id", "ID", "Id")


def test_readable_names_types_and_keys_may_be_left_out(tmp_path: Path) -> None:
    bare = entry()
    for optional in ("table_names", "column_names", "column_types", "primary_keys", "foreign_keys"):
        del bare[optional]
    (school,) = read(tmp_path, bare)
    assert school["Takes"] == Table(
        "Takes", (Column("pupil", "", "pupil"), Column("course", "", "course")), (), "Takes"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"column_names_original": [[-1, "*"], [0, "id"], [0, "id"]], "column_names": [], "column_types": []}, "twice"),
        ({"column_types": ["text"]}, "malformed"),
        ({"column_names_original": ["id"], "column_names": [], "column_types": []}, "malformed"),
        ({"foreign_keys": [[1]]}, "malformed"),
        ({"foreign_keys": [["a", "b"]]}, "malformed"),
        ({"table_names_original": "Pupil"}, "no 'table_names_original' of type list"),
        ({"table_names_original": [], "foreign_keys": []}, "no tables"),
    ],
)
def test_a_malformed_entry_is_reported_with_its_file(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(JoinGRError, match=message) as caught:
        read(tmp_path, entry(**{"table_names": [], **changes}))
    assert str(tmp_path / "tables.json") in str(caught.value)


def test_a_truncated_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    path.write_text(json.dumps([entry()])[:200])
    with pytest.raises(JoinGRError, match=re.escape(str(path))):
        read_tables_json(path)


def counts(databases: tuple[Database, ...]) -> tuple[int, int, int, int, int]:
    """Databases, tables, columns, joins, and joins between two different tables."""
    joins = [join for database in databases for join in database.joins]
    tables = [table for database in databases for table in database]
    return (
        len(databases),
        len(tables),
        sum(len(table.columns) for table in tables),
        len(joins),
        sum(join.table != join.referenced_table for join in joins),
    )


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("bird/dev/dev_tables.json", (11, 75, 798, 102, 101)),
        ("bird/train/train_tables.json", (69, 522, 3575, 552, 552)),
        ("spider/tables.json", (166, 876, 4503, 842, 835)),
    ],
)
def test_the_real_files_have_the_counts_of_table_1(
    benchmarks: Path, caplog: pytest.LogCaptureFixture, file: str, expected: tuple[int, ...]
) -> None:
    assert counts(read_tables_json(benchmarks / file)) == expected
    assert not caplog.records


def test_bird_s_trailing_blanks_stay(benchmarks: Path) -> None:
    databases = {database.name: database for database in read_tables_json(benchmarks / "bird/train/train_tables.json")}
    assert "first_name " in databases["address"]["congress"].column_names


def test_bird_s_composite_keys_are_whole(benchmarks: Path) -> None:
    databases = {database.name: database for database in read_tables_json(benchmarks / "bird/dev/dev_tables.json")}
    composite = {
        table.name: table.primary_key
        for database in databases.values()
        for table in database
        if len(table.primary_key) > 1
    }
    assert composite["yearmonth"] == ("CustomerID", "Date")
    assert len(composite) == 6
