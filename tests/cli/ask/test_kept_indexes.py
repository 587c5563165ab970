"""The second question to a file is answered from its kept index, as the first was."""

import logging
import sqlite3
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from joingr_pyg.cli.ask import kept_indexes
from joingr_pyg.cli.main import main
from joingr_pyg.encoders.packaged import packaged_minilm
from joingr_pyg.retrieval import TableRetriever

pytestmark = pytest.mark.skipif(
    packaged_minilm() is None, reason="the packaged MiniLM weights (extra 'offline') are missing"
)

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, placed DATE);
"""
QUESTION = "Which customers ordered something in May?"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("JOINGR_CACHE", str(folder))
    return folder / "indexes"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sql"
    path.write_text(SHOP)
    return path


def ask(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[str, int]:
    """What is printed, and how often a schema was read."""
    reads = [
        patch.object(TableRetriever, name, wraps=getattr(TableRetriever, name))
        for name in ("from_ddl", "from_database")
    ]
    with reads[0] as files, reads[1] as databases:
        assert main(["ask", str(arguments[0]), QUESTION, *map(str, arguments[1:])]) == 0
    return capsys.readouterr().out, files.call_count + databases.call_count


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_the_second_answer_is_the_first_without_reading(
    cache: Path, shop: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    out, read = ask(capsys, shop, "--infer-joins", "never")
    assert read == 1
    assert "customers" in out
    (warned,) = warnings(caplog)
    assert "declares no foreign key" in warned
    caplog.clear()
    assert ask(capsys, shop, "--infer-joins", "never") == (out, 0)
    assert warnings(caplog) == [warned]


def test_whatever_changes_the_schema_is_read(cache: Path, shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, _ = ask(capsys, shop)
    assert "orders.customer_id = customers.id  (inferred" in before
    assert ask(capsys, shop, "--infer-joins", "never")[1] == 1
    joins = shop.with_name("joins.txt")
    for given in ("orders.id = customers.id", "orders.customer_id = customers.id"):
        joins.write_text(given)
        out, read = ask(capsys, shop, "--joins", joins)
        assert read == 1
        assert f"{given}  (given" in out
    shop.write_text(SHOP.replace("customers", "clients"))
    out, read = ask(capsys, shop)
    assert read == 1
    assert "clients" in out
    assert "customers.id" not in out
    shop.write_text(SHOP)
    assert ask(capsys, shop) == (before, 0)


def test_a_damaged_index_is_made_anew(cache: Path, shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = ask(capsys, shop)
    for name in ("index/retriever.json", "warnings.json"):
        (file,) = cache.glob(f"*/{name}")
        file.write_bytes(b"{")
        assert ask(capsys, shop) == (out, 1)
        assert ask(capsys, shop) == (out, 0)


def test_of_an_sqlite_database_the_schema_counts(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(SHOP)
        out, read = ask(capsys, path)
        assert read == 1
        database.execute("INSERT INTO customers VALUES (1, 'Ann')")
        database.commit()
        assert ask(capsys, path) == (out, 0)
        database.execute("ALTER TABLE customers RENAME TO clients")
        assert ask(capsys, path)[1] == 1


def test_a_url_is_not_kept(cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(SHOP)
    for _ in range(2):
        assert ask(capsys, f"sqlite:///{path}")[1] == 1
    assert not cache.exists()


def test_few_are_kept(
    cache: Path, shop: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_indexes, "KEPT", 2)
    for dialect in ("sqlite", "postgres", "mysql"):
        ask(capsys, shop, "--dialect", dialect)
    assert len(list(cache.iterdir())) == 2
    assert ask(capsys, shop, "--dialect", "mysql")[1] == 0
    assert ask(capsys, shop, "--dialect", "sqlite")[1] == 1
    monkeypatch.setattr(kept_indexes, "KEPT_BYTES", 1)
    assert ask(capsys, shop, "--dialect", "tsql")[1] == 1
    assert len(list(cache.iterdir())) == 1


def test_an_index_that_cannot_be_written_is_no_error(
    cache: Path, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache.parent.mkdir()
    cache.write_text("a file where the folder should be")
    assert ask(capsys, shop)[1] == 1
    assert ask(capsys, shop)[1] == 1
