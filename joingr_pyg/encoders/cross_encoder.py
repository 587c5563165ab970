"""Frozen cross-encoders, which read a question and a text together; loaded only when there is something to score."""

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
        model: Name on the model hub; with ``path`` it is only told in messages.
        revision: Branch, tag or commit on the hub.
        path: Local folder that holds the model; the hub is not asked.
        max_length: Tokens after which a pair is cut; ``None`` takes the model's own limit.
        batch_size: Pairs scored at once.
        device: Device of the model; ``None`` takes an accelerator where there is one.
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
        """``[len(texts)]`` scores of a question with each text, the higher the more relevant.

        Raises:
            JoinGRError: If the model is neither here nor on the hub, cannot be loaded, or has several outputs.
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
        """Load the model now, so that a missing one is told before any work is done.

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
        except Exception as error:  # A broken folder fails in as many ways as there are file formats.
            reason = " ".join(str(error).split()).rstrip(".")
            raise JoinGRError(
                f"The cross-encoder {self.model!r} in {str(folder)!r} cannot be loaded ({reason}): fetch it anew."
            ) from error
        if model.config.num_labels != 1:
            raise JoinGRError(
                f"The model {self.model!r} has {model.config.num_labels} outputs: a cross-encoder that ranks has one."
            )
        return model

    def _folder(self) -> Path:
        if self.path is None:
            return hub_folder(self.model, self.revision, "config.json", setting="method.refiner.path")
        if not is_model_folder(self.path, "config.json"):
            raise JoinGRError(
                f"method.refiner.path={str(self.path)!r} is not the folder of a cross-encoder: config.json and the "
                "weights were expected there."
            )
        return self.path
