import json
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import torch
from huggingface_hub import constants

from joingr_pyg.encoders import SentenceTransformerEncoder, hub
from joingr_pyg.errors import JoinGRError

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(autouse=True)
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty model cache, and a hub that refuses the connection."""
    folder = tmp_path / "hub"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:1")
    return folder


def put_into_cache(hub_cache: Path, model: Path) -> Path:
    folder = hub_cache / "models--org--tiny"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(COMMIT)
    return Path(shutil.copytree(model, folder / "snapshots" / COMMIT))


def encode(**settings: object) -> torch.Tensor:
    return SentenceTransformerEncoder("org/tiny", device="cpu", **settings).encode_queries(["name"])  # type: ignore[arg-type]


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("offline", [False, True])
def test_a_cached_model_does_not_use_the_network(
    hub_cache: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch, offline: bool
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", offline)
    put_into_cache(hub_cache, tiny_model)
    assert torch.equal(encode(), encode(path=tiny_model))


@pytest.mark.parametrize(("offline", "reason"), [(False, "refused"), (True, "offline mode")])
def test_a_missing_model_is_reported_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, offline: bool, reason: str
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", offline)
    started = time.monotonic()
    with pytest.raises(JoinGRError) as refusal:
        encode(revision="v1")
    assert time.monotonic() - started < 10
    sentence = str(refusal.value)
    assert sentence.startswith("The model 'org/tiny' with revision 'v1' is not completely in the local model cache")
    assert reason in sentence
    assert sentence.endswith("`hf download org/tiny`, or give its folder as encoder.path=<folder>.")
    assert "\n" not in sentence


def test_a_hub_that_does_not_answer_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "_TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        started = time.monotonic()
        with pytest.raises(JoinGRError, match="the model hub cannot be reached"):
            encode()
    assert time.monotonic() - started < 10


def without(name: str) -> Callable[[Path], None]:
    return lambda snapshot: (snapshot / name).unlink()


@pytest.mark.parametrize("damage", [without("model.safetensors"), without("modules.json")], ids=["weights", "pooling"])
def test_an_incomplete_model_in_the_cache_is_not_used(
    hub_cache: Path, tiny_model: Path, damage: Callable[[Path], None]
) -> None:
    damage(put_into_cache(hub_cache, tiny_model))
    with pytest.raises(JoinGRError, match="not completely in the local model cache"):
        encode()


def test_an_invalid_name_is_refused() -> None:
    with pytest.raises(JoinGRError, match="'a/b/c' is not a valid name of a hub model"):
        SentenceTransformerEncoder("a/b/c").encode_queries(["name"])


class FakeHub(ThreadingHTTPServer):
    """Serves one model as the hub does."""

    def __init__(self, model: Path) -> None:
        super().__init__(("127.0.0.1", 0), FakeHubHandler)
        self.files = {
            path.relative_to(model).as_posix(): path.read_bytes() for path in model.rglob("*") if path.is_file()
        }
        self.files |= {"pytorch_model.bin": b"the weights again", "onnx/model.json": b"{}"}
        self.fetched: set[str] = set()


class FakeHubHandler(BaseHTTPRequestHandler):
    server: FakeHub

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        files = self.server.files
        if path in ("/api/models/org/tiny", "/api/models/org/tiny/revision/main"):
            self._send({"id": "org/tiny", "sha": COMMIT, "siblings": [{"rfilename": name} for name in files]})
        elif path == f"/api/models/org/tiny/tree/{COMMIT}":
            self._send([{"type": "file", "path": n, "size": len(c), "oid": n} for n, c in files.items()])
        elif path.startswith(f"/org/tiny/resolve/{COMMIT}/"):
            name = path.removeprefix(f"/org/tiny/resolve/{COMMIT}/")
            self.server.fetched.add(name)
            self._send(files[name], ETag=f'"{name.replace("/", "-")}"')
        else:
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound")
            self.end_headers()

    def _send(self, content: object, **headers: str) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(200)
        for name, value in {"X-Repo-Commit": COMMIT, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Tests stay quiet."""


@pytest.fixture
def fake_hub(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    server = FakeHub(tiny_model)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + "/{repo_id}/resolve/{revision}/{filename}")
    yield server
    server.shutdown()
    server.server_close()


def test_a_model_is_downloaded_once_without_unused_files(
    fake_hub: FakeHub, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = encode(path=tiny_model)
    assert torch.equal(encode(), expected)
    assert "model.safetensors" in fake_hub.fetched
    assert not fake_hub.fetched & {"pytorch_model.bin", "onnx/model.json", "README.md"}
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:1")
    assert torch.equal(encode(), expected)


def test_a_model_that_is_not_on_the_hub_is_refused(fake_hub: FakeHub) -> None:
    with pytest.raises(JoinGRError, match="The model hub has no model 'org/absent' that you may read: check its name"):
        SentenceTransformerEncoder("org/absent").encode_queries(["name"])
