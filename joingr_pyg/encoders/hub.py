"""Find a model in the local cache of the model hub, or download it; tell at once when neither is possible."""

from pathlib import Path

from joingr_pyg.errors import JoinGRError

_TIMEOUT = 5.0
"""Seconds the hub gets to answer before it counts as out of reach."""


def is_model_folder(folder: Path, *any_of: str) -> bool:
    """Whether a folder holds weights and one of the files ``any_of``; an interrupted download lacks either."""
    weights = (path for pattern in ("*.safetensors", "*.bin") for path in folder.rglob(pattern))
    return any((folder / name).is_file() for name in any_of) and any(path.is_file() for path in weights)


def hub_folder(model: str, revision: str | None, needs: str, setting: str = "encoder.path") -> Path:
    """The folder of a hub model, from the local cache where it is complete, else downloaded.

    A cached model is used without any network traffic. ``HF_HOME``, ``HF_ENDPOINT`` and ``HF_HUB_OFFLINE`` are
    respected.

    Args:
        model: Name of the model on the hub.
        revision: Branch, tag or commit; ``None`` for the default branch.
        needs: File that has to be there beside the weights.
        setting: Name of the setting that takes a local folder, for messages.

    Raises:
        JoinGRError: If the model is neither cached nor can be downloaded.
    """
    from huggingface_hub import HfApi, snapshot_download, try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    which = repr(model) + (f" with revision {revision!r}" if revision else "")
    try:
        found = try_to_load_from_cache(model, needs, revision=revision)
    except HFValidationError as error:
        raise JoinGRError(f"The model hub can have no model {which}: {error}") from error
    if isinstance(found, str) and is_model_folder(Path(found).parent, needs):
        return Path(found).parent
    try:
        files = HfApi().model_info(model, revision=revision, timeout=_TIMEOUT).siblings or ()
        # Many models hold their weights twice; the pickled copy is the one to leave.
        twice = any("/" not in file.rfilename and file.rfilename.endswith(".safetensors") for file in files)
        return Path(
            snapshot_download(
                model,
                revision=revision,
                allow_patterns=["*.json", "*.txt", "*.model", "*.safetensors", "*.bin"],
                ignore_patterns=["onnx/*", "openvino/*", *(["pytorch_model*.bin"] if twice else [])],
            )
        )
    except (RepositoryNotFoundError, RevisionNotFoundError) as error:
        raise JoinGRError(f"The model hub has no model {which} that you may read: check its name.") from error
    except Exception as error:  # Whatever the hub's client and its transport raise when they cannot get through.
        reason = next(iter(str(error).split("\n")), "").strip(" .") or type(error).__name__
        raise JoinGRError(
            f"The model {which} is not, or not wholly, in the local model cache, and the model hub cannot be reached "
            f"({reason}): download it beforehand with `hf download {model}`, or give a folder that holds it as "
            f"{setting}=<folder>."
        ) from error
