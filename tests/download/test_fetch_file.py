"""Downloads of one file from a local server: complete, interrupted, changed, refused."""

import hashlib
import io
import os
import random
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from joingr_pyg.download import fetch_file
from joingr_pyg.download.remote import BLOCK
from joingr_pyg.errors import JoinGRError

SIZE = 3 * BLOCK + 12_345
CONTENT = random.Random(0).randbytes(SIZE)
BUFFER = 2**13

Wait = Callable[[Path, int], None]


@pytest.fixture
def remote(server):
    """The server with one file of three and a bit blocks."""
    (server.root / "file.bin").write_bytes(CONTENT)
    return server


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "data" / "deep" / "file.bin"


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def break_off(server, target: Path, wait: Wait, after: int = BLOCK + 999) -> None:
    """Let one fetch fail after that many bytes."""
    server.cuts = [after]
    server.before_cut = lambda sent: wait(target.parent, sent)
    with pytest.raises(JoinGRError, match="the connection broke off"):
        fetch_file(f"{server.url}/{target.name}", target, attempts=1)
    server.requests.clear()


def test_whole_file_arrives(remote, target: Path) -> None:
    assert fetch_file(f"{remote.url}/file.bin", target) == target
    assert target.read_bytes() == CONTENT
    assert visible(target.parent) == ["file.bin"]
    assert [method for method, _, _ in remote.requests] == ["HEAD", "GET"]
    assert remote.sent == SIZE


def test_progress_is_shown_on_a_terminal_only(
    remote, target: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    fetch_file(f"{remote.url}/file.bin", target)
    assert capfd.readouterr() == ("", "")

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    fetch_file(f"{remote.url}/file.bin", target.with_name("again.bin"))
    assert "again.bin" in terminal.getvalue()
    assert "/1.59M" in terminal.getvalue()


def test_present_file_is_left_alone(remote, target: Path) -> None:
    target.parent.mkdir(parents=True)
    target.write_bytes(b"mine")
    fetch_file(f"{remote.url}/file.bin", target)
    assert target.read_bytes() == b"mine"
    assert remote.requests == []
    assert os.listdir(target.parent) == ["file.bin"]


@pytest.mark.parametrize("after", [1, BLOCK, BLOCK + 1, 2 * BLOCK + 777, SIZE - 1])
def test_broken_connection_is_resumed(remote, target: Path, wait_for_bytes: Wait, after: int) -> None:
    remote.cuts = [after]
    remote.before_cut = lambda sent: wait_for_bytes(target.parent, sent)
    fetch_file(f"{remote.url}/file.bin", target, pause=0)
    assert target.read_bytes() == CONTENT
    assert after - BUFFER <= remote.starts[1] <= after
    assert remote.sent <= SIZE + BUFFER
    assert visible(target.parent) == ["file.bin"]


def test_resumed_transfer_may_break_off_too(remote, target: Path, wait_for_bytes: Wait) -> None:
    remote.cuts = [BLOCK, 1000, 1000]
    remote.before_cut = lambda sent: wait_for_bytes(target.parent, min(sent, BLOCK))
    fetch_file(f"{remote.url}/file.bin", target, pause=0)
    assert target.read_bytes() == CONTENT


def test_later_run_resumes(remote, target: Path, wait_for_bytes: Wait) -> None:
    break_off(remote, target, wait_for_bytes)
    assert not target.exists()
    fetch_file(f"{remote.url}/file.bin", target)
    assert target.read_bytes() == CONTENT
    assert remote.starts[0] >= BLOCK + 999 - BUFFER


def test_changed_file_starts_again(remote, target: Path, wait_for_bytes: Wait) -> None:
    break_off(remote, target, wait_for_bytes)
    changed = CONTENT[::-1]
    (remote.root / "file.bin").write_bytes(changed)
    os.utime(remote.root / "file.bin", ns=(1, 1))
    fetch_file(f"{remote.url}/file.bin", target)
    assert target.read_bytes() == changed
    assert remote.starts == [0]
    assert visible(target.parent) == ["file.bin"]


def test_without_validators_starts_again(remote, target: Path, wait_for_bytes: Wait) -> None:
    remote.validators = False
    break_off(remote, target, wait_for_bytes)
    fetch_file(f"{remote.url}/file.bin", target)
    assert target.read_bytes() == CONTENT
    assert remote.starts == [0]


@pytest.mark.parametrize("announced", [True, False])
def test_without_ranges_starts_again(remote, target: Path, wait_for_bytes: Wait, announced: bool) -> None:
    remote.ranges, remote.announces_no_ranges = False, announced
    break_off(remote, target, wait_for_bytes)
    fetch_file(f"{remote.url}/file.bin", target, pause=0)
    assert target.read_bytes() == CONTENT
    assert remote.starts[-1] == 0


def test_missing_file_is_reported_at_once(server, target: Path) -> None:
    with pytest.raises(JoinGRError) as caught:
        fetch_file(f"{server.url}/file.bin", target)
    assert str(caught.value) == (
        f"Could not download '{server.url}/file.bin' to '{target}': the server answered 404 Not Found; put it there "
        "by hand, or set `paths.data` to a folder that has it."
    )
    # fsspec looks a file up by HEAD and then by GET; there is no second attempt.
    assert [method for method, _, _ in server.requests] == ["HEAD", "GET"]
    assert visible(target.parent) == []


def test_temporary_error_is_retried(remote, target: Path) -> None:
    remote.statuses = [503, 503, 429, 429]
    fetch_file(f"{remote.url}/file.bin", target, attempts=3, pause=0)
    assert target.read_bytes() == CONTENT


def test_permanent_error_is_reported(remote, target: Path) -> None:
    remote.statuses = [503] * 100
    with pytest.raises(JoinGRError, match="the server answered 503 Service Unavailable; put it"):
        fetch_file(f"{remote.url}/file.bin", target, attempts=2, pause=0)
    assert len(remote.requests) == 4


def test_no_network_is_reported(target: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/file.bin"
        with pytest.raises(JoinGRError, match=f"'{re.escape(url)}' to .*: there is no connection "):
            fetch_file(url, target, attempts=2, pause=0)


def test_short_reads_are_reported(remote, target: Path) -> None:
    remote.validators = False
    remote.cuts = [1000] * 100
    with pytest.raises(JoinGRError, match="the connection broke off"):
        fetch_file(f"{remote.url}/file.bin", target, attempts=2, pause=0)
    assert not target.exists()


def test_digest_is_checked(remote, target: Path) -> None:
    digest = hashlib.sha256(CONTENT).hexdigest()
    with pytest.raises(JoinGRError, match=f"its sha256 is {digest}, not {'0' * 64};"):
        fetch_file(f"{remote.url}/file.bin", target, sha256="0" * 64)
    assert visible(target.parent) == []
    fetch_file(f"{remote.url}/file.bin", target, sha256=digest.upper())
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("content", [b"<html>Please log in</html>", b'[{"question": "cut o', b"\xff\xfe\xff"])
def test_json_target_must_be_json(server, tmp_path: Path, content: bytes) -> None:
    (server.root / "dev.json").write_bytes(content)
    target = tmp_path / "data" / "dev.json"
    with pytest.raises(JoinGRError, match="the received file is not JSON"):
        fetch_file(f"{server.url}/dev.json", target)
    assert visible(target.parent) == []


def test_unwritable_folder_is_reported(remote, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    target = tmp_path / "data" / "deep" / "file.bin"
    with pytest.raises(JoinGRError, match=f"'{target}': the folder cannot be written \\(Not a directory\\)"):
        fetch_file(f"{remote.url}/file.bin", target)
    assert remote.requests == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder_is_reported(remote, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o555)
    with pytest.raises(JoinGRError, match="the folder cannot be written"):
        fetch_file(f"{remote.url}/file.bin", folder / "file.bin")


def test_two_processes_fetch_once(remote, target: Path, wait_for_bytes: Wait, tmp_path: Path) -> None:
    started = tmp_path / "started"
    started.mkdir()
    # The answer waits until both runs are under way.
    remote.before_body = lambda: wait_until_two(started)
    program = (
        "import sys; from pathlib import Path; from joingr_pyg.download import fetch_file\n"
        "Path(sys.argv[1]).touch(); fetch_file(sys.argv[2], Path(sys.argv[3]))"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", program, started / str(n), f"{remote.url}/file.bin", target])
        for n in range(2)
    ]
    assert [run.wait(timeout=60) for run in runs] == [0, 0]
    assert target.read_bytes() == CONTENT
    assert remote.sent == SIZE


def wait_until_two(folder: Path) -> None:
    deadline = time.monotonic() + 30
    while len(os.listdir(folder)) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.1)
