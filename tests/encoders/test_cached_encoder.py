import io
import logging
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import pytest
import torch
from torch import Tensor

from joingr_pyg.encoders import CachedEncoder, Encoder, HashingEncoder
from joingr_pyg.encoders.cache import default_cache_folder
from joingr_pyg.errors import JoinGRError

TEXTS = ["name of a city", "哪个部门预算最高？", "", "salary"]


class CountingEncoder(HashingEncoder):
    """Records the texts of each call. Queries and documents get different vectors."""

    def __init__(self, dim: int = 8, identity: str = "counting") -> None:
        super().__init__(dim)
        self.identity = identity
        self.calls: list[list[str]] = []

    def encode_queries(self, texts: Sequence[str]) -> Tensor:
        return self.encode_documents([f"query: {text}" for text in texts])

    def encode_documents(self, texts: Sequence[str]) -> Tensor:
        self.calls.append(list(texts))
        return super().encode_documents(texts)


@pytest.fixture(params=["memory", "folder"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "cache" if request.param == "folder" else None


def shards(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.safetensors"))


def other_files(folder: Path) -> list[str]:
    """Files of a cache folder that are neither shards nor the lock."""
    return [path.name for path in folder.glob("*/*") if path.suffix != ".safetensors" and path.name != "lock"]


def test_the_cache_returns_the_encoder_s_vectors(folder: Path | None) -> None:
    plain = CountingEncoder()
    cached: Encoder = CachedEncoder(CountingEncoder(), folder)
    assert (cached.name, cached.identity, cached.dim) == ("hashing-8", "counting", 8)
    for _ in range(2):
        assert torch.equal(cached.encode_documents(TEXTS), plain.encode_documents(TEXTS))
        assert torch.equal(cached.encode_queries(TEXTS), plain.encode_queries(TEXTS))
    assert cached.encode_queries([]).shape == (0, 8)


def test_each_text_is_encoded_once(folder: Path | None) -> None:
    encoder = CountingEncoder()
    cached = CachedEncoder(encoder, folder)
    cached.encode_documents(["a", "bb", "a"])
    cached.encode_documents(["bb", "ccc", "a"])
    cached.encode_queries(["a"])
    assert encoder.calls == [["bb", "a"], ["ccc"], ["query: a"]]


def test_a_second_run_encodes_nothing_and_a_second_identity_everything(tmp_path: Path) -> None:
    first = CachedEncoder(CountingEncoder(), tmp_path).encode_documents(TEXTS)
    again, other = CountingEncoder(), CountingEncoder(identity="other")
    assert torch.equal(CachedEncoder(again, tmp_path).encode_documents(TEXTS), first)
    CachedEncoder(other, tmp_path).encode_documents(TEXTS)
    assert again.calls == []
    assert sum(map(len, other.calls)) == len(TEXTS)


def test_the_dimension_is_known_from_the_cache_without_the_encoder(tmp_path: Path) -> None:
    class Unloadable(CountingEncoder):
        dim = property(lambda self: pytest.fail("the model was loaded"), lambda self, value: None)

    CachedEncoder(CountingEncoder(), tmp_path).encode_documents(["a"])
    assert CachedEncoder(Unloadable(), tmp_path).dim == 8
    assert CachedEncoder(Unloadable(), tmp_path).encode_queries([]).shape == (0, 8)


def test_new_texts_are_written_in_chunks_longest_first(tmp_path: Path) -> None:
    encoder = CountingEncoder()
    CachedEncoder(encoder, tmp_path, chunk_size=2).encode_documents(["a", "dddd", "bb", "ccc", "eeeee"])
    assert encoder.calls == [["eeeee", "dddd"], ["ccc", "bb"], ["a"]]
    assert len(shards(tmp_path)) == 3


def test_a_returned_tensor_may_be_changed_without_changing_the_cache(folder: Path | None) -> None:
    cached = CachedEncoder(CountingEncoder(), folder)
    expected = cached.encode_documents(["a"]).clone()
    cached.encode_documents(["a"]).zero_()
    assert torch.equal(cached.encode_documents(["a"]), expected)


@pytest.mark.parametrize("damage", ["500 bytes", "zero bytes", "a flipped bit"])
def test_a_damaged_shard_is_reported_deleted_and_made_again(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    texts = [f"text {i}" for i in range(100)]
    expected = CachedEncoder(CountingEncoder(), tmp_path).encode_documents(texts)
    (shard,) = shards(tmp_path)
    content = shard.read_bytes()
    damaged = {
        "500 bytes": content[:500],
        "zero bytes": b"",
        "a flipped bit": content[:-1] + bytes([content[-1] ^ 1]),
    }
    shard.write_bytes(damaged[damage])

    encoder = CountingEncoder()
    with caplog.at_level(logging.WARNING):
        assert torch.equal(CachedEncoder(encoder, tmp_path).encode_documents(texts), expected)
    assert sum(map(len, encoder.calls)) == 100
    assert f"The embedding cache file {shard} is damaged" in caplog.text
    assert not shard.exists()

    again = CountingEncoder()
    CachedEncoder(again, tmp_path).encode_documents(texts)
    assert again.calls == []


def test_many_small_shards_are_merged_into_one(tmp_path: Path) -> None:
    cached = CachedEncoder(CountingEncoder(), tmp_path)
    reader = CachedEncoder(CountingEncoder(), tmp_path)
    texts = [f"text {i}" for i in range(40)]
    expected = CountingEncoder().encode_documents(texts)
    for count in range(1, 41):
        cached.encode_documents(texts[:count])
        if count == 20:
            reader.encode_documents(texts[:20])
    assert len(shards(tmp_path)) == 1 + 40 - 32
    for encoder in (cached, reader, CachedEncoder(CountingEncoder(), tmp_path)):
        assert torch.equal(encoder.encode_documents(texts), expected)
        assert encoder.encoder.calls == [] or encoder is cached
    # Twenty shards that the reader had read are deleted; it must not write them again.
    for count in range(13):
        reader.encode_documents([f"more {count}"])
    assert len(shards(tmp_path)) == 1 + 8 + 13
    assert other_files(tmp_path) == []


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        JoinGRError, match=r"The embedding cache folder '.*file/counting-.*' cannot be used \(Not a dir"
    ):
        CachedEncoder(CountingEncoder(), tmp_path / "file").encode_documents(["a"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_read_only_folder_can_be_read(tmp_path: Path) -> None:
    CachedEncoder(CountingEncoder(), tmp_path).encode_documents(["a"])
    (folder,) = tmp_path.iterdir()
    (folder / "lock").unlink()
    folder.chmod(0o500)
    try:
        encoder = CachedEncoder(CountingEncoder(), tmp_path)
        encoder.encode_documents(["a"])
        with pytest.raises(JoinGRError, match="cannot be used"):
            encoder.encode_documents(["b"])
    finally:
        folder.chmod(0o700)


def test_a_full_disk_is_reported_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(JoinGRError, match=r"cannot be used \(No space left on device\): .* free space"):
        CachedEncoder(CountingEncoder(), tmp_path).encode_documents(["a"])
    assert shards(tmp_path) == []
    assert other_files(tmp_path) == []


ENCODED = "encoded a chunk"
SLOW_RUN = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from joingr_pyg.encoders import CachedEncoder, HashingEncoder

folder, pause = Path(sys.argv[1]), float(sys.argv[2])

class Slow(HashingEncoder):
    def encode_documents(self, texts):
        time.sleep(pause)
        print('encoded a chunk', file=sys.stderr, flush=True)
        return super().encode_documents(texts)

encoder = CachedEncoder(Slow(8), folder, chunk_size=10, progress=False)
(folder / f"ready-{sys.argv[3]}").touch()
while not (folder / "go").exists():
    time.sleep(0.001)
print(encoder.encode_documents([f"text {i}" for i in range(100)]).tolist())
"""


def start(folder: Path, pause: float, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SLOW_RUN, str(folder), str(pause), name],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.005)


def test_two_processes_fill_it_at_once(tmp_path: Path) -> None:
    runs = [start(tmp_path, 0.01, name) for name in ("first", "second")]
    wait_for(lambda: all((tmp_path / f"ready-{name}").exists() for name in ("first", "second")))
    (tmp_path / "go").touch()
    outputs = [run.communicate(timeout=60) for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    expected = str(HashingEncoder(8).encode_documents([f"text {i}" for i in range(100)]).tolist())
    assert [printed.strip() for printed, _ in outputs] == [expected] * 2
    # One of them encoded everything, the other waited and encoded nothing.
    assert sorted(log.count(ENCODED) for _, log in outputs) == [0, 10]
    assert other_files(tmp_path) == []


def test_a_killed_run_continues_after_the_last_write(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    run = start(tmp_path, 0.2, "killed")
    wait_for(lambda: len(shards(tmp_path)) >= 3)
    run.send_signal(signal.SIGKILL)
    run.communicate(timeout=60)
    kept = 10 * len(shards(tmp_path))
    assert 30 <= kept < 100
    (shards(tmp_path)[0].parent / "being-written.partial").write_bytes(b"cut")

    encoder = CountingEncoder()
    encoder.identity = HashingEncoder(8).identity
    texts = [f"text {i}" for i in range(100)]
    vectors = CachedEncoder(encoder, tmp_path).encode_documents(texts)
    assert torch.equal(vectors, HashingEncoder(8).encode_documents(texts))
    assert sum(map(len, encoder.calls)) == 100 - kept
    assert other_files(tmp_path) == []


@pytest.mark.parametrize(
    ("terminal", "progress", "shown"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_the_progress_bar_shows_only_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, progress: bool, shown: bool
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    CachedEncoder(CountingEncoder(), chunk_size=1, progress=progress).encode_documents(["a", "b"])
    assert ("Embedding with hashing-8: 100%" in stream.getvalue() and "2/2 [" in stream.getvalue()) == shown
    assert bool(stream.getvalue()) == shown


def test_the_user_s_cache_is_shared_with_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOINGR_CACHE", str(tmp_path / "user"))
    CachedEncoder.of_user(CountingEncoder()).encode_documents(TEXTS)
    again = CountingEncoder()
    CachedEncoder(again, tmp_path / "user" / "embeddings").encode_documents(TEXTS)
    assert again.calls == []


def test_an_unusable_cache_folder_of_the_user_is_only_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("JOINGR_CACHE", str(tmp_path / "file"))
    assert CachedEncoder.of_user(CountingEncoder()).encode_documents(TEXTS).shape == (4, 8)
    assert "Embeddings are kept in memory only" in caplog.text
    assert "set JOINGR_CACHE" in caplog.text


def test_the_cache_folder_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    for value in (None, ""):
        monkeypatch.setenv("JOINGR_CACHE", "") if value == "" else monkeypatch.delenv("JOINGR_CACHE")
        assert default_cache_folder() == Path("/home/somebody/.cache/joingr_pyg")
    monkeypatch.setenv("JOINGR_CACHE", "~/mine")
    assert default_cache_folder() == Path("/home/somebody/mine")


def test_vectors_of_another_cache_can_be_preloaded(tmp_path: Path) -> None:
    first = CachedEncoder(CountingEncoder())
    keys, vectors = first.document_vectors(TEXTS)
    other = CountingEncoder()
    cached = CachedEncoder(other, tmp_path)
    cached.preload(keys, vectors)
    assert torch.equal(cached.encode_documents(TEXTS), first.encode_documents(TEXTS))
    assert other.calls == []
    assert shards(tmp_path) == []
    cached.encode_queries(TEXTS[:1])  # Queries and documents have different keys.
    assert len(other.calls) == 1


def test_threads_encode_a_text_once_and_one_at_a_time(folder: Path | None, caplog: pytest.LogCaptureFixture) -> None:
    class Exclusive(CountingEncoder):
        """Refuses two threads, as tokenizers do."""

        def __init__(self) -> None:
            super().__init__()
            self.lock = Lock()

        def encode_documents(self, texts: Sequence[str]) -> Tensor:
            assert self.lock.acquire(blocking=False)
            try:
                time.sleep(0.005)
                return super().encode_documents(texts)
            finally:
                self.lock.release()

    inner = Exclusive()
    cached = CachedEncoder(inner, folder)
    texts = [[f"{number % 5}", f"{number % 3} again"] for number in range(40)]
    with ThreadPoolExecutor(10) as threads:
        vectors = list(threads.map(cached.encode_queries, texts))
    plain = CountingEncoder()
    assert all(torch.equal(found, plain.encode_queries(own)) for found, own in zip(vectors, texts, strict=True))
    encoded = [text for call in inner.calls for text in call]
    assert len(encoded) == len({*encoded}) == 8
    assert not caplog.records


def test_a_copy_has_a_lock_of_its_own() -> None:
    cached = CachedEncoder(CountingEncoder())
    expected = cached.encode_queries(TEXTS)
    copy = pickle.loads(pickle.dumps(cached))
    assert torch.equal(copy.encode_queries([*TEXTS, "new"])[: len(TEXTS)], expected)
