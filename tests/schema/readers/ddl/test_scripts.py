"""Scripts in the manner of the tools that write most of them: each is read as the text file beside it says.

A text file holds the dialect, the summaries without and with views, and then all tables, columns, keys and messages.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from joingr_pyg.schema.readers.ddl import DDLReading, read_ddl_report

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.sql"))


def written_out(reading: DDLReading) -> Iterator[str]:
    for table in reading.database:
        key = f" key ({', '.join(table.primary_key)})" if table.primary_key else ""
        schema = f" in {table.schema}" if table.schema else ""
        yield f"{table.name}{schema}{key}{f' -- {table.description}' if table.description else ''}"
        for column in table.columns:
            description = f" -- {column.description!r}" if column.description else ""
            yield f"    {column.name}: {column.type}{description}"
    yield from map(str, reading.database.foreign_keys)
    yield from map(str, reading.not_understood)
    yield from reading.left_out
    yield from reading.warnings


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_of_common_tools_are_read_whole(script: Path) -> None:
    reading, with_views = read_ddl_report(script), read_ddl_report(script, views=True)
    lines = [reading.dialect, reading.summary(), with_views.summary(), *written_out(with_views)]
    assert lines == script.with_suffix(".txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_dialect_may_be_given_and_a_wrong_one_is_recognised(script: Path) -> None:
    reading = read_ddl_report(script)
    given = read_ddl_report(script, dialect=reading.dialect)
    assert (given.database, given.warnings) == (reading.database, ())
    wrong = "mysql" if reading.dialect in ("postgres", "redshift", "oracle", "db2", "tsql") else "tsql"
    other = read_ddl_report(script, dialect=wrong)
    assert other.warnings == (f"The statements are written in {reading.dialect}, not in {wrong}, and are read so.",)
    assert other.database == reading.database
