"""Schemas as published: in several dialects the same, and as real servers take them.

The files are those of ``JOINGR_DATA``; nothing is tested where they are not.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy

from joingr_pyg.schema import Database
from joingr_pyg.schema.readers.ddl import DDLReading, read_ddl, read_ddl_report
from tests.servers import Server

Shape = dict[str, tuple[list[str], list[str]]]

Keys = set[tuple[str, str, str, str]]


def plain(name: str) -> str:
    """A name without what dialects disagree about: letter case and underscores."""
    return name.lower().replace("_", "")


def shape(database: Database) -> tuple[Shape, Keys]:
    """The columns and primary key of each table, and the foreign keys."""
    tables = {
        plain(table.name): (list(map(plain, table.column_names)), sorted(map(plain, table.primary_key)))
        for table in database
    }
    keys = {
        (plain(key.table), plain(key.column), plain(key.referenced_table), plain(key.referenced_column))
        for key in database.foreign_keys
    }
    return tables, keys


def reading(benchmarks: Path, *files: str, **options: Any) -> DDLReading:
    """A reading in which nothing was lost."""
    found = read_ddl_report([benchmarks / "ddl" / file for file in files], **options)
    assert found.not_understood == ()
    assert found.left_out == ()
    return found


@pytest.mark.parametrize(
    ("dialect", "recognised"),
    [("sqlite", "sqlite"), ("postgres", "sqlite"), ("mysql", "mysql"), ("oracle", "oracle"), ("sqlserver", "tsql")],
)
def test_chinook_is_the_same_in_all_dialects(benchmarks: Path, dialect: str, recognised: str) -> None:
    found = reading(benchmarks, f"chinook_{dialect}_full.sql")
    assert found.dialect == recognised
    assert found.summary() == "11 tables, 64 columns, 11 foreign keys"
    assert shape(found.database) == shape(reading(benchmarks, "chinook_sqlite_full.sql").database)
    given = reading(benchmarks, f"chinook_{dialect}_full.sql", dialect=dialect)
    assert given.warnings == ()
    assert given.database == found.database


@pytest.mark.parametrize("dialect", ["mysql", "sqlite", "oracle", "sql-server", "db2", "postgres"])
def test_sakila_is_the_same_in_all_dialects(benchmarks: Path, dialect: str) -> None:
    tables, keys = shape(reading(benchmarks, f"sakila_{dialect}.sql").database)
    expected_tables, expected_keys = shape(reading(benchmarks, "sakila_mysql.sql").database)
    columns = {name: set(listed) for name, (listed, _) in tables.items()}
    expected = {name: set(listed) for name, (listed, _) in expected_tables.items()}
    primary = {name: key for name, (_, key) in tables.items()}
    expected_primary = {name: key for name, (_, key) in expected_tables.items()}
    if dialect == "postgres":
        # The port has neither the table of texts nor places, but columns for its full-text search and MySQL's flags.
        assert expected.pop("filmtext")
        del expected_primary["filmtext"]
        expected["film"].add("fulltext")
        expected["customer"].add("activebool")
        expected["address"].discard("location")
        expected["payment"].remove("lastupdate")
    assert columns == expected
    assert primary == expected_primary
    assert keys == expected_keys


@pytest.mark.parametrize("dialect", ["bigquery", "oracle", "postgresql", "snowflake", "sql_server", "sqlite"])
def test_omop_is_the_same_in_all_dialects(benchmarks: Path, dialect: str) -> None:
    files = [f"omop_{dialect}_{part}.sql" for part in ("ddl", "primary_keys", "constraints")]
    found = reading(benchmarks, *files)
    assert found.summary() == "39 tables, 432 columns, 176 foreign keys"
    assert shape(found.database) == shape(reading(benchmarks, *[f.replace(dialect, "oracle") for f in files]).database)
    assert shape(reading(benchmarks, *reversed(files)).database) == shape(found.database)
    assert shape(reading(benchmarks, *files, dialect=dialect).database) == shape(found.database)


def test_adventureworks_has_its_keys_and_descriptions(benchmarks: Path) -> None:
    found = reading(benchmarks, "adventureworks_utf.sql")
    assert found.summary() == "71 tables, 486 columns, 90 foreign keys, 20 views left out"
    assert sum(bool(table.description) for table in found.database) == 69
    assert sum(bool(column.description) for table in found.database for column in table.columns) == 461
    assert found.database["Address"].schema == "Person"
    assert found.database["Address"].description == "Street address information for customers, employees, and vendors."


@pytest.mark.parametrize(
    "name",
    [
        *("ambari", "calims", "dataverse", "dhis2", "ensembl_core", "flowable", "hive_metastore", "i2b2", "killbill"),
        *("ranger", "thingsboard"),
    ],
)
def test_real_schemas_are_read_whole(benchmarks: Path, name: str) -> None:
    folder = benchmarks / "real_schemas" / name
    files = sorted(file for file in (folder / "original").iterdir() if file.suffix in (".sql", ".ddl"))
    found = read_ddl_report(files)
    assert found.not_understood == ()
    assert found.left_out == ()
    expected = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
    tables, keys = shape(found.database)
    # The schema leaves out one framework's tables, and a server does not keep temporary ones.
    for extra in set(tables) - {plain(table) for table in expected["tables"]}:
        assert re.match("qrtz|.*temp|dx$", extra)
        del tables[extra]
    assert tables == {
        plain(table): (
            [plain(column[0]) for column in content["columns"]],
            sorted(map(plain, content["primary_key"])),
        )
        for table, content in expected["tables"].items()
    }
    ends = {(plain(a), plain(b), plain(c), plain(d)) for (a, b), (c, d) in expected["foreign_keys"]}
    assert {frozenset([key[:2], key[2:]]) for key in keys if key[0] in tables} == {
        frozenset([key[:2], key[2:]]) for key in ends
    }


def as_server_reflects(url: str) -> tuple[Shape, Keys, dict[str, str]]:
    """What SQLAlchemy says of a database: tables without partitions, keys, and descriptions."""
    engine = sqlalchemy.create_engine(url)
    tables: Shape = {}
    keys: Keys = set()
    descriptions: dict[str, str] = {}
    try:
        inspector = sqlalchemy.inspect(engine)
        own = engine.dialect.name == "mysql"
        schemas = [None] if own else [s for s in inspector.get_schema_names() if s != "information_schema"]
        for schema in schemas:
            for table in inspector.get_table_names(schema):
                columns = inspector.get_columns(table, schema)
                primary = inspector.get_pk_constraint(table, schema)["constrained_columns"]
                tables[plain(table)] = ([plain(c["name"]) for c in columns], sorted(map(plain, primary)))
                for key in inspector.get_foreign_keys(table, schema):
                    pairs = zip(key["constrained_columns"], key["referred_columns"], strict=True)
                    keys |= {(plain(table), plain(a), plain(key["referred_table"]), plain(b)) for a, b in pairs}
                comments = {table: inspector.get_table_comment(table, schema)["text"]}
                comments |= {f"{table}.{c['name']}": c.get("comment") for c in columns}
                descriptions |= {plain(name): text for name, text in comments.items() if text}
    finally:
        engine.dispose()
    return tables, keys, descriptions


def descriptions_of(database: Database) -> dict[str, str]:
    texts = {table.name: table.description for table in database}
    texts |= {f"{table.name}.{column.name}": column.description for table in database for column in table.columns}
    return {plain(name): text for name, text in texts.items() if text}


REAL = "real_schemas/{}/original/{}"


@pytest.mark.parametrize(
    "files",
    [
        ["ddl/northwind_full.sql"],
        ["ddl/sakila_postgres.sql"],
        ["ddl/thingsboard.sql"],
        ["ddl/mimiciv_create.sql", "ddl/mimiciv_constraint.sql"],
        ["ddl/omop_postgresql_ddl.sql", "ddl/omop_postgresql_primary_keys.sql", "ddl/omop_postgresql_constraints.sql"],
        [REAL.format("dhis2", "dhis2_base_schema.sql")],
        [REAL.format("flowable", "flowable.postgres.all.create.sql")],
        [REAL.format("ranger", "ranger_core_db_postgres.sql")],
        [REAL.format("dataverse", "create_v4.12.sql")],
    ],
    ids=lambda files: Path(files[0]).stem,
)
def test_postgresql_takes_a_file_for_the_same_schema(benchmarks: Path, postgres: Server, files: list[str]) -> None:
    paths = [benchmarks / file for file in files]
    url = postgres.new_database()
    for path in paths:
        script = path.read_text(encoding="utf-8").replace("@cdmDatabaseSchema.", "")
        # PostGIS is not there.
        script = script.replace("geometry geometry", "geometry text")
        postgres.run(re.sub(r"^\\(?:connect|c) .*$", "", script, flags=re.MULTILINE), url, stop=False)
    tables, keys, descriptions = as_server_reflects(url)
    found = read_ddl_report(paths)
    assert shape(found.database)[1] <= keys
    partitions = set(tables) - set(shape(found.database)[0])
    assert len(partitions) == found.partitions
    assert shape(found.database) == (
        {name: content for name, content in tables.items() if name not in partitions},
        {key for key in keys if key[0] not in partitions},
    )
    assert descriptions_of(found.database).items() >= descriptions.items()


@pytest.mark.parametrize(
    "files",
    [
        ["ddl/chinook_mysql_full.sql"],
        ["ddl/sakila_mysql.sql"],
        [REAL.format("ensembl_core", "table.sql"), REAL.format("ensembl_core", "foreign_keys.sql")],
    ],
    ids=lambda files: Path(files[0]).stem,
)
def test_mariadb_takes_a_file_for_the_same_schema(benchmarks: Path, mariadb: Server, files: list[str]) -> None:
    paths = [benchmarks / file for file in files]
    url = mariadb.new_database()
    for path in paths:
        script = path.read_text(encoding="utf-8")
        script = re.sub(r"^(?:DROP DATABASE|CREATE DATABASE|DROP SCHEMA|CREATE SCHEMA|USE) .*$", "", script, flags=re.M)
        # MyISAM knows no foreign keys.
        mariadb.run(script.replace("sakila.", "").replace("ENGINE=MyISAM", "ENGINE=InnoDB"), url, stop=False)
    tables, keys, descriptions = as_server_reflects(url)
    database = read_ddl(paths)
    assert shape(database) == (tables, keys)
    assert descriptions_of(database).items() >= descriptions.items()
