"""Retrievers on disk: a folder with a JSON file and a file of tensors, both read without executing code."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from filelock import FileLock
from safetensors.torch import load, save
from torch import Tensor

import joingr_pyg
from joingr_pyg.atomic_files import atomic_write, remove_partial
from joingr_pyg.errors import JoinGRError, require_path
from joingr_pyg.models import TrainableRetriever
from joingr_pyg.models.checkpoint import VersionError, make_model, require_version
from joingr_pyg.retrieval.manifest import MANIFEST, is_saved_retriever
from joingr_pyg.schema import Database
from joingr_pyg.schema.preparation import Preparation

VERSION = 1
"""Version of the format; another one is refused."""

LOCK = "lock"
"""The file that keeps two processes from writing to one folder at the same time."""


@dataclass(frozen=True)
class SavedEncoder:
    """The encoder of a saved retriever.

    Attributes:
        name: Its name for people.
        identity: What its vectors depend on.
        settings: What :func:`joingr_pyg.encoders.settings.make_encoder` makes it from; ``None`` if it is of a class
            that is not part of this package.
    """

    name: str
    identity: str
    settings: dict[str, Any] | None


@dataclass(frozen=True)
class SavedRetriever:
    """Everything that the answers of a retriever depend on.

    Attributes:
        databases: The schemas as they are indexed.
        preparation: How they were prepared.
        encoder: The encoder.
        keys: ``[n, 16]`` cache keys of the texts of columns, joins and tables.
        vectors: ``[n, d]`` vectors of these texts.
        model: The model with what it remembers and its calibration.
        dataset: Data set that the model was trained on; empty if it was not.
        seed: Seed that it was trained with.
    """

    databases: tuple[Database, ...]
    preparation: Preparation
    encoder: SavedEncoder
    keys: Tensor
    vectors: Tensor
    model: TrainableRetriever
    dataset: str
    seed: int


def write_retriever(path: str | Path, retriever: SavedRetriever) -> None:
    """Write a retriever to a folder, in the place of one that is there already.

    Whenever the writing process ends, the folder holds the old retriever or the new one.

    Args:
        path: The folder, which may be missing; its parent exists.
        retriever: The retriever.

    Raises:
        JoinGRError: If the folder cannot be written, or holds other files.
    """
    require_path(path=path)
    folder = Path(path)
    content, tensors = _content(retriever)
    raw = save(tensors)
    digest = _digest(raw)
    manifest = {
        "format": "joingr_pyg retriever",
        "version": VERSION,
        "package": joingr_pyg.__version__,
        "tensors": f"tensors-{digest}.safetensors",
        "checksum": _digest(_json(content)),
        "content": content,
    }
    with _writable(folder):
        folder.mkdir(exist_ok=True)
        others = [file.name for file in folder.iterdir() if file.name != LOCK and not file.name.endswith(".partial")]
        if others and MANIFEST not in others:
            raise JoinGRError(
                f"The folder '{folder}' holds other files, such as {min(others)!r}: give a new folder, or an empty one."
            )
        with FileLock(folder / LOCK):
            remove_partial(folder)
            with atomic_write(folder / str(manifest["tensors"])) as file:
                file.write(raw)
            with atomic_write(folder / MANIFEST) as file:
                file.write(_json(manifest))
            for old in folder.glob("tensors-*.safetensors"):
                if old.name != manifest["tensors"]:
                    old.unlink()


def read_retriever(path: str | Path) -> SavedRetriever:
    """Read a folder that :func:`write_retriever` wrote.

    Raises:
        JoinGRError: If the folder is missing, damaged, holds no retriever, or has another format version.
    """
    require_path(path=path)
    folder = Path(path)
    if not is_saved_retriever(folder):
        raise JoinGRError(
            f"There is no saved retriever at '{folder}' (looked for {MANIFEST!r} in that folder): "
            "give the folder that TableRetriever.save wrote, or read a checkpoint with TableRetriever.from_checkpoint."
        )
    try:
        manifest, raw = _read_files(folder)
        content = manifest["content"]
        if manifest["tensors"] != f"tensors-{_digest(raw)}.safetensors" or manifest["checksum"] != _digest(
            _json(content)
        ):
            raise ValueError("a checksum does not match")
        return _retriever(content, load(raw))
    except VersionError:
        raise
    except Exception as error:  # Damaged files fail in many ways.
        raise JoinGRError(
            f"The saved retriever '{folder}' is damaged ({type(error).__name__}: {error!s:.80}): save it again."
        ) from error


def _read_files(folder: Path) -> tuple[dict[str, Any], bytes]:
    """The manifest and the tensors that it names."""
    while True:
        text = (folder / MANIFEST).read_bytes()
        manifest = json.loads(text)
        require_version(manifest["version"], VERSION, f"The saved retriever '{folder}'")
        try:
            return manifest, (folder / manifest["tensors"]).read_bytes()
        except FileNotFoundError:
            # Another process may have saved another retriever meanwhile, and removed the tensors of this one.
            if (folder / MANIFEST).read_bytes() == text:
                raise


def _content(retriever: SavedRetriever) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """A retriever as plain values and tensors."""
    model = retriever.model
    tensors = {"documents.keys": retriever.keys, "documents.vectors": retriever.vectors}
    states: dict[str, Any] = {}
    for name, value in model.state_dict().items():
        if isinstance(value, Tensor):
            tensors[f"model.{name}"] = value
        else:  # What is no parameter, such as the questions that are remembered, is a dictionary.
            tensors |= {f"state.{name}.{key}": part for key, part in value.items() if isinstance(part, Tensor)}
            states[name] = {key: part for key, part in value.items() if not isinstance(part, Tensor)}
    content = {
        "databases": [database.to_dict() for database in retriever.databases],
        "preparation": retriever.preparation.to_dict(),
        "encoder": asdict(retriever.encoder),
        "kind": model.kind,
        "arguments": model.arguments,
        "states": states,
        "calibration": None if model.calibration is None else asdict(model.calibration),
        "dataset": retriever.dataset,
        "seed": retriever.seed,
    }
    return content, {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}


def _retriever(content: dict[str, Any], tensors: dict[str, Tensor]) -> SavedRetriever:
    """The retriever that :func:`_content` made plain."""
    state: dict[str, Any] = {
        name.removeprefix("model."): tensor for name, tensor in tensors.items() if name.startswith("model.")
    }
    for name, values in content["states"].items():
        prefix = f"state.{name}."
        parts = {key.removeprefix(prefix): tensor for key, tensor in tensors.items() if key.startswith(prefix)}
        state[name] = {**values, **parts}
    return SavedRetriever(
        tuple(Database.from_dict(database) for database in content["databases"]),
        Preparation.from_dict(content["preparation"]),
        SavedEncoder(**content["encoder"]),
        tensors["documents.keys"],
        tensors["documents.vectors"],
        make_model(content["kind"], content["arguments"], state, content["calibration"]),
        content["dataset"],
        content["seed"],
    )


def _json(values: dict[str, Any]) -> bytes:
    return json.dumps(values, indent=1).encode("ascii")


def _digest(raw: bytes) -> str:
    return blake2b(raw, digest_size=16).hexdigest()


@contextmanager
def _writable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise JoinGRError(
            f"The retriever cannot be saved to '{folder}' ({error.strerror or error}): "
            "give a folder in a place that exists and can be written to."
        ) from error
