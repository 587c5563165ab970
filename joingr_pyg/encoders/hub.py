"""Finds a model in the local cache of the model hub, or downloads it."""

from pathlib import Path

from joingr_pyg.errors import JoinGRError

_TIMEOUT = 5.0
"""Seconds to wait for an answer of the hub."""


def is_model_folder(folder: Path, *any_of: str) -> bool:
    """Whether a folder contains weights and at least one of the files ``any_of``, unlike an interrupted download."""
    weights = (path for pattern in ("*.safetensors", "*.bin") for path in folder.rglob(pattern))
    return any((folder / name).is_file() for name in any_of) and any(path.is_file() for path in weights)


def hub_folder(model: str, revision: str | None, needs: str, setting: str = "encoder.path") -> Path:
    """The folder of a hub model: from the local cache if it is complete there, otherwise downloaded.

    A cached model is used without network traffic. The variables ``HF_HOME``, ``HF_ENDPOINT`` and ``HF_HUB_OFFLINE``
    are respected.

    Args:
        model: Name of the model on the hub.
        revision: Branch, tag or commit. ``None`` is the default branch.
        needs: Name of a file that the folder must contain besides the weights.
        setting: Name of the setting for a local folder, for messages.

    Raises:
        JoinGRError: If the model is not cached and cannot be downloaded.
    """
    from huggingface_hub import HfApi, snapshot_download, try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    which = repr(model) + (f" with revision {revision!r}" if revision else "")
    try:
        cached = try_to_load_from_cache(model, needs, revision=revision)
    except HFValidationError as error:
        raise JoinGRError(f"{which} is not a valid name of a hub model: {error}") from error
    if isinstance(cached, str) and is_model_folder(Path(cached).parent, needs):
        return Path(cached).parent
    try:
        files = HfApi().model_info(model, revision=revision, timeout=_TIMEOUT).siblings or ()
        # Many models store their weights in two formats; the pickled copy is not downloaded then.
        safetensors = any("/" not in file.rfilename and file.rfilename.endswith(".safetensors") for file in files)
        return Path(
            snapshot_download(
                model,
                revision=revision,
                allow_patterns=["*.json", "*.txt", "*.model", "*.safetensors", "*.bin"],
                ignore_patterns=["onnx/*", "openvino/*", *(["pytorch_model*.bin"] if safetensors else [])],
            )
        )
    except (RepositoryNotFoundError, RevisionNotFoundError) as error:
        raise JoinGRError(f"The model hub has no model {which} that you may read: check its name.") from error
    except Exception as error:  # The hub's client and its HTTP library raise many types of errors.
        reason = next(iter(str(error).split("\n")), "").strip(" .") or type(error).__name__
        raise JoinGRError(
            f"The model {which} is not completely in the local model cache, and the model hub cannot be reached "
            f"({reason}): download it beforehand with `hf download {model}`, or give its folder as {setting}=<folder>."
        ) from error
