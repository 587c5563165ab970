"""No script, however broken, ends in another error than one sentence, and junk hides no table."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.readers.ddl import DDLReading, read_ddl_report

SCRIPTS = [path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "scripts").glob("*.sql"))]

DIALECTS = st.sampled_from(
    [None, "sqlite", "mysql", "postgres", "tsql", "oracle", "bigquery", "hive", "clickhouse", "db2"]
)

WORDS = """
    ALTER TABLE a b ADD DROP COLUMN CONSTRAINT KEY PRIMARY FOREIGN REFERENCES RENAME TO MODIFY CHANGE COMMENT ON IS AS
    SELECT INTO LIKE INHERITS PARTITION OF ATTACH SCHEMA USE VIEW NOT EXISTS REPLACE OPTIONS END CASE
    ( ) , . ; ' " ` [ ] < > -- # @ & : = * 1 é
"""

JUNK = st.one_of(
    st.lists(st.sampled_from([*WORDS.split(), "\n"]), max_size=15).map(" ".join),
    st.text(alphabet=st.characters(codec="utf-8", exclude_characters="/$\\"), max_size=40),
)
"""Anything but what opens a comment, or a string that may well hold the statements behind it."""

TABLES = ["CREATE TABLE one (id INT PRIMARY KEY)", "CREATE TABLE two (id INT)", "CREATE TABLE three (id INT)"]


def read(text: str, dialect: str | None) -> DDLReading | None:
    """The reading; ``None`` where the script creates no table. Any other error fails the test."""
    try:
        return read_ddl_report(text, "d", dialect)
    except JoinGRError:
        return None


@settings(deadline=None)
@given(JUNK, JUNK, DIALECTS)
def test_junk_between_statements_hides_no_table(first: str, second: str, dialect: str | None) -> None:
    reading = read(f"{TABLES[0]};\n{first}\n{TABLES[1]};\n{second}\n{TABLES[2]};\n", dialect)
    assert reading is not None
    # Junk may happen to be a statement that removes a table.
    changed = {word for junk in (first, second) for word in ("DROP", "RENAME", "REPLACE") if word in junk}
    if not changed:
        assert {"one", "two", "three"} <= {table.name for table in reading.database}


@settings(deadline=None)
@given(st.text(max_size=60), DIALECTS)
def test_any_text_is_read_or_refused_in_one_sentence(text: str, dialect: str | None) -> None:
    read(text + ";", dialect)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from(SCRIPTS), DIALECTS)
def test_a_damaged_script_is_read_or_refused_in_one_sentence(
    data: st.DataObject, script: str, dialect: str | None
) -> None:
    start = data.draw(st.integers(0, len(script) - 1))
    stop = data.draw(st.integers(start, min(len(script), start + 300)))
    read(script[:start] + data.draw(st.text(max_size=5)) + script[stop:], dialect)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_script_that_is_cut_off_keeps_what_is_whole(script: str, share: float) -> None:
    reading = read(script[: int(share * len(script))], None)
    whole = read_ddl_report(script)
    if reading is not None:
        names = {table.name.rpartition(".")[2] for table in whole.database}
        kept = sum(table.name.rpartition(".")[2] in names for table in reading.database)
        assert kept >= len(reading.database.tables) - 2
