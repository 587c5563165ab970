"""Nothing that the use of a live database leaves behind holds its password."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg import TableRetriever
from joingr_pyg.cli.main import main
from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.errors import JoinGRError
from tests.servers import ESCAPED, PASSWORD, Server

SCRIPT = """
CREATE TABLE artist (id INTEGER PRIMARY KEY, name VARCHAR(20)); INSERT INTO artist VALUES (1, 'Radiohead');
CREATE TABLE album (id INTEGER, artist_id INTEGER REFERENCES artist (id), title VARCHAR(20));
"""
QUESTION = "Which albums has Radiohead made?"


def assert_clean(*folders: Path) -> None:
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert files
    for path in files:
        content = path.read_bytes()
        for secret in (PASSWORD, ESCAPED):
            assert secret.encode() not in content, path


@pytest.mark.parametrize("system", ["postgres", "mariadb"])
def test_no_file_holds_the_password(
    system: str, request: pytest.FixtureRequest, tmp_path: Path, cache_of_user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server: Server = request.getfixturevalue(system)
    url = server.new_database(SCRIPT)
    monkeypatch.setenv("JOINGR_CACHE", str(tmp_path / "cache"))
    retriever = TableRetriever.from_database(url, HashingEncoder(16), values=True, values_folder=tmp_path)
    result = retriever.retrieve(QUESTION)
    for name, text in {"a.html": result.to_html(), "a.sql": result.to_ddl(), "a.json": result.to_json()}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    retriever.save(tmp_path / "saved")
    (tmp_path / "retriever.pickle").write_bytes(pickle.dumps(retriever))
    (tmp_path / "shown.txt").write_text(repr([retriever.databases, retriever.preparation, result]))
    server.run("DROP TABLE album;", url)
    retriever.refresh()
    server.run("CREATE TABLE label (id INTEGER);", url)
    retriever.save(tmp_path / "saved")
    with pytest.raises(JoinGRError) as error:
        TableRetriever.from_database(url + "_gone", HashingEncoder(16))
    (tmp_path / "error.txt").write_text(str(error.value))
    assert_clean(tmp_path)


def test_no_command_prints_or_keeps_it(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    url = postgres.new_database(SCRIPT)
    monkeypatch.setenv("JOINGR_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for line in (
        ["schema", url],
        ["schema", url + "_gone"],
        ["ask", url.replace(ESCAPED, "wrong" + ESCAPED), QUESTION],
    ):
        assert main(line) == (0 if line == ["schema", url] else 2)
    out, err = capfd.readouterr()
    (tmp_path / "printed.txt").write_text(out + err)
    assert_clean(tmp_path)


def test_a_run_with_a_url_keeps_no_password(command: Callable[..., Any], tmp_path: Path) -> None:
    url = f"postgresql://me:{ESCAPED}@host/db"
    small = ("encoder=hashing", "encoder.dim=16", "model.hidden_channels=8", "trainer.max_epochs=1", "baselines=[]")
    ended = command("train.py", *small, f"+db='{url}'", f"paths.cache={tmp_path / 'cache'}", folder=tmp_path / "run")
    assert (ended.status, ended.stderr) == (0, "")
    (tmp_path / "printed.txt").write_text(ended.stdout)
    assert_clean(tmp_path)
