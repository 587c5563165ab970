"""Folders of finished runs, made by hand."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.runs.files import write_questions

MakeRun = Callable[..., Path]


def question(index: int, tables: tuple[str, str]) -> dict[str, Any]:
    """A line of ``questions.jsonl`` from the names of gold and ranked tables."""
    gold, ranked = (each.split() for each in tables)
    scored = [{"table": table, "score": 1 / place} for place, table in enumerate(ranked, 1)]
    return {"index": index, "question": f"Question {index}?", "database": "db", "gold": gold, "ranked": scored}


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """``make_run("sweep/0", {"R@5": 0.5}, seed=1, model__hops=2)`` leaves a run; returns its folder.

    ``questions=[("a b", "b c a")]`` gives it questions, each with its gold and its ranked tables; ``said={...}`` adds
    to its ``metrics.json``.
    """

    def make(place: str, metrics: dict[str, float], seed: int = 0, **given: Any) -> Path:
        said, questions = given.pop("said", {}), given.pop("questions", None)
        more = {key: given.pop(key) for key in ("spread", "dataset", "encoder", "method") if key in given}
        config: dict[str, Any] = {
            "dataset": {
                "source": {"_target_": "joingr_pyg.datasets.Demo", "_partial_": True, "root": place, "strict": False},
                "train": "train",
                "test": "test",
                "validation": "question",
            },
            "encoder": {"_target_": "joingr_pyg.encoders.HashingEncoder", "dim": 64},
            "model": {"_target_": "joingr_pyg.models.JoinGR", "_partial_": True, "anchors": 5, "hops": 5},
            "loss": {"_target_": "joingr_pyg.training.losses.TableLoss", "margin": 0.1},
            "logger": {"save_dir": place},
            "paths": {"cache": place},
            "resume": place,
            "setting": "pooled",
            "ks": [5, 15],
            "seed": seed,
            "fold_seed": seed,
            "validation": {"by": "question"},
        }
        for key, value in given.items():
            *groups, last = key.split("__")
            inner = config
            for group in groups:
                inner = inner.setdefault(group, {})
            inner[last] = value
        summary = {
            "dataset": more.get("dataset", "demo"),
            "split": "test",
            "setting": config["setting"],
            "encoder": more.get("encoder", "hashing-64"),
            "method": more.get("method", "joingr"),
            "seed": seed,
            "metrics": metrics,
            **({"spread": more["spread"]} if "spread" in more else {}),
            "config": config,
        }
        folder = tmp_path / place
        folder.mkdir(parents=True)
        (folder / "metrics.json").write_text(json.dumps({**summary, **said}), encoding="utf-8")
        if questions is not None:
            write_questions(folder, map(question, count(), questions))
        return folder

    return make
