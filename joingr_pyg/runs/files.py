"""The files that a run writes into its folder, by atomic writes."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from joingr_pyg.atomic_files import atomic_write
from joingr_pyg.errors import JoinGRError
from joingr_pyg.runs.secrets import without_secrets

METRICS = "metrics.json"
QUESTIONS = "questions.jsonl"

WITHOUT_EFFECT = ("complete", "fold_workers", "logger", "paths", "progress", "resume")
"""Keys of a config that change no metric."""


DATA_OPTIONS: dict[str, Any] = {"words": "none", "cryptic_names": False, "expand_names": False}
"""Options of a dataset that change the names and descriptions in its schemas, with their default values."""


def write_text(path: Path, text: str) -> None:
    """Write a file by an atomic write; missing folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(text.encode())


def write_named(path: Path, text: str, report: TextIO | None = None) -> None:
    """Write a file that an argument of a command names, and print its path.

    Args:
        path: The file.
        text: What it holds.
        report: Where its path is printed; standard output by default.

    Raises:
        JoinGRError: If it cannot be written.
    """
    try:
        write_text(path, text)
    except OSError as error:
        raise JoinGRError(f"'{path}' cannot be written ({error.strerror or error}).") from error
    print(f"Written: {path}", file=report)


def effective(config: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a config that can change results, in the plain values of JSON."""
    kept = {key: value for key, value in without_secrets(config).items() if key not in WITHOUT_EFFECT}
    if isinstance(dataset := kept.get("dataset"), Mapping) and isinstance(source := dataset.get("source"), Mapping):
        # Every option has one key, and older runs, made before there was an option, get its default.
        options = {key: source.get(key, default) for key, default in DATA_OPTIONS.items()}
        source = {key: value for key, value in source.items() if key not in options}
        kept["dataset"] = {**dataset, "source": source, **options}
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
    """Write ``questions.jsonl``, one line for each question."""
    path = folder / QUESTIONS
    write_text(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    return path


def training_of(checkpoint: Path) -> dict[str, Any]:
    """The ``overrides`` of the training that wrote a checkpoint; empty if its run recorded none.

    Args:
        checkpoint: A checkpoint in the folder of a run, or in that of one of its folds.
    """
    for folder in (checkpoint.parent, checkpoint.parent.parent):
        try:
            return {"overrides": list(json.loads((folder / METRICS).read_text(encoding="utf-8"))["overrides"])}
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return {}
