"""What is read of the values of a live database, and what is not."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, event, text

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, Table
from joingr_pyg.schema.readers.live import read_database
from joingr_pyg.schema.readers.live.values import ValueLimits, is_personal, read_values, value_columns
from tests.servers import Server

SCRIPT = """
CREATE TABLE artist (id INTEGER PRIMARY KEY, name VARCHAR(80), founded DATE, api_token VARCHAR(80));
CREATE TABLE customer (name VARCHAR(80), email VARCHAR(80), company_name VARCHAR(80), country VARCHAR(20));
INSERT INTO artist VALUES (1, 'Radiohead', '1985-01-01', 'tok');
INSERT INTO artist VALUES (2, 'Blur', '1988-01-01', 'tik'), (3, 'Blur', NULL, NULL);
INSERT INTO customer VALUES ('Ann', 'a@b.c', 'Acme', 'Norway'), ('Bob', 'b@b.c', 'Umbrella', 'Norway');
"""


def sqlite_url(path: Path, script: str = SCRIPT) -> str:
    with sqlite3.connect(path) as connection:
        connection.executescript(script)
    return f"sqlite:///{path}"


def read(url: str, **limits: object) -> dict[str, list[str]]:
    database = read_database(url)
    found = read_values(url, database, ValueLimits(**limits))  # type: ignore[arg-type]
    return {f"{table.name}.{column.name}": sorted(values) for table, column, values in found}


@pytest.fixture(params=["sqlite", "postgres", "mariadb"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "music.sqlite")
    server: Server = request.getfixturevalue(request.param)
    return server.new_database(SCRIPT)


def test_distinct_values_of_text_columns_are_read_but_no_secrets_and_persons(url: str) -> None:
    assert read(url) == {
        "artist.name": ["Blur", "Radiohead"],
        "customer.company_name": ["Acme", "Umbrella"],
        "customer.country": ["Norway"],
    }


def test_what_is_personal_is_read_where_asked_for(url: str) -> None:
    assert set(read(url, personal=True)) == {
        *("artist.name", "artist.api_token"),
        *("customer.name", "customer.email", "customer.company_name", "customer.country"),
    }


@pytest.mark.parametrize(
    ("limits", "columns"),
    [
        ({"exclude": ("customer.*",)}, {"artist.name"}),
        ({"exclude": ("NAME", "*.country")}, {"customer.company_name"}),
        ({"columns": 1}, {"artist.name"}),
        ({"values": 1}, {"customer.country"}),
        ({"characters": 6}, {"artist.name", "customer.company_name", "customer.country"}),
        ({"size": 1}, {"artist.name"}),
        ({"rows": 1}, {"artist.name", "customer.company_name", "customer.country"}),
    ],
)
def test_limits_are_kept(tmp_path: Path, limits: dict[str, object], columns: set[str]) -> None:
    found = read(sqlite_url(tmp_path / "music.sqlite"), **limits)
    assert set(found) == columns
    if "characters" in limits:
        assert found["artist.name"] == ["Blur"]
    if "rows" in limits:
        assert found["artist.name"] == ["Radiohead"]


def test_time_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    url = sqlite_url(tmp_path / "music.sqlite")
    clock = iter(range(0, 10_000, 40))
    monkeypatch.setattr("joingr_pyg.schema.readers.live.values.time.monotonic", lambda: float(next(clock)))
    assert set(read(url)) == {"artist.name"}
    assert "Values of database 'music' are read up to customer.company_name, where the limit of time" in caplog.text


@pytest.mark.parametrize("bad", [{"columns": 0}, {"seconds": "long"}, {"exclude": [7]}, {"personal": "yes"}])
def test_limits_that_are_none_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(JoinGRError):
        ValueLimits(**bad)  # type: ignore[arg-type]


def test_a_column_that_cannot_be_read_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "music.sqlite"
    url = sqlite_url(path)
    database = read_database(url)
    sqlite_url(path, "ALTER TABLE artist RENAME TO band")
    assert [column.name for _, column, _ in read_values(url, database, ValueLimits())] == ["company_name", "country"]
    assert "The values of 1 columns cannot be read, such as artist.name." in caplog.text


def test_no_table_stays_locked_while_others_are_read(postgres: Server) -> None:
    url = postgres.new_database(SCRIPT)
    other = create_engine(url)
    altered: list[str] = []

    def alter(connection: Connection, cursor: object, statement: str, *rest: object) -> None:
        if "customer" in statement and "DISTINCT" in statement and not altered:
            altered.append(statement)
            with other.begin() as writer:
                writer.execute(text("SET lock_timeout = 1000"))
                writer.execute(text("ALTER TABLE artist ADD COLUMN more INTEGER"))

    engine = create_engine(url)
    database = read_database(engine)
    event.listen(engine, "before_cursor_execute", alter)
    assert len(list(read_values(engine, database, ValueLimits()))) == 3
    assert altered
    engine.dispose()
    other.dispose()


def test_tables_of_several_schemas_and_odd_names_are_read(postgres: Server) -> None:
    url = postgres.new_database(
        """
        CREATE SCHEMA a; CREATE SCHEMA b;
        CREATE TABLE a.t ("x, y" TEXT); CREATE TABLE b.t ("x, y" TEXT);
        CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE TABLE b."o.p" (m mood);
        INSERT INTO a.t VALUES ('one word'); INSERT INTO b.t VALUES ('another'); INSERT INTO b."o.p" VALUES ('happy');
        """
    )
    assert read(url) == {"a.t.x, y": ["one word"], "b.t.x, y": ["another"], "o.p.m": ["happy"]}


@pytest.mark.parametrize(
    ("table", "column", "personal"),
    [
        ("artist", "name", False),
        ("products", "ProductName", False),
        ("customers", "CompanyName", False),
        ("customers", "ContactName", True),
        ("Employee", "LastName", True),
        ("users", "name", True),
        ("user_roles", "role_names", True),
        ("drug", "username", True),
        ("t", "passwordHash", True),
        ("t", "API_KEY", True),
        ("t", "pinball", False),
        ("t", "Email2", True),
        ("shop", "shipping_address", True),
        ("keyboards", "layout", False),
    ],
)
def test_names_that_smell_of_a_secret_or_a_person(table: str, column: str, personal: bool) -> None:
    own = Column(column, "TEXT")
    assert is_personal(Table(table, (own,)), own) is personal


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        *[
            (each, True)
            for each in ("TEXT", "varchar(20)", "NVARCHAR2(9)", "character varying", "", "enum('bit','int')")
        ],
        *[
            (each, False)
            for each in ("INTEGER", "numeric(8, 2)", "DATE", "timestamp", "bytea", "uuid", "jsonb", "text[]")
        ],
    ],
)
def test_texts_are_told_by_their_type(declared: str, text: bool) -> None:
    database = Database("d", (Table("t", (Column("c", declared),)),))
    assert bool(value_columns(database, ValueLimits())) is text
