"""Frozen sentence-transformers models."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import file_digest, sha256
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import torch
from torch import Tensor
from torch.nn.functional import normalize

from joingr_pyg.encoders.hub import hub_folder, is_model_folder
from joingr_pyg.encoders.precision import named_precision, resolved_precision
from joingr_pyg.errors import JoinGRError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

    from joingr_pyg.encoders.bert import Bert

logger = logging.getLogger(__name__)

Pooling = Literal["cls", "mean", "max", "lasttoken"]

_MODEL_FILES = frozenset({".safetensors", ".bin", ".json", ".txt", ".model"})


class SentenceTransformerEncoder:
    """A frozen sentence-transformers model.

    The model is loaded when the first text is encoded, so a run that finds all texts in the cache never loads it. The
    constructor reads at most the files of a local folder, to identify a model without ``weights_sha256``.

    Args:
        model: Name on the model hub. With ``path`` it only names the encoder.
        name: Display name. The default is the last part of ``model``.
        revision: Branch, tag or commit on the hub.
        path: Local folder of the model, used instead of the hub.
        weights_sha256: Required sha256 of ``model.safetensors``. It then identifies the encoder, whatever the source
            of the weights.
        query_prompt: Prefix of each question. ``None`` uses the prompt of the model.
        document_prompt: Prefix of each document. ``None`` uses the prompt of the model.
        pooling: Pooling of token embeddings for a model that defines none. With ``None`` such a model is refused.
        max_length: Maximum number of tokens of a text. ``None`` uses the model's own limit.
        dim: Length of an embedding, if known. Otherwise the model is loaded to find out.
        batch_size: Texts encoded at once.
        device: Device of the model. ``None`` uses an accelerator if there is one.
        precision: Precision of the model's weights: ``"float32"``; ``"bfloat16"``, which changes cosines by some
            thousandths and is twice as fast on processors that have instructions for it; or ``"auto"``, bfloat16 on
            such a processor and float32 elsewhere. Vectors of bfloat16 have an identity and a cache of their own.

    Raises:
        JoinGRError: If there is no such pooling or precision.
    """

    def __init__(
        self,
        model: str,
        *,
        name: str | None = None,
        revision: str | None = None,
        path: str | Path | None = None,
        weights_sha256: str | None = None,
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        pooling: Pooling | None = None,
        max_length: int | None = None,
        dim: int | None = None,
        batch_size: int = 32,
        device: str | None = None,
        precision: str = "float32",
    ) -> None:
        if pooling is not None and pooling not in get_args(Pooling):
            raise JoinGRError(
                f"Unknown pooling {pooling!r} of encoder {model!r}: choose {', '.join(get_args(Pooling))}."
            )
        self.model = model
        self.name = name or model.rsplit("/", 1)[-1]
        self.revision = revision
        self.path = None if path is None else Path(path).expanduser()
        self.weights_sha256 = weights_sha256
        self.query_prompt = query_prompt
        self.document_prompt = document_prompt
        self.pooling = pooling
        self.max_length = max_length
        self.batch_size = batch_size
        self.device = device
        self.precision = resolved_precision(precision, device)
        self._dim = dim

    @property
    def settings(self) -> dict[str, Any]:
        """The constructor arguments of this encoder, without the device."""
        return {
            "model": self.model,
            "name": self.name,
            "revision": self.revision,
            "path": None if self.path is None else str(self.path.resolve()),
            "weights_sha256": self.weights_sha256,
            "query_prompt": self.query_prompt,
            "document_prompt": self.document_prompt,
            "pooling": self.pooling,
            "max_length": self.max_length,
            "dim": self._dim,
            "batch_size": self.batch_size,
            "precision": self.precision,
        }

    @cached_property
    def identity(self) -> str:
        if self.weights_sha256:
            source = f"{self.model} sha256:{self.weights_sha256}"
        elif self.path:
            source = f"sha256:{folder_digest(self._local_folder(self.path))}"
        else:
            source = f"{self.model}@{self.revision or 'main'}"
        settings = {
            "pooling": self.pooling,
            "max_length": self.max_length,
            "query": self.query_prompt,
            "document": self.document_prompt,
        }
        told = " ".join([source, *(f"{key}={value!r}" for key, value in settings.items() if value is not None), "l2"])
        return told + named_precision(self.precision)

    @property
    def dim(self) -> int:
        if self._dim is None:
            self._dim = self.encode_documents(["length"]).shape[1]
        return self._dim

    def encode_queries(self, texts: Sequence[str]) -> Tensor:
        return self._encode(texts, "query", self.query_prompt)

    def encode_documents(self, texts: Sequence[str]) -> Tensor:
        return self._encode(texts, "document", self.document_prompt)

    def _encode(self, texts: Sequence[str], kind: str, prompt: str | None) -> Tensor:
        if not texts:
            return torch.empty(0, self.dim)
        model = self._model
        if prompt is None:
            prompt = model.prompts.get(kind) or ""
        self._warn_of_truncation(texts, prompt)
        encode = model.encode_query if kind == "query" else model.encode_document
        vectors = encode(
            list(texts),
            prompt=prompt,
            batch_size=self.batch_size,
            normalize_embeddings=True,
            convert_to_tensor=True,
            show_progress_bar=False,
        )
        # Half precision rounds the length of a normalised vector, too.
        return normalize(vectors.float()).cpu() if self.precision == "bfloat16" else vectors.float().cpu()

    def _warn_of_truncation(self, texts: Sequence[str], prompt: str) -> None:
        limit = self._model.max_seq_length or inf
        # A text never has more tokens than bytes (plus special tokens), so most texts need not be tokenised here.
        long = [prompt + text for text in texts if len((prompt + text).encode()) + 8 > limit]
        if not long:
            return
        lengths = [len(ids) for ids in self._model.tokenizer(long, truncation=False, verbose=False)["input_ids"]]
        if truncated := sum(length > limit for length in lengths):
            logger.warning(
                f"{truncated} of {len(texts)} texts are longer than the {limit} tokens that {self.name} reads "
                f"(the longest has {max(lengths)}): their ends were cut off."
            )

    @cached_property
    def _model(self) -> "Bert | SentenceTransformer":
        folder = self._folder()
        if self.weights_sha256:
            check_weights(folder, self.weights_sha256)
        if not self.pooling and not (folder / "modules.json").is_file():
            raise JoinGRError(
                f"The model {self.model!r} in {str(folder)!r} defines no pooling (it has no modules.json): "
                "set the pooling it was trained with, for example encoder.pooling=mean."
            )
        require_tokenizer(folder)
        try:
            torch.empty(0, device=self.device or "cpu")
        except (RuntimeError, AssertionError) as error:
            raise JoinGRError(
                f"encoder.device={self.device!r} cannot be used ({_one_line(error)}): try cpu."
            ) from error
        try:
            model = self._load(folder)
        except Exception as error:  # A damaged model folder fails in many ways.
            raise JoinGRError(
                f"The model {self.model!r} in {str(folder)!r} cannot be loaded ({_one_line(error)}): download it again."
            ) from error
        if self.max_length:
            model.max_seq_length = self.max_length
        actual = model.get_embedding_dimension()
        if None not in (self._dim, actual) and self._dim != actual:
            raise JoinGRError(
                f"The model {self.model!r} has embeddings of length {actual}, not encoder.dim={self._dim}."
            )
        return model

    def _load(self, folder: Path) -> "Bert | SentenceTransformer":
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer import modules

        with _silent_loading():
            if not self.pooling:
                model = SentenceTransformer(str(folder), device=self.device, local_files_only=True)
            else:
                transformer = modules.Transformer(str(folder))
                pooling = modules.Pooling(transformer.get_embedding_dimension(), self.pooling)
                model = SentenceTransformer(modules=[transformer, pooling], device=self.device)
            return model.to(getattr(torch, self.precision))

    def _folder(self) -> Path:
        if self.path:
            return self._local_folder(self.path)
        return hub_folder(self.model, self.revision, "config.json" if self.pooling else "modules.json")

    def _local_folder(self, path: Path) -> Path:
        if not is_model_folder(path, "modules.json", "config.json"):
            raise JoinGRError(
                f"encoder.path={str(path)!r} is not the folder of a model: "
                "it must contain modules.json or config.json, and the weights."
            )
        return path


def require_tokenizer(folder: Path) -> None:
    """Check that a model's folder holds its vocabulary, without which it would be loaded and give wrong vectors.

    Raises:
        JoinGRError: If it does not.
    """
    names = {path.name.lower() for path in folder.rglob("*") if path.is_file()} - {"tokenizer_config.json"}
    if not any(name.endswith((".model", ".spm")) or "vocab" in name or "tokenizer" in name for name in names):
        raise JoinGRError(
            f"The model folder {str(folder)!r} has no tokenizer, such as tokenizer.json or vocab.txt: "
            "download the model again, with all of its files."
        )


def check_weights(folder: Path, expected: str) -> None:
    """Check the sha256 of a folder's ``model.safetensors``.

    Raises:
        JoinGRError: If the file is missing or its sha256 differs.
    """
    path = folder / "model.safetensors"
    if not path.is_file():
        raise JoinGRError(f"The model folder {str(folder)!r} has no model.safetensors.")
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    if digest != expected:
        raise JoinGRError(
            f"The weights {str(path)!r} are not the expected ones (sha256 {digest}, not {expected}): "
            "download them again, or configure them as a separate encoder."
        )


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".")


@contextmanager
def _silent_loading() -> Iterator[None]:
    from transformers.utils import logging as transformers_logging

    shown = transformers_logging.is_progress_bar_enabled()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            transformers_logging.enable_progress_bar()


def folder_digest(folder: Path) -> str:
    """The sha256 of the files of a model, independent of where its folder is."""
    digest = sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in _MODEL_FILES):
        with path.open("rb") as file:
            digest.update(f"{path.relative_to(folder).as_posix()} {file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
