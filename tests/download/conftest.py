"""An HTTP server on this machine, with the faults that real ones have."""

import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest


class RangeServer(ThreadingHTTPServer):
    """Serves the files below a folder, with ranges and entity tags unless told otherwise."""

    def __init__(self, root: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.root = root
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.ranges = True
        self.announces_no_ranges = False
        self.validators = True
        self.cuts: list[int] = []
        """Body bytes after which each of the next answers to GET breaks off."""
        self.before_cut: Callable[[int], None] = lambda sent: None
        self.before_body: Callable[[], None] = lambda: None
        self.statuses: list[int] = []
        """Statuses to answer the next requests with instead of the file."""
        self.requests: list[tuple[str, str, str | None]] = []
        """``(method, path, Range)`` of every request."""
        self.sent = 0
        """Body bytes of all answers."""

    @property
    def starts(self) -> list[int]:
        """The first byte that each GET asked for."""
        return [
            int(byte_range.removeprefix("bytes=").split("-")[0]) if byte_range else 0
            for method, _, byte_range in self.requests
            if method == "GET"
        ]

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up early are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RangeServer

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        byte_range = self.headers.get("Range")
        self.server.requests.append((self.command, self.path, byte_range))
        file = self.server.root / self.path.lstrip("/")
        if self.server.statuses:
            self._refuse(self.server.statuses.pop(0))
        elif not file.is_file():
            self._refuse(404)
        else:
            self._serve(file, byte_range, body)

    def _serve(self, file: Path, byte_range: str | None, body: bool) -> None:
        size = file.stat().st_size
        start, end = 0, size
        if byte_range and self.server.ranges:
            first, last = byte_range.removeprefix("bytes=").split("-")
            start, end = int(first), min(int(last) + 1, size)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
        else:
            self.send_response(200)
        if self.server.announces_no_ranges:
            self.send_header("Accept-Ranges", "none")
        if self.server.validators:
            self.send_header("ETag", f'"{file.stat().st_mtime_ns}-{size}"')
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        if body:
            self.server.before_body()
            self._send(file, start, end)

    def _send(self, file: Path, start: int, end: int) -> None:
        cut = self.server.cuts.pop(0) if self.server.cuts else None
        stop = end if cut is None else min(end, start + cut)
        with file.open("rb") as content:
            content.seek(start)
            while chunk := content.read(min(2**16, stop - content.tell())):
                self.wfile.write(chunk)
                self.server.sent += len(chunk)
        if cut is not None:
            self.wfile.flush()
            self.server.before_cut(stop)
            self.close_connection = True

    def _refuse(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RangeServer]:
    """A server of the empty folder ``served`` below ``tmp_path``."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    root = tmp_path / "served"
    root.mkdir()
    with RangeServer(root) as running:
        thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield running
        finally:
            running.shutdown()
            thread.join()


@pytest.fixture
def wait_for_bytes() -> Callable[[Path, int], None]:
    """Wait until the part files in a folder have nearly that many bytes: all but what a write buffer holds."""

    def wait(folder: Path, count: int) -> None:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            if sum(part.stat().st_size for part in folder.glob("*.part")) > count - 2**13:
                return
            time.sleep(0.005)

    return wait
