"""Live databases of every system that is tested for real: what is read of them."""

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.pool import StaticPool

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.readers.live import read_database
from tests.servers import Server

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL);
CREATE TABLE orders (id INTEGER, part INTEGER, customer_id INTEGER, PRIMARY KEY (id, part),
    FOREIGN KEY (customer_id) REFERENCES customer (id));
CREATE TABLE item (order_id INTEGER, order_part INTEGER, note VARCHAR(20),
    FOREIGN KEY (order_id, order_part) REFERENCES orders (id, part));
CREATE VIEW late AS SELECT id FROM orders;
"""
"""The same in every system."""

JOINS = {
    ForeignKey("orders", "customer_id", "customer", "id"),
    ForeignKey("item", "order_id", "orders", "id"),
    ForeignKey("item", "order_part", "orders", "part"),
}

NewDatabase = Callable[[str], str]


def run_sqlite(path: Path, script: str) -> str:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    return f"sqlite:///{path}"


def run_duckdb(path: Path, script: str) -> str:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("duckdb_engine")
    connection = duckdb.connect(str(path))
    connection.execute(script)
    connection.close()
    return f"duckdb:///{path}"


def run(url: str, script: str) -> str:
    """Run more statements in a database that exists, and return its URL."""
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in filter(None, map(str.strip, script.split(";"))):
            # SQLAlchemy's text takes colons for parameters.
            connection.execute(text(statement.replace(":", "\\:")))
    engine.dispose()
    return url


@pytest.fixture(params=["sqlite", "duckdb", "postgres", "mariadb"])
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> NewDatabase:
    """Runs a script in a new database of each system and returns its URL."""
    if request.param == "sqlite":
        return lambda script: run_sqlite(tmp_path / "shop.sqlite", script)
    if request.param == "duckdb":
        return lambda script: run_duckdb(tmp_path / "shop.duckdb", script)
    server: Server = request.getfixturevalue(request.param)
    return server.new_database


def names(database: Database) -> set[str]:
    return {table.name for table in database}


def test_every_system_reads_to_the_same_schema(new_database: NewDatabase) -> None:
    database = read_database(new_database(SHOP))
    assert names(database) == {"customer", "orders", "item"}
    assert set(database.foreign_keys) == JOINS
    assert len(database.foreign_keys) == 3
    assert database["orders"].column_names == ("id", "part", "customer_id")
    assert database["orders"].primary_key == ("id", "part")
    assert database["item"].primary_key == ()
    types = [column.type.lower() for column in database["customer"].columns]
    assert types[0].startswith("int")
    assert types[1] in ("varchar(80)", "varchar")


def test_views_are_tables_where_asked_for(new_database: NewDatabase) -> None:
    database = read_database(new_database(SHOP), views=True)
    assert names(database) == {"customer", "orders", "item", "late"}
    assert database["late"].column_names == ("id",)


def test_patterns_choose_tables_and_dangling_keys_are_named(
    new_database: NewDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    url = new_database(SHOP)
    assert names(read_database(url, include=["C*", "item"], exclude="*_bak")) == {"customer", "item"}
    assert "1 foreign keys of database" in caplog.text
    assert "item(order_id, order_part) to orders" in caplog.text
    assert names(read_database(url, include=["*.orders", "nothing"])) == {"orders"}
    assert "matches 'nothing' of 'include'" in caplog.text
    with pytest.raises(JoinGRError, match=r"'include' and 'exclude' leave out all 3, such as "):
        read_database(url, exclude=["*"])


def test_odd_names_are_read_exactly(new_database: NewDatabase) -> None:
    url = new_database("CREATE TABLE plain (id INTEGER PRIMARY KEY);")
    quote = "`" if url.startswith("mysql") else '"'
    script = """
    CREATE TABLE "Größe, Art" ("a, b" INTEGER, "order" INTEGER, "x%y" INTEGER, PRIMARY KEY ("a, b", "order"));
    CREATE TABLE "select" ("it's" INTEGER, "  " INTEGER, "colon:name" INTEGER,
        FOREIGN KEY ("it's", "colon:name") REFERENCES "Größe, Art" ("a, b", "order"));
    """.replace('"', quote)
    if url.startswith("mysql"):
        script = script.replace("`  `", "`b b`")  # MariaDB has no names that end with a blank.
    database = read_database(run(url, script))
    blank = "b b" if url.startswith("mysql") else "  "
    assert database["Größe, Art"].column_names == ("a, b", "order", "x%y")
    assert database["Größe, Art"].primary_key == ("a, b", "order")
    assert database["select"].column_names == ("it's", blank, "colon:name")
    assert set(database.foreign_keys) == {
        ForeignKey("select", "it's", "Größe, Art", "a, b"),
        ForeignKey("select", "colon:name", "Größe, Art", "order"),
    }


def test_an_empty_database_says_so(new_database: NewDatabase) -> None:
    url = new_database("CREATE TABLE a (b INTEGER); DROP TABLE a;")
    with pytest.raises(JoinGRError, match=r"has no tables: check its name"):
        read_database(url)
    with pytest.raises(JoinGRError, match=r"has no tables, only 1 views: views=True reads them\."):
        read_database(run(url, "CREATE VIEW v AS SELECT 1 AS one"))


def test_an_engine_is_read_and_left_as_it_was(new_database: NewDatabase) -> None:
    engine = create_engine(new_database(SHOP))
    assert names(read_database(engine)) == {"customer", "orders", "item"}
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO customer VALUES (1, 'a')"))
    assert len(read_database(engine, name="shop").tables) == 3
    engine.dispose()


def test_an_engine_of_a_database_in_memory_is_read() -> None:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE a (b INTEGER)"))
    assert names(read_database(engine)) == {"a"}
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO a VALUES (1)"))


@pytest.mark.parametrize("new_database", ["sqlite", "mariadb"], indirect=True)
def test_one_broken_view_stops_nothing(new_database: NewDatabase, caplog: pytest.LogCaptureFixture) -> None:
    url = new_database(SHOP)
    run(url, "CREATE TABLE gone (a INTEGER); CREATE VIEW broken AS SELECT a FROM gone; DROP TABLE gone")
    assert names(read_database(url, views=True)) == {"customer", "orders", "item", "late"}
    assert "1 tables or views of database" in caplog.text
    assert "'broken'" in caplog.text


def test_what_was_read_is_summed_up(new_database: NewDatabase, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    read_database(new_database(SHOP), name="shop")
    assert "Database 'shop': 3 tables, 8 columns, 3 foreign keys; left out: 1 views." in caplog.text


@pytest.mark.parametrize("new_database", ["postgres", "mariadb", "duckdb"], indirect=True)
def test_more_tables_take_no_more_queries(new_database: NewDatabase) -> None:
    def queries(engine: Engine) -> int:
        executed: list[str] = []
        event.listen(engine, "before_cursor_execute", lambda *given: executed.append(given[2]))
        read_database(engine)
        engine.dispose()
        return len(executed)

    url = new_database(SHOP)
    few = queries(create_engine(url))
    run(url, "".join(f"CREATE TABLE t{i} (a INTEGER REFERENCES customer (id)); " for i in range(40)))
    assert queries(create_engine(url)) == few


def test_comments_are_descriptions(postgres: Server, mariadb: Server, tmp_path: Path) -> None:
    commented = """
    CREATE TABLE t (a INTEGER);
    COMMENT ON TABLE t IS 'All there is; it''s 100 %';
    COMMENT ON COLUMN t.a IS 'The first';
    """
    in_mariadb = "CREATE TABLE t (a INTEGER COMMENT 'The first') COMMENT 'All there is; it''s 100 %';"
    for url in (
        postgres.new_database(commented),
        mariadb.new_database(in_mariadb),
        run_duckdb(tmp_path / "a.duckdb", commented),
    ):
        (table,) = read_database(url).tables
        assert table.description == "All there is; it's 100 %"
        assert table.columns[0].description == "The first"


def test_schemas_are_told_apart(postgres: Server) -> None:
    url = postgres.new_database(
        """
        CREATE SCHEMA sales; CREATE SCHEMA archive;
        CREATE TABLE public.region (id INTEGER PRIMARY KEY);
        CREATE TABLE sales.orders (id INTEGER PRIMARY KEY, region INTEGER REFERENCES public.region);
        CREATE TABLE archive.orders (id INTEGER REFERENCES sales.orders (id));
        CREATE TABLE archive.line (id INTEGER);
        """
    )
    database = read_database(url)
    assert {(table.name, table.schema) for table in database} == {
        ("region", "public"),
        ("sales.orders", "sales"),
        ("archive.orders", "archive"),
        ("line", "archive"),
    }
    assert set(database.foreign_keys) == {
        ForeignKey("sales.orders", "region", "region", "id"),
        ForeignKey("archive.orders", "id", "sales.orders", "id"),
    }
    assert names(read_database(url, schemas="archive")) == {"orders", "line"}
    assert names(read_database(url, include=["sales.*"])) == {"orders"}
    with pytest.raises(JoinGRError, match=r"no schema 'archiv': did you mean 'archive'\?"):
        read_database(url, schemas=["archiv"])


def test_other_databases_of_a_mariadb_server_are_schemas(mariadb: Server) -> None:
    first = mariadb.new_database("CREATE TABLE t (id INTEGER PRIMARY KEY);")
    second = mariadb.new_database("CREATE TABLE t (id INTEGER PRIMARY KEY);")
    name, other = (url.rpartition("/")[2] for url in (first, second))
    mariadb.run(f"CREATE TABLE u (t INTEGER, FOREIGN KEY (t) REFERENCES {name}.t (id));", other)
    database = read_database(first, schemas=[name, other])
    assert names(database) == {f"{name}.t", f"{other}.t", "u"}
    assert database.foreign_keys == (ForeignKey("u", "t", f"{name}.t", "id"),)
    assert names(read_database(first)) == {"t"}
    assert {f"{name}.t", f"{other}.t"} <= names(read_database(mariadb.url(), include=["t", "u"]))


def test_partitions_and_tables_of_the_system_are_left_out(postgres: Server) -> None:
    database = read_database(
        postgres.new_database(
            """
            CREATE TABLE visit (day DATE, id INTEGER, PRIMARY KEY (day, id)) PARTITION BY RANGE (day);
            CREATE TABLE visit_2024 PARTITION OF visit FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')
                PARTITION BY HASH (id);
            CREATE TABLE visit_2024_a PARTITION OF visit_2024 FOR VALUES WITH (MODULUS 1, REMAINDER 0);
            CREATE TABLE bill (day DATE, visit INTEGER, FOREIGN KEY (day, visit) REFERENCES visit);
            CREATE TABLE part (day DATE, visit INTEGER, FOREIGN KEY (day, visit) REFERENCES visit_2024_a);
            CREATE MATERIALIZED VIEW months AS SELECT day FROM visit;
            CREATE TEMPORARY TABLE passing (a INTEGER);
            CREATE TABLE without_columns ();
            """
        )
    )
    assert names(database) == {"visit", "bill", "part"}
    assert set(database.foreign_keys) == {
        ForeignKey("bill", "day", "visit", "day"),
        ForeignKey("bill", "visit", "visit", "id"),
        ForeignKey("part", "day", "visit", "day"),
        ForeignKey("part", "visit", "visit", "id"),
    }


def test_types_of_postgres_keep_their_names(postgres: Server) -> None:
    url = postgres.new_database(
        """
        CREATE TYPE mood AS ENUM ('sad', 'happy');
        CREATE DOMAIN zip AS TEXT;
        CREATE TYPE pair AS (a INTEGER, b INTEGER);
        CREATE TABLE t (a mood, b zip, c INTEGER[], d JSONB, e TIMESTAMPTZ, f NUMERIC(8, 2), g UUID, h pair,
            i TEXT COLLATE "C", j TSVECTOR, k INT4RANGE, l POINT);
        """
    )
    types = {column.name: column.type.lower() for column in read_database(url)["t"].columns}
    assert types == {
        **{"a": "mood", "b": "zip", "c": "integer[]", "d": "jsonb", "e": "timestamp with time zone"},
        **{"f": "numeric(8, 2)", "g": "uuid", "i": "text", "j": "tsvector", "k": "int4range"},
        **{"h": "pair", "l": "point"},
    }


def test_sqlite_in_all_its_forms(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    url = run_sqlite(
        tmp_path / "odd name #1 50%.sqlite",
        """
        CREATE TABLE Artist (ArtistId INTEGER PRIMARY KEY AUTOINCREMENT, name);
        CREATE TABLE album (artist REFERENCES ARTIST, label REFERENCES label_later, year REFERENCES artist (no_such));
        CREATE VIRTUAL TABLE search USING fts5(body);
        """,
    )
    database = read_database(url)
    assert database.name == "odd name #1 50%"
    assert database.tables == (
        Table("Artist", (Column("ArtistId", "INTEGER"), Column("name", "")), ("ArtistId",)),
        Table("album", (Column("artist", ""), Column("label", ""), Column("year", ""))),
        Table("search", (Column("body", ""),)),
    )
    assert database.foreign_keys == (ForeignKey("album", "artist", "Artist", "ArtistId"),)
    assert "2 foreign keys of database" in caplog.text
    assert "album(label) to label_later" in caplog.text


def test_a_schema_without_keys_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    read_database(run_sqlite(tmp_path / "a.sqlite", "CREATE TABLE a (b TEXT); CREATE TABLE c (d TEXT)"))
    assert "Database 'a' declares no foreign keys" in caplog.text
