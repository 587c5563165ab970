"""The files a run leaves in its folder, each written in one step."""

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

METRICS = "metrics.json"
QUESTIONS = "questions.jsonl"


def write_text(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, partial = tempfile.mkstemp(dir=path.parent, suffix=".partial")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(partial, path)
    except BaseException:
        os.unlink(partial)
        raise


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
