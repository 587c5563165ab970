"""Single statements that shape a schema, in the spellings of many dialects."""

import logging

import pytest

from joingr_pyg.schema import Database
from joingr_pyg.schema.readers.ddl import read_ddl, read_ddl_report


def written_out(database: Database) -> str:
    """All of a schema in one line: ``a(*id int 'number', b int) 'places'; b(x); a.id = b.x`` with keys starred."""
    parts = []
    for table in database:
        columns = [
            ("*" if column.name in table.primary_key else "")
            + " ".join(filter(None, [column.name, column.type, column.description and repr(column.description)]))
            for column in table.columns
        ]
        parts.append(f"{table.name}({', '.join(columns)}){f' {table.description!r}' if table.description else ''}")
    return "; ".join(parts + list(map(str, database.foreign_keys)))


AB = "CREATE TABLE a (id int); CREATE TABLE b (id int, a_id int);"


@pytest.mark.parametrize(
    ("text", "dialect", "expected"),
    [
        (
            "CREATE TABLE a(id int); CREATE TABLE b(id int, a_id int); ALTER TABLE ONLY a ADD "
            "CONSTRAINT p PRIMARY KEY(id);"
            "ALTER TABLE b ADD COLUMN town text; ALTER TABLE ONLY b ADD CONSTRAINT f FOREIGN KEY (a_id) REFERENCES "
            "public.a(id); COMMENT ON TABLE b IS 'places';",
            "postgres",
            "a(*id int); b(id int, a_id int, town text) 'places'; b.a_id = a.id",
        ),
        (
            "CREATE TABLE [dbo].[a]([id] [int])\nGO\nCREATE TABLE [dbo].[b]([a_id] "
            "[int])\nGO\nALTER TABLE [dbo].[b] WITH "
            "CHECK ADD CONSTRAINT [f] FOREIGN KEY([a_id]) REFERENCES [dbo].[a] ([id])\nGO\n",
            "tsql",
            "a(id int); b(a_id int); b.a_id = a.id",
        ),
        ("CREATE TABLE a(id NUMBER)\n/\nCREATE TABLE b(id NUMBER)\n/\n", "oracle", "a(id NUMBER); b(id NUMBER)"),
        ("CREATE TABLE a(id int COMMENT 'number') COMMENT='places'", "mysql", "a(id int 'number') 'places'"),
        ("CREATE TABLE a(id int COMMENT 'number') COMMENT='places'", "snowflake", "a(id int 'number') 'places'"),
        ("CREATE TABLE a(id int COMMENT 'number') COMMENT 'places'", "databricks", "a(id int 'number') 'places'"),
        ("CREATE TABLE a(id Int8 COMMENT 'x') ENGINE = Log COMMENT 'y'", "clickhouse", "a(id Int8 'x') 'y'"),
        (
            'CREATE TABLE d.t(a INT64 OPTIONS(description="number")) OPTIONS(description="places")',
            "bigquery",
            "t(a INT64 'number') 'places'",
        ),
        ("CREATE OR REPLACE TRANSIENT TABLE t(id INT)", "snowflake", "t(id INT)"),
        ("CREATE TABLE t CLUSTER BY (a) (a INT)", "snowflake", "t(a INT)"),
        ("CREATE TABLE t ON CLUSTER c (a Int8)", "clickhouse", "t(a Int8)"),
        ("CREATE TABLE virtual(id INT)", "sqlite", "virtual(id INT)"),
        (
            "CREATE TABLE t(a STRUCT<x INT64, y ARRAY<STRUCT<z STRING, w INT64>>>, b INT64)",
            "bigquery",
            "t(a STRUCT<x INT64, y ARRAY<STRUCT<z STRING, w INT64>>>, b INT64)",
        ),
        (
            "CREATE TABLE m(id int); CREATE TABLE kid () INHERITS (m); CREATE TABLE k2 (x int) INHERITS (m);",
            "postgres",
            "m(id int); kid(id int); k2(id int, x int)",
        ),
        (
            "CREATE TABLE m(id int); CREATE TABLE k () INHERITS (m); ALTER TABLE m ADD y int; "
            "COMMENT ON COLUMN k.id IS 'x';",
            "postgres",
            "m(id int, y int); k(id int 'x', y int)",
        ),
        (
            "CREATE TABLE m(id int) PARTITION BY RANGE (id); CREATE TABLE m1(id int); ALTER "
            "TABLE m ATTACH PARTITION m1 FOR "
            "VALUES FROM (0) TO (9); CREATE TABLE m2 PARTITION OF m DEFAULT; CREATE TABLE p "
            "(CHECK (id > 1)) INHERITS (m);",
            "postgres",
            "m(id int)",
        ),
        (
            "CREATE TABLE m(id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE m1 PARTITION OF m DEFAULT;"
            "CREATE TABLE c (x int REFERENCES m1 (id));",
            "postgres",
            "m(*id int); c(x int); c.x = m.id",
        ),
        ("CREATE TABLE IF NOT EXISTS t(a int); CREATE TABLE IF NOT EXISTS t(b int);", "sqlite", "t(a int)"),
        ("CREATE TABLE t(a int); DROP TABLE t; CREATE TABLE t(b int);", "sqlite", "t(b int)"),
        ("CREATE OR REPLACE TABLE t(a int); CREATE OR REPLACE TABLE t(b int);", "snowflake", "t(b int)"),
        (
            "CREATE TABLE sales.orders(id int); CREATE TABLE archive.orders(id int);",
            "postgres",
            "sales.orders(id int); archive.orders(id int)",
        ),
        (
            "SET search_path = sales, pg_catalog; CREATE TABLE orders(id int); SET search_path "
            "TO archive; CREATE TABLE "
            "orders(id int PRIMARY KEY); CREATE TABLE b(o int REFERENCES orders);",
            "postgres",
            "sales.orders(id int); archive.orders(*id int); b(o int); b.o = archive.orders.id",
        ),
        (
            "CREATE TABLE a (a int, b text, KEY k (a), FULLTEXT KEY f (b), key int)",
            "postgres",
            "a(a int, b text, key int)",
        ),
        (
            "CREATE TABLE a (key varchar(9), index int, period text, KEY (key))",
            "sqlite",
            "a(key varchar(9), index int, period text)",
        ),
        (
            "CREATE TABLE a (x text COMMENT 'it''s' /* not this */, y int) -- nor this",
            "mysql",
            'a(x text "it\'s", y int)',
        ),
        ("CREATE TABLE @cdm.person (id int); ALTER TABLE @cdm.person ADD PRIMARY KEY (id)", "tsql", "person(*id int)"),
        (
            "CREATE TABLE ${db}.a (id int); CREATE TABLE {s}.b (id int); CREATE TABLE ${p}c (id int)",
            "hive",
            "a(id int); b(id int); c(id int)",
        ),
        (
            "CREATE TABLE $(schema).a (id int)\nGO\nCREATE TABLE [$(db)].[dbo].b (id int)",
            "tsql",
            "a(id int); b(id int)",
        ),
        ("CREATE TABLE a (id int) SELECT 1 AS id", "mysql", "a(id int)"),
        (
            "CREATE TABLE a (id int, n text); CREATE TABLE b AS SELECT a.*, 1 AS one FROM a",
            "postgres",
            "a(id int, n text); b(id, n, one)",
        ),
        ("CREATE TABLE a (id int); SELECT id AS x INTO b FROM a WHERE 1 = 2;", "tsql", "a(id int); b(x)"),
        ("IF OBJECT_ID('a') IS NULL CREATE TABLE a (id int)\nGO\nCREATE TABLE #t (id int)\nGO", "tsql", "a(id int)"),
        ("EXEC('CREATE TABLE a (x varchar(9) DEFAULT ''y'')')\nGO", "tsql", "a(x varchar(9))"),
    ],
)
def test_what_defines_a_table(text: str, dialect: str, expected: str) -> None:
    assert written_out(read_ddl(text, "d", dialect)) == expected
    assert written_out(read_ddl(text, "d")) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("ALTER TABLE b ADD CONSTRAINT f FOREIGN KEY (a_id) REFERENCES a (id)", "id int, a_id int | b.a_id = a.id"),
        (
            "ALTER TABLE b ADD FOREIGN KEY idx (a_id) REFERENCES a (id) ON DELETE CASCADE",
            "id int, a_id int | b.a_id = a.id",
        ),
        ("ALTER TABLE b FOREIGN KEY f (a_id) REFERENCES a (id)", "id int, a_id int | b.a_id = a.id"),
        (
            "ALTER TABLE b ADD (CONSTRAINT f FOREIGN KEY (a_id) REFERENCES a (id) ENABLE)",
            "id int, a_id int | b.a_id = a.id",
        ),
        (
            "ALTER TABLE b ADD c int, ADD PRIMARY KEY (id), ADD d int REFERENCES a(id)",
            "*id int, a_id int, c int, d int | b.d = a.id",
        ),
        ("ALTER TABLE b ADD c int, d int, CONSTRAINT p PRIMARY KEY (id)", "*id int, a_id int, c int, d int"),
        ("ALTER TABLE b ADD COLUMN c int ADD COLUMN d int ADD PRIMARY KEY (id)", "*id int, a_id int, c int, d int"),
        ("ALTER TABLE b ADD (c int, d int DEFAULT 0)", "id int, a_id int, c int, d int"),
        ("ALTER TABLE b ADD COLUMNS (c int COMMENT 'x')", "id int, a_id int, c int 'x'"),
        ("ALTER TABLE b ADD COLUMN c int FIRST, ADD COLUMN d int AFTER id", "c int, id int, d int, a_id int"),
        (
            "ALTER TABLE b ADD CONSTRAINT u UNIQUE (id), ADD CHECK (id > 0), ADD INDEX i (id), ADD KEY (id)",
            "id int, a_id int",
        ),
        ("ALTER TABLE b ADD CONSTRAINT d DEFAULT (0) FOR id", "id int, a_id int"),
        ("ALTER TABLE b ADD DEFAULT 0 FOR id", "id int, a_id int"),
        ("ALTER TABLE b ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (START WITH 1)", "id int, a_id int"),
        ("ALTER TABLE b ALTER COLUMN id SET DEFAULT 1, ALTER a_id DROP NOT NULL", "id int, a_id int"),
        (
            "ALTER TABLE b ALTER COLUMN id TYPE bigint USING id::bigint, ALTER a_id SET DATA TYPE text",
            "id bigint, a_id text",
        ),
        ("ALTER TABLE b ALTER COLUMN id bigint NOT NULL", "id bigint, a_id int"),
        (
            "ALTER TABLE b MODIFY id bigint NOT NULL AUTO_INCREMENT, CHANGE a_id own int COMMENT 'x'",
            "id bigint, own int 'x'",
        ),
        ("ALTER TABLE b MODIFY (id NUMBER(9) NOT NULL, a_id DEFAULT 0)", "id NUMBER(9), a_id int"),
        ("ALTER TABLE b DROP COLUMN a_id", "id int"),
        ("ALTER TABLE b DROP a_id", "id int"),
        ("ALTER TABLE b DROP (a_id) CASCADE CONSTRAINTS", "id int"),
        ("ALTER TABLE b RENAME COLUMN a_id TO own", "id int, own int"),
        ("ALTER TABLE b REPLACE COLUMNS (x string)", "x string"),
        ("EXEC sp_rename 'dbo.b.a_id', 'own', 'COLUMN'", "id int, own int"),
        ("ALTER TABLE b OWNER TO me", "id int, a_id int"),
        ("ALTER TABLE b COMMENT = 'x', ENGINE = InnoDB, AUTO_INCREMENT = 7", "id int, a_id int"),
        ("ALTER TABLE b ENABLE TRIGGER ALL, DISABLE ROW LEVEL SECURITY", "id int, a_id int"),
        ("COMMENT ON COLUMN b.id IS E'it\\'s'", 'id int "it\'s", a_id int'),
        ("COMMENT ON COLUMN public.b.id IS $$it's$$", 'id int "it\'s", a_id int'),
        ("COMMENT ON b (id IS 'x', a_id IS 'y')", "id int 'x', a_id int 'y'"),
        ("ALTER TABLE b ALTER COLUMN id COMMENT 'x'", "id int 'x', a_id int"),
        ("ALTER TABLE b ALTER COLUMN id SET OPTIONS (description = 'x')", "id int 'x', a_id int"),
        ("ALTER TABLE b COMMENT COLUMN id 'x'", "id int 'x', a_id int"),
        (
            "EXEC sp_addextendedproperty N'MS_Description', N'x', N'SCHEMA', [dbo], N'TABLE', [b], N'COLUMN', [id]",
            "id int 'x', a_id int",
        ),
    ],
)
def test_what_changes_a_table(statement: str, expected: str) -> None:
    reading = read_ddl_report(AB + statement, "d", "postgres" if "E'" in statement or "$$" in statement else None)
    columns, _, keys = expected.partition(" | ")
    described = " 'x'" if "COMMENT = 'x'" in statement else ""
    assert written_out(reading.database) == f"a(id int); b({columns}){described}{f'; {keys}' if keys else ''}"
    assert (reading.not_understood, reading.left_out) == ((), ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE TABLE a (id int) CREATE TABLE b (id int)", "a(id int); b(id int)"),
        ("CREATE TABLE a (id int) CREATE INDEX i ON a (id) CREATE TABLE b (id int)", "a(id int); b(id int)"),
        (
            "CREATE SCHEMA s CREATE TABLE a (id int PRIMARY KEY) CREATE TABLE b (a_id int REFERENCES a); "
            "CREATE TABLE t.a (id int);",
            "s.a(*id int); b(a_id int); t.a(id int); b.a_id = s.a.id",
        ),
        ("CREATE SCHEMA AUTHORIZATION me CREATE TABLE a (id int) GRANT SELECT ON a TO you", "a(id int)"),
        ("CREATE TABLE a (id int) /* CREATE TABLE b (id int) */", "a(id int)"),
        ("CREATE TABLE a (id int, n text DEFAULT 'CREATE TABLE b (id int)')", "a(id int, n text)"),
        (
            "CREATE TABLE a (id int); CREATE TRIGGER t AFTER INSERT ON a FOR EACH ROW CREATE TABLE b (id int)",
            "a(id int)",
        ),
    ],
)
def test_statements_in_one_another(text: str, expected: str) -> None:
    assert written_out(read_ddl(text, "d")) == expected


def test_virtual_tables_of_sqlite_are_tables() -> None:
    text = """
        CREATE VIRTUAL TABLE v USING fts5(title, body UNINDEXED, tokenize = 'porter', content='');
        CREATE VIRTUAL TABLE IF NOT EXISTS r USING rtree(id, low, high, +name TEXT);
        CREATE VIRTUAL TABLE d USING dbstat;
    """
    reading = read_ddl_report(text, "d", "sqlite")
    assert written_out(reading.database) == "v(title, body); r(id, low, high, name)"
    assert [problem.reason for problem in reading.not_understood] == [
        "virtual table 'd' of module 'dbstat' lists no columns"
    ]


def test_keys_follow_what_is_renamed_and_dropped() -> None:
    keys = "ALTER TABLE a ADD PRIMARY KEY (id); ALTER TABLE b ADD CONSTRAINT f FOREIGN KEY (a_id) REFERENCES a;"
    renamed = "ALTER TABLE a RENAME TO c; ALTER TABLE b RENAME COLUMN a_id TO c_id;"
    assert written_out(read_ddl(AB + keys + renamed, "d")) == "c(*id int); b(id int, c_id int); b.c_id = c.id"
    for drop in ("DROP CONSTRAINT f", "DROP FOREIGN KEY f", "DROP COLUMN a_id"):
        assert read_ddl(f"{AB}{keys}ALTER TABLE b {drop};", "d").foreign_keys == ()
    assert read_ddl(f"{AB}{keys}ALTER TABLE b DROP CONSTRAINT other;", "d").foreign_keys != ()
    assert read_ddl(AB + "RENAME TABLE a TO c, b TO d;", "d").tables[1].name == "d"


def test_a_name_without_a_schema_means_the_table_of_its_own_schema() -> None:
    text = """
        CREATE TABLE s.a (id int PRIMARY KEY); CREATE TABLE t.a (id int PRIMARY KEY);
        CREATE TABLE t.b (x int REFERENCES a); CREATE TABLE u.b (x int REFERENCES a, y int REFERENCES s.a);
    """
    reading = read_ddl_report(text, "d")
    assert list(map(str, reading.database.foreign_keys)) == ["t.b.x = t.a.id", "u.b.y = s.a.id"]
    assert [table.schema for table in reading.database] == ["s", "t", "t", "u"]
    (left_out,) = reading.left_out
    assert "it references 'a' (its primary key), which does not exist" in left_out


def test_views_are_counted_and_may_be_tables() -> None:
    text = """
        CREATE TABLE a (id int, n text); CREATE TABLE b (id int, m text);
        CREATE VIEW v AS SELECT x.id, upper(n) AS big FROM a AS x; CREATE VIEW w (p, q) AS SELECT * FROM a;
        CREATE VIEW u AS SELECT * FROM a JOIN b USING (id);
        CREATE VIEW c AS WITH z AS (SELECT n FROM a) SELECT * FROM z;
        CREATE PROCEDURE p() BEGIN CREATE TEMPORARY TABLE tmp (id int); END;
        CREATE VIEW lost AS SELECT * FROM gone; COMMENT ON VIEW v IS 'seen';
    """
    without = read_ddl_report(text, "d")
    assert without.summary() == "2 tables, 4 columns, 0 foreign keys, 5 views left out"
    reading = read_ddl_report(text, "d", views=True)
    assert (
        written_out(reading.database)
        == "a(id int, n text); b(id int, m text); v(id, big) 'seen'; w(p, q); u(id, n, m); c(n)"
    )
    assert [problem.line for problem in reading.not_understood] == [7]


def test_what_is_not_understood_is_counted_and_named(caplog: pytest.LogCaptureFixture) -> None:
    text = (
        "CREATE TABLE a (id int);\n\nALTER TABLE a FROBNICATE;\nCERATE TABLE b (id int);\nALTER "
        "TABLE c ADD x int;\nFROB x;"
    )
    reading = read_ddl_report(text, "d")
    assert reading.summary() == ("1 table, 1 column, 0 foreign keys, 3 statements not understood, first at line 3")
    reasons = [(problem.line, problem.reason) for problem in reading.not_understood]
    assert reasons == [
        (3, "what it does to table 'a' is not understood"),
        (4, "it mentions a table, and is no statement that is known"),
        (5, "no statement creates table 'c'"),
    ]
    assert (
        "Line 3 is not understood: what it does to table 'a' is not understood ('ALTER TABLE a FROBNICATE')."
        in caplog.text
    )


def test_a_quote_that_is_not_closed_is_named_by_its_line() -> None:
    rows = "INSERT INTO a VALUES (1, 'x');\n" * 5
    text = (
        f"-- MySQL dump\n{rows}INSERT INTO a VALUES (2, 'oops);\n{rows}CREATE TABLE a (x int, y text "
        f"DEFAULT 'q');\n{rows}"
    )
    reading = read_ddl_report(text, "d")
    assert reading.summary() == "1 table, 2 columns, 0 foreign keys, 1 statement not understood, first at line 7"


def test_one_odd_table_or_key_is_left_out_and_the_rest_is_read(caplog: pytest.LogCaptureFixture) -> None:
    text = (
        "CREATE TABLE e (); CREATE TABLE a (id int, PRIMARY KEY (no)); CREATE TABLE b (x int, x "
        "int); CREATE TABLE c (x int);"
    )
    reading = read_ddl_report(text, "d")
    assert written_out(reading.database) == "a(id int); c(x int)"
    assert reading.summary() == "2 tables, 2 columns, 0 foreign keys, 3 tables or keys left out"
    assert "Table 'e' of database 'd' is left out: it has no columns." in caplog.text
    assert "Table 'b' of database 'd' is left out: it lists column 'x' twice." in caplog.text


def test_many_warnings_are_logged_in_part(caplog: pytest.LogCaptureFixture) -> None:
    text = "CREATE TABLE a (id int);" + "".join(f"ALTER TABLE g{n} ADD x int;" for n in range(50))
    with caplog.at_level(logging.WARNING):
        assert len(read_ddl_report(text, "d").not_understood) == 50
    assert len(caplog.records) == 11
    assert caplog.messages[-1] == "40 more of the same kind are in the report."
