"""DTR, the dense table retriever based on TAPAS (Herzig et al., 2021)."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn.functional import normalize

from joingr_pyg.encoders.hub import hub_folder, is_model_folder
from joingr_pyg.encoders.sentence_transformer import folder_digest
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.descriptors import split_table_descriptor

if TYPE_CHECKING:
    from transformers import BertTokenizer

PROJECTION = "projection.safetensors"
"""File with DTR's projection of pooled embeddings, ``weight`` ``[out, hidden]``. Most models have none."""


class TapasEncoder:
    """A dual encoder of two TAPAS models, one for questions and one for tables.

    A question is encoded as text, ``[CLS] question [SEP]``. A table is encoded as ``[CLS] title [SEP]`` followed by its
    cells, each with its column and row number. Schemas have no rows, so the only cells are those of the header, row 0.
    The text of a column or a join is encoded as a title without cells. Embeddings are the pooled outputs, projected if
    the model has a projection, and L2-normalised like all embeddings of this package (DTR itself uses inner products of
    unnormalised embeddings).

    DTR's trained weights are published for TensorFlow only. ``google/tapas-base``, from which they were trained, is not
    trained for retrieval. Models are loaded when they are first used.

    Args:
        model: Name on the model hub.
        name: Display name.
        revision: Branch, tag or commit on the hub.
        path: Local folder of the model and the tokenizer's ``vocab.txt``, used instead of the hub.
        table_path: Local folder of the model for tables, if it is a different model.
        dim: Length of an embedding, if known. Otherwise the model is loaded to find out.
        max_length: Maximum number of tokens of a text or table, at most the model's own limit.
        batch_size: Texts encoded at once.
        device: Device of the models.
    """

    def __init__(
        self,
        model: str = "google/tapas-base",
        *,
        name: str = "dtr",
        revision: str | None = None,
        path: str | Path | None = None,
        table_path: str | Path | None = None,
        dim: int | None = None,
        max_length: int = 512,
        batch_size: int = 32,
        device: str | None = None,
    ) -> None:
        self.model = model
        self.name = name
        self.revision = revision
        self.path = None if path is None else Path(path).expanduser()
        self.table_path = None if table_path is None else Path(table_path).expanduser()
        self.max_length = max_length
        self.batch_size = batch_size
        self.device = device or "cpu"
        self._dim = dim

    @property
    def settings(self) -> dict[str, Any]:
        """The constructor arguments of this encoder, without the device."""
        return {
            "model": self.model,
            "name": self.name,
            "revision": self.revision,
            "path": None if self.path is None else str(self.path.resolve()),
            "table_path": None if self.table_path is None else str(self.table_path.resolve()),
            "dim": self._dim,
            "max_length": self.max_length,
            "batch_size": self.batch_size,
        }

    @cached_property
    def identity(self) -> str:
        local = [folder_digest(_local(path)) for path in (self.path, self.table_path) if path is not None]
        source = f"{self.model}@{self.revision or 'main'}" if self.path is None else "tapas"
        return " ".join([source, *(f"sha256:{digest}" for digest in local), f"max_length={self.max_length} l2"])

    @property
    def dim(self) -> int:
        if self._dim is None:
            self._dim = self.encode_queries(["length"]).shape[1]
        return self._dim

    def encode_queries(self, texts: Sequence[str]) -> Tensor:
        return self._encode(lambda: self._questions, [(text, ()) for text in texts])

    def encode_documents(self, texts: Sequence[str]) -> Tensor:
        return self._encode(lambda: self._tables, [split_table_descriptor(text) or (text, ()) for text in texts])

    def _encode(self, get_model: "Callable[[], _TapasModel]", tables: Sequence[tuple[str, Sequence[str]]]) -> Tensor:
        if not tables:
            return torch.empty(0, self.dim)
        starts = range(0, len(tables), self.batch_size)
        return normalize(
            torch.cat([get_model().embed(tables[start : start + self.batch_size], self.max_length) for start in starts])
        )

    @cached_property
    def _questions(self) -> "_TapasModel":
        return _TapasModel(self._folder(), self.model, self.device)

    @cached_property
    def _tables(self) -> "_TapasModel":
        return (
            self._questions
            if self.table_path is None
            else _TapasModel(_local(self.table_path), self.model, self.device)
        )

    def _folder(self) -> Path:
        return _local(self.path) if self.path else hub_folder(self.model, self.revision, "config.json")


class _TapasModel:
    """One TAPAS model with its tokenizer and optional projection."""

    def __init__(self, folder: Path, model: str, device: str) -> None:
        from transformers import BertTokenizer, TapasModel

        if not (folder / "vocab.txt").is_file():
            raise JoinGRError(f"The model {model!r} in {str(folder)!r} has no vocab.txt: download it again.")
        try:
            # TAPAS has the word pieces of BERT; its own tokenizer needs pandas.
            self.tokenizer: BertTokenizer = BertTokenizer.from_pretrained(str(folder))
            self.model: TapasModel = TapasModel.from_pretrained(str(folder), local_files_only=True).eval().to(device)
            path = folder / PROJECTION
            self.projection = load_file(path)["weight"].to(device) if path.is_file() else None
        except Exception as error:  # A damaged model folder fails in many ways.
            reason = " ".join(str(error).split()).rstrip(".")
            raise JoinGRError(
                f"The model {model!r} in {str(folder)!r} cannot be loaded as TAPAS ({reason}): download it again."
            ) from error
        self.device = device

    @torch.no_grad()
    def embed(self, tables: Sequence[tuple[str, Sequence[str]]], max_length: int) -> Tensor:
        """``[B, out]`` embeddings of tables, each given as a title and a header."""
        config = self.model.config
        limit = min(max_length, config.max_position_embeddings)
        rows = [linearize(self.tokenizer, *table, limit, config.type_vocab_sizes[1]) for table in tables]
        longest = max(len(ids) for ids, _ in rows)
        ids = torch.full((len(rows), longest), config.pad_token_id or 0)
        types = torch.zeros(len(rows), longest, len(config.type_vocab_sizes), dtype=torch.long)
        mask = torch.zeros(len(rows), longest, dtype=torch.long)
        for row, (tokens, column) in enumerate(rows):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            # Token types: the segment (1 for cells) and the column number. The row number stays 0, for the header.
            types[row, : len(tokens), 0] = (torch.tensor(column) > 0).long()
            types[row, : len(tokens), 1] = torch.tensor(column)
            mask[row, : len(tokens)] = 1
        inputs: dict[str, Any] = {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}
        pooled = self.model(**{name: tensor.to(self.device) for name, tensor in inputs.items()}).pooler_output
        return (pooled if self.projection is None else pooled @ self.projection.t()).float().cpu()


def linearize(
    tokenizer: "BertTokenizer", title: str, header: Sequence[str], max_length: int, columns: int
) -> tuple[list[int], list[int]]:
    """Flatten a title and a header into tokens.

    Args:
        tokenizer: The word-piece tokenizer.
        title: Text before the table.
        header: Names of the columns.
        max_length: Maximum number of tokens; the rest is cut off.
        columns: Number of column ids of the model, including id 0 for tokens outside the table.

    Returns:
        Token ids, and for each token its column number from 1, or 0 outside the table.
    """
    words = tokenizer.tokenize(title)[: max_length - 2]
    tokens: list[str] = [tokenizer.cls_token, *words, tokenizer.sep_token]
    column = [0] * len(tokens)
    for number, name in enumerate(header[: columns - 1], start=1):
        cell = tokenizer.tokenize(name) or [tokenizer.unk_token]
        tokens += cell
        column += [number] * len(cell)
    ids = cast(list[int], tokenizer.convert_tokens_to_ids(tokens[:max_length]))
    return ids, column[:max_length]


def _local(path: Path) -> Path:
    if not is_model_folder(path, "config.json"):
        raise JoinGRError(
            f"encoder.path={str(path)!r} is not the folder of a TAPAS model: it must contain config.json and the "
            "weights."
        )
    return path
