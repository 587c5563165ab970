"""The files a run leaves in its folder, each written in one step."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from joingr_pyg.atomic_files import atomic_write
from joingr_pyg.errors import JoinGRError
from joingr_pyg.runs.secrets import without_secrets

METRICS = "metrics.json"
QUESTIONS = "questions.jsonl"

WITHOUT_EFFECT = ("complete", "fold_workers", "logger", "paths", "progress", "resume")
"""Keys of a config that change no metric."""


DATA_OPTIONS: dict[str, Any] = {"words": "none", "cryptic_names": False, "expand_names": False}
"""Options of a dataset that say what is known of its schemas, as they are where a run does not say."""


def write_text(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(text.encode())


def write_named(path: Path, text: str) -> None:
    """Write a file that a command was asked for, and say so.

    Raises:
        JoinGRError: If it cannot be written.
    """
    try:
        write_text(path, text)
    except OSError as error:
        raise JoinGRError(f"'{path}' cannot be written ({error.strerror or error}).") from error
    print(f"Written: {path}")


def effective(config: Mapping[str, Any]) -> dict[str, Any]:
    """What of a config bears on the results, in the plain values that JSON knows."""
    kept = {key: value for key, value in without_secrets(config).items() if key not in WITHOUT_EFFECT}
    if isinstance(dataset := kept.get("dataset"), Mapping) and isinstance(source := dataset.get("source"), Mapping):
        # Said once, and by runs of before there was such an option too: they compare with those of today.
        said = {key: source.get(key, default) for key, default in DATA_OPTIONS.items()}
        source = {key: value for key, value in source.items() if key not in said}
        kept["dataset"] = {**dataset, "source": source, **said}
    return json.loads(json.dumps(kept))


def flat(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a config under dotted keys such as ``model.hops``."""
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def write_metrics(folder: Path, metrics: dict[str, Any]) -> Path:
    """Write ``metrics.json``."""
    path = folder / METRICS
    write_text(path, json.dumps(metrics, indent=2, ensure_ascii=False) + "\n")
    return path


def write_questions(folder: Path, records: Iterable[dict[str, Any]]) -> Path:
    """Write ``questions.jsonl``, a line a question."""
    path = folder / QUESTIONS
    write_text(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    return path


def training_of(checkpoint: Path) -> dict[str, Any]:
    """What the command of the training said, where the run that left a checkpoint tells: its ``overrides``.

    Args:
        checkpoint: A checkpoint in the folder of a run, or in that of one of its folds.
    """
    for folder in (checkpoint.parent, checkpoint.parent.parent):
        try:
            return {"overrides": list(json.loads((folder / METRICS).read_text(encoding="utf-8"))["overrides"])}
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return {}
