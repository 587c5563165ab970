"""Frozen cross-encoders, which score a question and a text together. A model is loaded when it is first used."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from joingr_pyg.encoders.hub import hub_folder, is_model_folder
from joingr_pyg.errors import JoinGRError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


class PairScorer:
    """A frozen sentence-transformers cross-encoder with one output.

    Args:
        model: Name on the model hub. With ``path`` it is used only in messages.
        revision: Branch, tag or commit on the hub.
        path: Local folder of the model, used instead of the hub.
        max_length: Maximum number of tokens of a pair. ``None`` uses the model's own limit.
        batch_size: Pairs scored at once.
        device: Device of the model. ``None`` uses an accelerator if there is one.
    """

    def __init__(
        self,
        model: str,
        *,
        revision: str | None = None,
        path: str | Path | None = None,
        max_length: int | None = None,
        batch_size: int = 32,
        device: str | None = None,
    ) -> None:
        self.model = model
        self.revision = revision
        self.path = None if path is None else Path(path).expanduser()
        self.max_length = max_length
        self.batch_size = batch_size
        self.device = device

    def score(self, question: str, texts: Sequence[str]) -> Tensor:
        """Score texts by their relevance to a question; higher is more relevant.

        Returns:
            ``[len(texts)]`` scores.

        Raises:
            JoinGRError: If the model is neither on this machine nor on the hub, cannot be loaded, or has several
                outputs.
        """
        if not texts:
            return torch.empty(0)
        scores = self._model.predict(
            [(question, text) for text in texts],
            batch_size=self.batch_size,
            convert_to_tensor=True,
            show_progress_bar=False,
        )
        return torch.as_tensor(scores).float().cpu()

    def require(self) -> None:
        """Load the model now, so that a missing model is reported before any work is done.

        Raises:
            JoinGRError: As :meth:`score`.
        """
        _ = self._model

    @cached_property
    def _model(self) -> "CrossEncoder":
        folder = self._folder()
        from sentence_transformers import CrossEncoder

        try:
            model = CrossEncoder(str(folder), device=self.device, max_length=self.max_length, local_files_only=True)
        except Exception as error:  # A damaged model folder fails in many ways.
            reason = " ".join(str(error).split()).rstrip(".")
            raise JoinGRError(
                f"The cross-encoder {self.model!r} in {str(folder)!r} cannot be loaded ({reason}): download it again."
            ) from error
        if model.config.num_labels != 1:
            raise JoinGRError(
                f"The model {self.model!r} has {model.config.num_labels} outputs: give a cross-encoder with one output."
            )
        return model

    def _folder(self) -> Path:
        if self.path is None:
            return hub_folder(self.model, self.revision, "config.json", setting="method.refiner.path")
        if not is_model_folder(self.path, "config.json"):
            raise JoinGRError(
                f"method.refiner.path={str(self.path)!r} is not the folder of a cross-encoder: it must contain "
                "config.json and the weights."
            )
        return self.path
