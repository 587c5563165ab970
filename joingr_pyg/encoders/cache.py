"""The embedding cache, shared by all runs: each text is encoded once."""

import logging
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

import numpy as np
import torch
from filelock import AcquireReturnProxy, FileLock, Timeout
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from torch import Tensor

from joingr_pyg.atomic_files import atomic_write, remove_partial
from joingr_pyg.encoders.base import Encoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.progress import bar, progress

logger = logging.getLogger(__name__)

_KEY_BYTES = 16
_MERGED_SHARDS = 32
_FULL_SHARD_ROWS = 8192


def default_cache_folder() -> Path:
    """The cache folder of this user: the variable ``JOINGR_CACHE`` if it is set, otherwise ``~/.cache/joingr_pyg``."""
    return Path(os.environ.get("JOINGR_CACHE") or "~/.cache/joingr_pyg").expanduser()


class CacheFolderError(JoinGRError):
    """The folder of a cache cannot be read or written."""


class EmbeddingCache:
    """The embeddings of one encoder, in memory and optionally on disk.

    On disk each encoder has a folder with append-only safetensors shards of keys ``[n, 16]`` and vectors ``[n, dim]``.
    Shards are written atomically. A damaged shard is deleted with a warning, and its texts are encoded again. Reading
    needs no lock; adding holds one.

    Args:
        identity: Identity of the encoder.
        folder: Cache folder, shared by all encoders and runs. ``None`` keeps the vectors in memory only.
    """

    def __init__(self, identity: str, folder: str | Path | None = None) -> None:
        self.identity = identity
        self.folder: Path | None = None
        if folder is not None:
            slug = re.sub(r"[^A-Za-z0-9]+", "-", identity)[:40].strip("-")
            digest = blake2b(identity.encode(), digest_size=8).hexdigest()
            self.folder = Path(folder).expanduser() / f"{slug}-{digest}"
        self._vectors: dict[bytes, np.ndarray] = {}
        self._shards: dict[str, list[bytes]] = {}

    @staticmethod
    def key(kind: str, text: str) -> bytes:
        """The cache key of a text: a digest of its kind (query or document) and the text."""
        return blake2b(f"{kind}\0{text}".encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()

    @property
    def dim(self) -> int | None:
        """Length of the vectors, or ``None`` if the cache is empty."""
        self.refresh()
        return next((len(vector) for vector in self._vectors.values()), None)

    def __contains__(self, key: bytes) -> bool:
        return key in self._vectors

    def gather(self, keys: Sequence[bytes]) -> Tensor:
        """The vectors of cached keys, ``[len(keys), dim]``."""
        return torch.from_numpy(np.stack([self._vectors[key] for key in keys]))

    def preload(self, keys: Sequence[bytes], vectors: Tensor) -> None:
        """Add vectors ``[len(keys), dim]`` to memory but not to the folder, since they are stored elsewhere."""
        self._vectors.update(zip(keys, vectors.float().numpy(), strict=True))

    def refresh(self) -> None:
        """Read the shards that other runs have added since the last call."""
        if self.folder is None:
            return
        with _usable(self.folder):
            paths = {path.name: path for path in self.folder.glob("*.safetensors")}
            for merged in self._shards.keys() - paths.keys():
                self._shards.pop(merged, None)
            for new in sorted(paths.keys() - self._shards.keys()):
                self._read(paths[new])

    def _read(self, path: Path) -> None:
        try:
            with safe_open(path, framework="numpy") as shard:
                keys, vectors, metadata = shard.get_tensor("keys"), shard.get_tensor("vectors"), shard.metadata()
            if metadata["checksum"] != _checksum(keys, vectors):
                raise ValueError("its checksum does not match")
        except FileNotFoundError:  # Another run has merged it into a larger shard meanwhile.
            return
        except (SafetensorError, ValueError, KeyError, TypeError) as error:
            logger.warning("The embedding cache file %s is damaged (%s): it is deleted and made again.", path, error)
            path.unlink(missing_ok=True)
            return
        rows = [row.tobytes() for row in keys]
        self._shards[path.name] = rows
        self._vectors.update(zip(rows, vectors, strict=True))

    @contextmanager
    def adding(self) -> Iterator[None]:
        """Hold the lock for adding. A run that had to wait for it also reads what the other run has added.

        Raises:
            JoinGRError: If the folder cannot be written to.
        """
        if self.folder is None:
            yield
            return
        with _locked(self.folder):
            remove_partial(self.folder)
            self.refresh()
            yield
            self._merge_small_shards(self.folder)

    def add(self, keys: Sequence[bytes], vectors: Tensor) -> None:
        """Add vectors ``[len(keys), dim]`` atomically: all or none of them are stored."""
        rows = vectors.float().numpy().copy()
        added = dict(zip(keys, rows, strict=True))
        if self.folder is not None:
            self._write(self.folder, list(added), rows)
        self._vectors.update(added)

    def _write(self, folder: Path, keys: list[bytes], rows: np.ndarray) -> None:
        key_rows = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), _KEY_BYTES)
        path = folder / f"{uuid4().hex}.safetensors"
        metadata = {"identity": self.identity, "checksum": _checksum(key_rows, rows)}
        with _usable(folder), atomic_write(path) as file:
            file.write(save({"keys": key_rows, "vectors": rows}, metadata))
        self._shards[path.name] = keys

    def _merge_small_shards(self, folder: Path) -> None:
        small = [name for name, keys in self._shards.items() if len(keys) < _FULL_SHARD_ROWS]
        if len(small) < _MERGED_SHARDS:
            return
        keys = list(dict.fromkeys(key for name in small for key in self._shards.pop(name)))
        self._write(folder, keys, np.stack([self._vectors[key] for key in keys]))
        for name in small:
            (folder / name).unlink(missing_ok=True)


class CachedEncoder:
    """An encoder with a cache: the model encodes only texts that are not in the cache.

    Threads may share it. New texts are encoded by one thread at a time, because tokenizers serve only one.

    Args:
        encoder: The encoder for new texts. It should load its model when it is first used.
        folder: Cache folder, shared by all encoders and runs. ``None`` keeps the vectors in memory only.
        chunk_size: New texts encoded between two writes. A killed run loses at most these.
        progress: Show a progress bar if standard error is a terminal.
    """

    def __init__(
        self, encoder: Encoder, folder: str | Path | None = None, *, chunk_size: int = 512, progress: bool = True
    ) -> None:
        self.encoder = encoder
        self.name = encoder.name
        self.identity = encoder.identity
        self.chunk_size = chunk_size
        self.progress = progress
        self._cache = EmbeddingCache(encoder.identity, folder)
        self._needs_folder = True
        self._one_at_a_time = Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the lock, which has no meaning in a copy."""
        return {name: value for name, value in self.__dict__.items() if name != "_one_at_a_time"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._one_at_a_time = Lock()

    @classmethod
    def of_user(cls, encoder: Encoder) -> "CachedEncoder":
        """An encoder with the cache that training uses by default, in :func:`default_cache_folder`.

        If that folder cannot be written to, now or later, a warning is logged and the vectors are kept in memory only.
        """
        folder = default_cache_folder() / "embeddings"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            writable, reason = False, error.strerror or str(error)
        else:
            writable, reason = os.access(folder, os.W_OK), "it is not writable"
        if writable:
            cached = cls(encoder, folder)
            cached._needs_folder = False
            return cached
        logger.warning(
            "Embeddings are kept in memory only, because the cache folder '%s' cannot be used (%s): "
            "set JOINGR_CACHE to another folder to keep them for the next start.",
            *(folder, reason),
        )
        return cls(encoder)

    @property
    def dim(self) -> int:
        return self._cache.dim or self.encoder.dim

    def document_vectors(self, texts: Sequence[str]) -> tuple[list[bytes], Tensor]:
        """The cache keys of documents and their vectors ``[len(texts), dim]``, the arguments of :meth:`preload`."""
        return [self._cache.key("document", text) for text in texts], self.encode_documents(texts)

    def preload(self, keys: Sequence[bytes], vectors: Tensor) -> None:
        """Add vectors ``[len(keys), dim]`` that :meth:`document_vectors` returned, for example in another process."""
        self._cache.preload(keys, vectors)

    def encode_queries(self, texts: Sequence[str]) -> Tensor:
        return self._encode(texts, "query", self.encoder.encode_queries)

    def encode_documents(self, texts: Sequence[str]) -> Tensor:
        return self._encode(texts, "document", self.encoder.encode_documents)

    def _encode(self, texts: Sequence[str], kind: str, encode: Callable[[Sequence[str]], Tensor]) -> Tensor:
        if not texts:
            return torch.empty(0, self.dim)
        keys = [self._cache.key(kind, text) for text in texts]
        # The folder is read only if a key is not in memory: listing it takes longer than answering a question.
        if any(key not in self._cache for key in keys):
            wanted = dict(zip(keys, texts, strict=True))
            with self._one_at_a_time:
                try:
                    self._cache.refresh()
                    if any(key not in self._cache for key in keys):
                        with self._cache.adding():
                            self._fill(wanted, encode)
                except CacheFolderError as error:
                    if self._needs_folder:
                        raise
                    # A disk may be full while questions are answered, which need no cache.
                    logger.warning("Embeddings are kept in memory only from now on: %s", error)
                    self._cache.folder = None
                    self._fill(wanted, encode)
        return self._cache.gather(keys)

    def _fill(self, texts: dict[bytes, str], encode: Callable[[Sequence[str]], Tensor]) -> None:
        # Longest texts first: batches have texts of similar length, and running out of memory shows at the start.
        missing = sorted((key for key in texts if key not in self._cache), key=lambda key: -len(texts[key]))
        with progress(self.progress), bar(f"Embedding with {self.name}", len(missing), "text") as shown:
            for start in range(0, len(missing), self.chunk_size):
                chunk = missing[start : start + self.chunk_size]
                self._cache.add(chunk, encode([texts[key] for key in chunk]))
                shown.update(len(chunk))


def _locked(folder: Path) -> AcquireReturnProxy:
    with _usable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / "lock")
        try:
            return lock.acquire(timeout=0)
        except Timeout:
            logger.warning("Waiting for another run that is writing to the embedding cache %s.", folder)
            return lock.acquire()


def _checksum(keys: np.ndarray, vectors: np.ndarray) -> str:
    digest = blake2b(keys.tobytes(), digest_size=16)
    digest.update(vectors.tobytes())
    return digest.hexdigest()


@contextmanager
def _usable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CacheFolderError(
            f"The embedding cache folder {str(folder)!r} cannot be used ({error.strerror or error}): "
            "make it writable, free space, or choose another with paths.cache=... or the variable JOINGR_CACHE."
        ) from error
