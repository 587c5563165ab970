"""The dataset and the models of a finished run, opened again from what its folder says."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from joingr_pyg.datasets import JoinGraphs
from joingr_pyg.encoders import CachedEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGR
from joingr_pyg.models.checkpoint import load_checkpoint, require_encoder
from joingr_pyg.runs.collect import Run


def reopen_dataset(run: Run) -> JoinGraphs:
    """The split that a run was tested on, with its encoder and their cache.

    Raises:
        JoinGRError: If the run does not say what it was made with, or a file is missing.
    """
    try:
        config = run.summary["config"]
        cache = Path(config["paths"]["cache"]).expanduser()
        encoder = CachedEncoder(_made(config["encoder"]), cache / "embeddings")
        return _made(config["dataset"]["source"], split=run.summary["split"], encoder=encoder)
    except (KeyError, TypeError, ImportError, AttributeError) as error:
        raise JoinGRError(
            f"'{run.place}' does not say what it was made with ({type(error).__name__}: {error}): run it again."
        ) from error


def reopen_models(run: Run, dataset: JoinGraphs) -> list[JoinGR]:
    """The trained models of a run: one a fold, or a single one.

    Raises:
        JoinGRError: If there is none, or its file is missing.
    """
    said = [Path(path) for path in run.summary.get("checkpoints", [])]
    if run.folder is not None and said:
        # Beside metrics.json, wherever the folder lies now.
        places = [Path(path.parent.name, path.name) if len(said) > 1 else Path(path.name) for path in said]
        paths = [run.folder / place for place in places]
    else:
        paths = [Path(path) for path in [run.summary.get("checkpoint")] if path]
    if not paths:
        raise JoinGRError(f"'{run.place}' has no checkpoint: name the folder of a trained model's run.")
    models = []
    for path in paths:
        model, description = load_checkpoint(path)
        require_encoder(description, dataset.encoder.name, dataset.encoder.identity, path)
        if not isinstance(model, JoinGR):
            raise JoinGRError(f"'{path}' holds no JoinGR, whose walk alone is looked into.")
        models.append(model)
    return models


def _made(config: Mapping[str, Any], **more: Any) -> Any:
    """Make what a config describes; it names a class of this package and no other."""
    module, _, name = str(config["_target_"]).rpartition(".")
    if not module.startswith("joingr_pyg."):
        raise JoinGRError(f"A run of this package is made of its own parts, not of {config['_target_']!r}.")
    options = {key: value for key, value in config.items() if not key.startswith("_")}
    return getattr(import_module(module), name)(**options, **more)
