"""Downloads of members of a large zip archive from a local server."""

import json
import random
import time
import zipfile
from pathlib import Path
from threading import Thread

import pytest
from filelock import FileLock

from joingr_pyg.download import fetch_zip_members
from joingr_pyg.errors import JoinGRError

NINE_GIGABYTES = 9 * 10**9
QUESTIONS = [{"question": f"How many rows has table {n}?", "db_id": "shop"} for n in range(20_000)]
TABLES = [{"db_id": "shop", "table_names": ["order", "item"]}]


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def pack(file: Path | str, mode: str) -> None:
    """Write an archive with the layout of BIRD's ``train.zip``."""
    with zipfile.ZipFile(file, mode, zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("train")
        archive.writestr("train/train_databases.zip", random.Random(1).randbytes(10_000))
        archive.writestr("__MACOSX/train/._train.json", b"\0")
        archive.writestr("__MACOSX/train/train.json", b"\0")
        archive.writestr("train/train.json", json.dumps(QUESTIONS))
        archive.writestr("train/train_gold.sql", "SELECT 1")
        archive.writestr("train/train_tables.json", json.dumps(TABLES))


@pytest.fixture
def members(tmp_path: Path) -> dict[str, Path]:
    folder = tmp_path / "bird" / "train"
    return {"train.json": folder / "train.json", "train_tables.json": folder / "train_tables.json"}


def hole(path: Path) -> None:
    """Nine gigabytes that take no place on the disk."""
    with path.open("wb") as file:
        file.truncate(NINE_GIGABYTES)


@pytest.mark.parametrize("zip64", [True, False], ids=["zip64", "offsets modulo 2**32"])
def test_members_of_nine_gigabytes_cost_two_megabytes(server, members: dict[str, Path], zip64: bool) -> None:
    hole(server.root / "train.zip")
    if zip64:
        pack(server.root / "train.zip", "a")
    else:
        # Archives packed on a Mac store the offsets of large files without their upper bits.
        pack(server.root / "small.zip", "w")
        with (server.root / "train.zip").open("ab") as file:
            file.write((server.root / "small.zip").read_bytes())
    assert (server.root / "train.zip").stat().st_size > NINE_GIGABYTES

    assert fetch_zip_members(f"{server.url}/train.zip", members) == tuple(members.values())

    assert json.loads(members["train.json"].read_text()) == QUESTIONS
    assert json.loads(members["train_tables.json"].read_text()) == TABLES
    assert visible(members["train.json"].parent) == ["train.json", "train_tables.json"]
    assert server.sent < 2 * 2**20


def test_only_missing_members_are_fetched(server, members: dict[str, Path]) -> None:
    pack(server.root / "train.zip", "w")
    members["train.json"].parent.mkdir(parents=True)
    members["train.json"].write_text("mine")
    fetch_zip_members(f"{server.url}/train.zip", members)
    assert members["train.json"].read_text() == "mine"
    assert json.loads(members["train_tables.json"].read_text()) == TABLES
    server.requests.clear()
    fetch_zip_members(f"{server.url}/train.zip", members)
    assert server.requests == []


def test_run_that_waited_finds_the_members_of_the_other(server, members: dict[str, Path]) -> None:
    pack(server.root / "train.zip", "w")
    folder = members["train.json"].parent
    folder.mkdir(parents=True)
    waiting = Thread(target=fetch_zip_members, args=(f"{server.url}/train.zip", members))
    with FileLock(folder / ".fetch.lock"):
        waiting.start()
        time.sleep(0.2)
        for target in members.values():
            target.write_text("the other's")
    waiting.join(timeout=30)
    assert server.requests == []
    assert members["train.json"].read_text() == "the other's"


@pytest.mark.parametrize("announced", [True, False])
def test_archive_is_not_downloaded_without_ranges(server, members: dict[str, Path], announced: bool) -> None:
    hole(server.root / "train.zip")
    pack(server.root / "train.zip", "a")
    server.ranges, server.announces_no_ranges = False, announced
    folder = members["train.json"].parent
    with pytest.raises(JoinGRError) as caught:
        fetch_zip_members(f"{server.url}/train.zip", members)
    assert str(caught.value) == (
        f"Could not download 'train.json', 'train_tables.json' of '{server.url}/train.zip' to '{folder}': the server "
        "does not support range requests; put it there by hand, or set `paths.data` to a folder that has it."
    )
    assert server.sent < NINE_GIGABYTES / 100


def test_pattern_without_member_is_reported(server, tmp_path: Path) -> None:
    pack(server.root / "train.zip", "w")
    with pytest.raises(JoinGRError, match=r"0 members of the archive match 'dev.json' \(it has .*'train/train.json'"):
        fetch_zip_members(f"{server.url}/train.zip", {"dev.json": tmp_path / "dev.json"})


def test_pattern_with_two_members_is_reported(server, tmp_path: Path) -> None:
    pack(server.root / "train.zip", "w")
    message = r"2 members of the archive match 'train/\*.json' \(it has 'train/train.json', 'train/train_tables.json'\)"
    with pytest.raises(JoinGRError, match=message):
        fetch_zip_members(f"{server.url}/train.zip", {"train/*.json": tmp_path / "train.json"})


def test_damaged_member_is_reported(server, members: dict[str, Path]) -> None:
    with zipfile.ZipFile(server.root / "train.zip", "w") as archive:
        archive.writestr("train/train.json", '["a question"]')
        archive.writestr("train/train_tables.json", "[]")
    content = (server.root / "train.zip").read_bytes()
    (server.root / "train.zip").write_bytes(content.replace(b"a question", b"a quesTion", 1))
    with pytest.raises(JoinGRError, match=r"the archive is damaged \(Bad CRC-32 for file 'train/train.json'\)"):
        fetch_zip_members(f"{server.url}/train.zip", members)
    assert not members["train.json"].exists()


def test_member_must_be_json(server, members: dict[str, Path]) -> None:
    with zipfile.ZipFile(server.root / "train.zip", "w") as archive:
        archive.writestr("train/train.json", "[1, 2")
        archive.writestr("train/train_tables.json", "[]")
    with pytest.raises(JoinGRError, match="the received file is not JSON"):
        fetch_zip_members(f"{server.url}/train.zip", members)
    assert visible(members["train.json"].parent) == []


def test_page_instead_of_archive_is_reported(server, members: dict[str, Path]) -> None:
    (server.root / "train.zip").write_text("<html>Please log in</html>" * 10)
    with pytest.raises(JoinGRError, match=r"the archive is damaged \(File is not a zip file\)"):
        fetch_zip_members(f"{server.url}/train.zip", members)


def test_missing_archive_is_reported(server, members: dict[str, Path]) -> None:
    with pytest.raises(JoinGRError, match=r"train.zip' to .* the server answered 404 Not Found"):
        fetch_zip_members(f"{server.url}/train.zip", members)


def test_broken_connection_to_archive_is_retried(server, members: dict[str, Path]) -> None:
    pack(server.root / "train.zip", "w")
    server.cuts = [5, 5]
    fetch_zip_members(f"{server.url}/train.zip", members, pause=0)
    assert json.loads(members["train.json"].read_text()) == QUESTIONS


def test_lost_connection_to_archive_is_reported(server, members: dict[str, Path]) -> None:
    pack(server.root / "train.zip", "w")
    server.cuts = [5] * 100
    with pytest.raises(JoinGRError, match="the connection broke off"):
        fetch_zip_members(f"{server.url}/train.zip", members, attempts=2, pause=0)
