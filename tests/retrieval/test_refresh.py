"""Retrievers of live databases, and schemas that are read again."""

import copy
import pickle
import sqlite3
from pathlib import Path

import pytest

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, Table
from tests.servers import ESCAPED, PASSWORD, Server

SCRIPT = """
CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE album (id INTEGER PRIMARY KEY, artist_id INTEGER REFERENCES artist (id), title TEXT);
"""


class Noting(HashingEncoder):
    """Notes what it embeds."""

    def __init__(self) -> None:
        super().__init__(dim=32)
        self.embedded: list[str] = []

    def encode_documents(self, texts):  # type: ignore[no-untyped-def]
        self.embedded += texts
        return super().encode_documents(texts)


def run(path: Path, script: str) -> str:
    with sqlite3.connect(path) as connection:
        connection.executescript(script)
    return f"sqlite:///{path}"


def tables(retriever: TableRetriever, question: str = "which albums are there") -> list[str]:
    return [found.table for found in retriever.retrieve(question, k=10)]


def test_a_live_database_is_asked_and_read_again(tmp_path: Path) -> None:
    inner = Noting()
    url = run(tmp_path / "music.sqlite", SCRIPT)
    retriever = TableRetriever.from_database(url, CachedEncoder(inner))
    assert tables(retriever)[0] == "album"
    assert retriever.databases[0].name == "music"
    retriever.remember(["who sang"], [["artist"]])

    inner.embedded.clear()
    assert not retriever.refresh()
    assert inner.embedded == []

    run(
        tmp_path / "music.sqlite",
        "CREATE TABLE concert (city TEXT, artist_id INTEGER REFERENCES artist (id));"
        "ALTER TABLE album DROP COLUMN title;",
    )
    changes = retriever.refresh()
    assert str(changes) == (
        "1 table added (concert), 1 column removed (album.title), 1 join added (concert.artist_id = artist.id)"
    )
    assert inner.embedded
    assert not [text for text in inner.embedded if "artist" in text and "concert" not in text and "album" not in text]
    assert tables(retriever, "city of the concert")[0] == "concert"
    assert [list(gold) for gold in retriever.model.memory.gold] == [[("music", "artist")]]
    assert str(TableRetriever.from_database(url, CachedEncoder(inner)).refresh()) == "nothing changed"


def test_a_refreshed_retriever_answers_as_a_new_one(tmp_path: Path) -> None:
    url = run(tmp_path / "music.sqlite", SCRIPT)
    retriever = TableRetriever.from_database(url, HashingEncoder(dim=32), include=["a*", "c*"])
    run(tmp_path / "music.sqlite", "CREATE TABLE concert (city TEXT); CREATE TABLE other (x TEXT)")
    retriever.refresh()
    new = TableRetriever.from_database(url, HashingEncoder(dim=32), include=["a*", "c*"])
    for question in ("in which city is the concert", "the titles of albums"):
        scores = [
            [(found.table, found.score, found.reason) for found in each.retrieve(question)] for each in (retriever, new)
        ]
        assert scores[0] == scores[1]


def test_a_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "music.sql"
    path.write_text(SCRIPT)
    retriever = TableRetriever.from_ddl(path, HashingEncoder(dim=32))
    path.write_text(SCRIPT + "CREATE TABLE concert (city TEXT);")
    assert retriever.refresh().added_tables == (("music", "concert"),)


def test_a_schema_that_cannot_be_read_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "music.sqlite"
    retriever = TableRetriever.from_database(run(path, SCRIPT), HashingEncoder(dim=32))
    before = tables(retriever)
    path.unlink()
    with pytest.raises(JoinGRError, match="no database file"):
        retriever.refresh()
    assert tables(retriever) == before


def test_a_retriever_of_schemas_needs_them_again() -> None:
    database = Database("d", (Table("t", (Column("a"),)),))
    retriever = TableRetriever([database], HashingEncoder(dim=32))
    with pytest.raises(JoinGRError, match=r"refresh\(\[database\]\)"):
        retriever.refresh()
    later = Database("d", (Table("t", (Column("a"), Column("b"))),))
    assert retriever.refresh([later]).added_columns == (("d", "t", "b"),)
    assert retriever.databases == (later,)


def test_the_password_is_saved_nowhere(postgres: Server, tmp_path: Path) -> None:
    url = postgres.new_database("CREATE TABLE t (a INTEGER);")
    encoder = CachedEncoder(HashingEncoder(dim=32), tmp_path / "cache")
    retriever = TableRetriever.from_database(url, encoder)
    retriever.save(tmp_path / "saved")
    (tmp_path / "pickled").write_bytes(pickle.dumps(retriever.__getstate__()))
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert written
    for secret in (PASSWORD, ESCAPED):
        assert secret.encode() not in written
        assert secret not in repr(vars(retriever))
    assert not retriever.refresh()
    with pytest.raises(JoinGRError, match="does not know where"):
        copy.copy(retriever).refresh()
