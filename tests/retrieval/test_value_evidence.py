"""Questions that name values of a live database."""

import os
import sqlite3
from contextlib import nullcontext
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import StaticPool

from joingr_pyg import TableRetriever
from joingr_pyg.data.queries import Queries
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.kernels import without_kernels
from joingr_pyg.retrieval.live_values import LiveValues
from joingr_pyg.retrieval.value_evidence import ValueEvidence
from joingr_pyg.schema.readers.live import read_database
from joingr_pyg.schema.readers.live.values import ValueLimits

SCRIPT = """
CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE album (id INTEGER PRIMARY KEY, artist_id INTEGER REFERENCES artist (id), title TEXT);
CREATE TABLE shop (city TEXT, opened DATE);
CREATE TABLE invoice (billing_city TEXT, city TEXT);
CREATE TABLE concert (city TEXT);
INSERT INTO artist VALUES (1, 'Radiohead');
INSERT INTO album VALUES (1, 1, 'Kid A');
INSERT INTO shop VALUES ('Oslo', NULL);
INSERT INTO invoice VALUES ('Oslo', 'Oslo');
INSERT INTO concert VALUES ('Oslo');
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    with sqlite3.connect(tmp_path / "music.sqlite") as connection:
        connection.executescript(SCRIPT)
    return f"sqlite:///{tmp_path / 'music.sqlite'}"


@pytest.fixture
def retriever(url: str, tmp_path: Path) -> TableRetriever:
    encoder = CachedEncoder(HashingEncoder(dim=64))
    return TableRetriever.from_database(url, encoder, values=True, values_folder=tmp_path / "values")


def reasons(retriever: TableRetriever, question: str) -> dict[str, str]:
    return {found.table: found.reason for found in retriever.retrieve(question, k=5)}


def test_a_value_leads_to_its_table_and_is_the_reason(retriever: TableRetriever, url: str) -> None:
    question = "everything from Radiohead"
    found = retriever.retrieve(question)
    assert found.question == question
    assert found[0].table == "artist"
    assert found[0].reason.startswith("'Radiohead' is a value of artist.name")
    assert found[0].matching_columns[0] == "name"
    assert not [table for table in found if "artist" in table.matched_words or "shares 'artist'" in table.reason]
    plain = TableRetriever.from_database(url, HashingEncoder(dim=64))
    assert [table.score for table in plain.retrieve(question)] != [table.score for table in found]


def test_questions_without_values_are_answered_as_ever(retriever: TableRetriever, url: str) -> None:
    plain = TableRetriever.from_database(url, HashingEncoder(dim=64))
    for question in ("titles of albums", "when did the shop open"):
        assert retriever.retrieve(question) == plain.retrieve(question)
    assert retriever.retrieve_batch(["titles of albums", "Kid A"])[1] == retriever.retrieve("Kid A")


def test_a_value_of_many_columns_points_at_no_table(url: str, tmp_path: Path) -> None:
    database = read_database(url)
    evidence = ValueEvidence(LiveValues(url, ValueLimits(), tmp_path / "values").index([database]), [database])
    asked = evidence.ask("What happened in Oslo?")
    assert asked.text == "What happened in Oslo? (city, billing city)"
    assert len(asked.matches) == 4
    assert evidence.ask("Kid A by Radiohead").text == "Kid A by Radiohead (album title, artist name)"
    assert evidence.ask("no value").text == "no value"


def test_values_are_read_once_and_again_when_refreshed(retriever: TableRetriever, url: str, tmp_path: Path) -> None:
    (index,) = (tmp_path / "values").iterdir()
    before = index.stat().st_mtime_ns
    TableRetriever.from_database(url, HashingEncoder(dim=64), values=True, values_folder=tmp_path / "values")
    assert index.stat().st_mtime_ns == before
    with sqlite3.connect(tmp_path / "music.sqlite") as connection:
        connection.execute("INSERT INTO artist VALUES (2, 'Blur')")
    assert "Blur" not in reasons(retriever, "songs of Blur")["artist"]
    assert not retriever.refresh()
    assert "'Blur' is a value of artist.name" in reasons(retriever, "songs of Blur")["artist"]


def test_a_changed_file_is_read_again_at_the_next_start(retriever: TableRetriever, url: str, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "music.sqlite") as connection:
        connection.execute("INSERT INTO artist VALUES (2, 'Blur')")
    path = tmp_path / "music.sqlite"
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 10**9))
    again = TableRetriever.from_database(url, HashingEncoder(dim=64), values=True, values_folder=tmp_path / "values")
    assert "'Blur' is a value of artist.name" in reasons(again, "songs of Blur")["artist"]


def test_databases_in_memory_do_not_share_values(tmp_path: Path) -> None:
    for value in ("Radiohead", "Blur"):
        engine = create_engine("sqlite://", poolclass=StaticPool)
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE artist (name TEXT)"))
            connection.execute(text("CREATE TABLE other (id INTEGER)"))
            connection.execute(text(f"INSERT INTO artist VALUES ('{value}')"))
        options = {"values": ValueLimits(), "values_folder": tmp_path / "values"}
        made = TableRetriever.from_database(engine, HashingEncoder(dim=64), **options)
        assert f"'{value}' is a value" in reasons(made, f"songs of {value}")["artist"]


def test_values_are_not_saved_with_a_retriever(
    retriever: TableRetriever, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    retriever.save(tmp_path / "saved")
    assert "The values of columns are not saved" in caplog.text
    written = b"".join(path.read_bytes() for path in (tmp_path / "saved").rglob("*") if path.is_file())
    assert b"Radiohead" not in written
    assert str(tmp_path / "music.sqlite").encode() not in written


def test_a_folder_that_cannot_be_written_to_is_named(url: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JoinGRError, match=r"cannot be written to '.*file/values' .*values_folder="):
        TableRetriever.from_database(url, HashingEncoder(dim=8), values=True, values_folder=tmp_path / "file/values")


LEGACY = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, city TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER, placed DATE);
INSERT INTO customer VALUES (7, 'Oslo'), (8, 'Rome');
INSERT INTO purchase VALUES (1, 7, NULL), (2, 8, NULL);
"""


def test_rows_speak_for_inferred_joins_and_against_them(tmp_path: Path) -> None:
    path = tmp_path / "legacy.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(LEGACY)
    url, folder = f"sqlite:///{path}", tmp_path / "values"
    (named,) = TableRetriever.from_database(url, HashingEncoder(dim=8)).databases[0].joins
    retriever = TableRetriever.from_database(url, HashingEncoder(dim=8), values=True, values_folder=folder)
    (join,) = retriever.databases[0].joins
    assert str(join) == str(named) == "purchase.customer_id = customer.id"
    assert join.confidence > named.confidence
    assert join.evidence == f"{named.evidence}; 100% of its values are there"
    (restricted,) = retriever.restricted(["customer", "purchase"]).databases[0].joins
    assert restricted == join
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE purchase SET customer_id = customer_id + 1000")
    assert retriever.refresh()
    assert retriever.databases[0].joins == ()


@pytest.mark.parametrize("kernels", [True, False])
def test_a_question_that_names_a_value_gets_the_votes_of_itself(retriever: TableRetriever, kernels: bool) -> None:
    question = "everything from Radiohead"
    retriever.remember([question], [["shop"]])
    (query,) = Queries.encode([question], retriever.encoder).split(1)
    assert retriever._values.ask(question).text != question
    with nullcontext() if kernels else without_kernels():
        backend = retriever.model.backend(query.vector.device)
        plain = backend.explained(query, 5).explain(0, 5)
        found = {table.table: table for table in retriever.retrieve(question)}
        text = f"{question} (artist name)"
        with_value = backend.explained(Queries.encode([text], retriever.encoder, [question]), 5).explain(0, 5)
    assert "similar answered questions needed it" in found["shop"].reason
    votes = [{each.table: each.features["votes"] for each in explained} for explained in (plain, with_value)]
    assert votes[0] == pytest.approx(votes[1])
    assert max(votes[0].values()) > 0
