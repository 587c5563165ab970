"""The dataset and the models of a finished run, loaded again from its config and checkpoints."""

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
        JoinGRError: If the run's config is incomplete, or a file is missing.
    """
    try:
        config = run.summary["config"]
        cache = Path(config["paths"]["cache"]).expanduser()
        encoder = CachedEncoder(_made(config["encoder"]), cache / "embeddings")
        return _made(config["dataset"]["source"], split=run.summary["split"], encoder=encoder)
    except (KeyError, TypeError, ImportError, AttributeError) as error:
        raise JoinGRError(
            f"'{run.place}' holds an incomplete config ({type(error).__name__}: {error}): run it again."
        ) from error


def reopen_models(run: Run, dataset: JoinGraphs) -> list[JoinGR]:
    """The trained models of a run: one a fold, or a single one.

    Raises:
        JoinGRError: If there is none, or its file is missing.
    """
    written = [Path(path) for path in run.summary.get("checkpoints", [])]
    if run.folder is not None and written:
        # Beside metrics.json, wherever the folder lies now.
        places = [Path(path.parent.name, path.name) if len(written) > 1 else Path(path.name) for path in written]
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
            raise JoinGRError(f"'{path}' holds no JoinGR model: failures are explained by its walk only.")
        models.append(model)
    return models


def _made(config: Mapping[str, Any], **more: Any) -> Any:
    """Make the object that a config describes. Its class has to be of this package."""
    module, _, name = str(config["_target_"]).rpartition(".")
    if not module.startswith("joingr_pyg."):
        raise JoinGRError(
            f"The config of the run names {config['_target_']!r}, which is not a class of this package: run it again."
        )
    options = {key: value for key, value in config.items() if not key.startswith("_")}
    return getattr(import_module(module), name)(**options, **more)
