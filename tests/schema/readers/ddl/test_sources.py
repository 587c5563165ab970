"""Files in any encoding, several of them, and what is taken for one and is none."""

import re
from pathlib import Path

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.readers.ddl import read_ddl, read_ddl_report

TEXT = "CREATE TABLE straße (größe INT, größer INT REFERENCES straße (größe));\n"


def names(source: object, **options: str) -> list[str]:
    return [table.name for table in read_ddl(source, "d", **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_encodings_with_a_byte_order_mark_are_recognised(tmp_path: Path, encoding: str, line_break: str) -> None:
    (tmp_path / "x.sql").write_bytes(f"-- {TEXT}{TEXT}".replace("\n", line_break).encode(encoding))
    database = read_ddl(tmp_path / "x.sql")
    assert database.name == "x"
    assert database["straße"].column_names == ("größe", "größer")
    assert len(database.foreign_keys) == 1


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_recognised_without_its_mark(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "x.sql").write_bytes(TEXT.encode(encoding))
    assert names(tmp_path / "x.sql") == ["straße"]


def test_an_encoding_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "x.sql").write_bytes("CREATE TABLE таблица (имя INT)".encode("cp1251"))
    assert names(tmp_path / "x.sql", encoding="cp1251") == ["таблица"]
    with pytest.raises(JoinGRError, match="is not in the encoding 'ascii'"):
        read_ddl(tmp_path / "x.sql", encoding="ascii")
    with pytest.raises(JoinGRError, match="There is no encoding 'utf-9': give one such as"):
        read_ddl(tmp_path / "x.sql", encoding="utf-9")


def test_letters_that_are_no_utf_8_are_read_as_windows_1252_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "x.sql").write_bytes(b"CREATE TABLE a (id INT);\n" + TEXT.encode("cp1252"))
    reading = read_ddl_report(tmp_path / "x.sql")
    assert [table.name for table in reading.database] == ["a", "straße"]
    (warning,) = reading.warnings
    assert "is no UTF-8, first in line 2" in warning
    assert "give encoding= if it is another" in warning


def test_a_mark_at_the_beginning_of_a_text_is_no_letter_of_it() -> None:
    assert names("\ufeffCREATE TABLE a (id INT)") == ["a"]


def test_keys_may_be_in_another_file_whatever_their_order(tmp_path: Path) -> None:
    (tmp_path / "b.sql").write_text("CREATE TABLE a (id INT); CREATE TABLE b (a_id INT);")
    (tmp_path / "a.sql").write_text(
        "ALTER TABLE a ADD PRIMARY KEY (id); ALTER TABLE b ADD FOREIGN KEY (a_id) REFERENCES a;"
        "COMMENT ON COLUMN b.a_id IS 'owner';"
    )
    for files in (["a.sql", "b.sql"], ["b.sql", "a.sql"]):
        database = read_ddl([tmp_path / file for file in files], "d")
        assert list(map(str, database.foreign_keys)) == ["b.a_id = a.id"]
        assert database["b"].columns[0].description == "owner"
    mixed = read_ddl([str(tmp_path / "b.sql"), "ALTER TABLE a ADD PRIMARY KEY (id);"])
    assert (mixed.name, mixed["a"].primary_key) == ("b", ("id",))


@pytest.mark.parametrize("text", ["CREATE TABLE a (x INT)", "create table a (x int)", "-- a\nCREATE TABLE a (x INT);"])
def test_a_text_is_no_path(text: str) -> None:
    assert names(text) == ["a"]
    assert read_ddl(text).name == "database"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "gone.sql",
            "The schema file 'gone.sql' cannot be read (No such file or directory): give a file of CREATE TABLE",
        ),
        (Path("gone.sql"), "The schema file 'gone.sql' cannot be read (No such file or directory)"),
        (Path("CREATE TABLE a (x INT)"), "is no file but statements: give them as str, not as Path"),
        ("x" * 5000, "cannot be read (File name too long)"),
        ("a\0b", "cannot be read (embedded null byte)"),
        ([], "The list of schema files is empty: name at least one"),
        (["CREATE TABLE a (x INT)", 3], "A list of schema files holds paths or texts of statements (got int in it)"),
        (3, "A schema is read from a file, a list of files, or a text of statements (got int)"),
        (None, "(got NoneType)"),
        (b"CREATE TABLE a (x INT)", "(got bytes)"),
        ({"a.sql": 1}, "(got dict)"),
    ],
)
def test_what_is_no_source_is_one_sentence(source: object, message: str) -> None:
    with pytest.raises(JoinGRError, match=re.escape(message)) as caught:
        read_ddl(source)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 400


def test_a_folder_is_told_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(
        JoinGRError, match=r"is a folder, a directory of files: give the files in it, such as sorted\(Path"
    ):
        read_ddl(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PGDMP\x01\x0e\x00", "is a dump in pg_dump's own format: make it text by pg_restore"),
        (b"SQLite format 3\0\xff", "is an SQLite database: give its schema as text, which sqlite3 FILE .schema prints"),
        (b"\x1f\x8b\x08\x00", "is compressed: unpack it with gunzip"),
        (b"PK\x03\x04\x00", "is a ZIP archive: unpack it"),
        (b"\x7fELF\x02\x01\x01\x00\x00\x00", "is no text: give a file of CREATE TABLE statements"),
    ],
)
def test_a_file_that_is_no_text_is_told(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(JoinGRError, match=re.escape(message)):
        read_ddl(tmp_path / "x")
