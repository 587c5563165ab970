"""A part of a corpus on disk: vectors in half precision, which are mapped into memory, and names."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from joingr_pyg.atomic_files import atomic_write
from joingr_pyg.data.corpus import Corpus
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.anchors import ColumnIndex

VECTORS = ("x", "edge_attr", "table_x", "summary_x")
"""The vectors of a corpus; they are kept in half precision."""

NUMBERS = ("owner", "join_index", "edge_weight")
TEXTS = ("tables", "columns", "titles", "documents", "summaries")


INDEX = "columns.faiss"
"""The approximate index of a part's columns, if it has one."""


def write_part(folder: Path, corpus: Corpus, dtype: torch.dtype = torch.float16, approximate: bool = False) -> str:
    """Write a corpus into a new folder inside of ``folder``, and return its name.

    Args:
        folder: The folder of all parts, which exists.
        corpus: The corpus.
        dtype: Precision of its vectors.
        approximate: Whether an approximate index of its columns is made and written, too.

    Raises:
        JoinGRError: If the folder cannot be written.
    """
    name = f"part-{uuid4().hex[:12]}"
    partial = folder / f"{name}.partial"
    tensors = {key: getattr(corpus, key).to(dtype).contiguous() for key in VECTORS}
    tensors |= {key: getattr(corpus, key).contiguous() for key in NUMBERS}
    try:
        partial.mkdir()
        save_file(tensors, partial / "tensors.safetensors")
        with (partial / "texts.json").open("w", encoding="utf-8") as file:
            json.dump({key: getattr(corpus, key) for key in TEXTS}, file)
        if approximate:
            ColumnIndex(corpus, "approximate").write(partial / INDEX)
        partial.rename(folder / name)
    except OSError as error:
        raise JoinGRError(
            f"The part of a corpus {str(folder / name)!r} cannot be written ({error.strerror or error}): free space, "
            "or choose another folder."
        ) from error
    return name


def read_part(path: Path) -> Corpus:
    """Read a part that :func:`write_part` wrote; its vectors are read from disk where they are used.

    Raises:
        JoinGRError: If a file is missing or damaged.
    """
    try:
        texts: dict[str, list[Any]] = json.loads((path / "texts.json").read_text(encoding="utf-8"))
        with safe_open(path / "tensors.safetensors", framework="pt") as file:
            tensors: dict[str, Tensor] = {key: file.get_tensor(key) for key in (*VECTORS, *NUMBERS)}
        contents: dict[str, Any] = {**tensors, **{key: tuple(texts[key]) for key in TEXTS}}
        contents["tables"] = tuple((database, table) for database, table in texts["tables"])
        if len(contents["tables"]) != len(tensors["table_x"]) or len(contents["columns"]) != len(tensors["x"]):
            raise ValueError("its texts and tensors are of different sizes")
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
        raise JoinGRError(
            f"The part of a corpus {str(path)!r} is missing or damaged ({error}): write the corpus again."
        ) from error
    return Corpus(**contents)


class PartFolder:
    """The folder of a corpus in parts: the parts, and a file that names those that belong to it.

    Parts are never changed. One that grows is written anew, and the old one removed after the file names the new one.

    Args:
        path: The folder, which may be missing.
    """

    MANIFEST = "corpus.json"
    VERSION = 1

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def make(self) -> None:
        """Make the folder.

        Raises:
            JoinGRError: If it cannot be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise JoinGRError(
                f"The folder {str(self.path)!r} cannot be made ({error.strerror or error}): choose another one."
            ) from error

    def write(self, parts: Sequence[str], encoder: str) -> None:
        """Name the parts that belong to the corpus from now on, and remove all others.

        Args:
            parts: Their folders.
            encoder: Identity of the encoder of their vectors.
        """
        content = {"version": self.VERSION, "encoder": encoder, "parts": list(parts)}
        with atomic_write(self.path / self.MANIFEST) as file:
            file.write(json.dumps(content, indent=2).encode())
        for other in self.path.glob("part-*"):
            if other.name not in parts:
                _remove(other)

    def read(self) -> tuple[list[str], str]:
        """The names of the parts, and the identity of the encoder.

        Raises:
            JoinGRError: If the folder holds no corpus, or one of another version.
        """
        try:
            content = json.loads((self.path / self.MANIFEST).read_text(encoding="utf-8"))
            version, parts, encoder = content["version"], list(content["parts"]), str(content["encoder"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise JoinGRError(
                f"The folder {str(self.path)!r} holds no corpus in parts ({error}): write one with ShardedCorpus.write."
            ) from error
        if version != self.VERSION:
            raise JoinGRError(
                f"The corpus in {str(self.path)!r} has format version {version}, but this version of joingr_pyg reads "
                f"{self.VERSION}: write it again."
            )
        return parts, encoder


def _remove(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink(missing_ok=True)
    folder.rmdir()
