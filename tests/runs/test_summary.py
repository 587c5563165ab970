from pathlib import Path

import pytest

from joingr_pyg.datasets import Demo, JoinGraphs
from joingr_pyg.datasets.benchmark import Dropped
from joingr_pyg.encoders import Encoder
from joingr_pyg.runs.summary import summarize


@pytest.fixture
def dataset(tmp_path: Path, encoder: Encoder) -> JoinGraphs:
    return Demo("", "test", encoder, tmp_path)


def test_the_keys_are_stable_and_their_values_plain(dataset: JoinGraphs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(dataset), "dropped", (Dropped(7, "gone", "no such database"),))
    scored = len(dataset.questions)
    summary = summarize(
        dataset,
        setting="per_database",
        method="joingr",
        checkpoint="best.ckpt",
        seed=3,
        metrics={"P@5": 0.25, "R@5": 0.5},
        timing={"embedding": 1.23456, "training": 0.0, "evaluation": 0.5},
        folds=[{"P@5": 0.25}],
    )
    assert summary == {
        "dataset": "demo",
        "split": "test",
        "setting": "per_database",
        "encoder": "hashing-64",
        "method": "joingr",
        "checkpoint": "best.ckpt",
        "seed": 3,
        "graph": dataset.statistics(),
        "questions": {
            "total": scored + 1,
            "scored": scored,
            "dropped": [{"index": 7, "database": "gone", "reason": "no such database"}],
        },
        "metrics": {"P@5": 0.25, "R@5": 0.5},
        "timing": {
            "embedding": 1.23456,
            "training": 0.0,
            "evaluation": 0.5,
            "questions_per_second": round(2 * scored, 1),
        },
        "folds": [{"P@5": 0.25}],
    }
    assert set(summary["graph"]) == {"databases", "tables", "questions", "nodes", "intra", "key_key", "join"}
    assert summary["graph"]["questions"] == scored + 1


def test_without_an_evaluation_there_is_no_speed(dataset: JoinGraphs) -> None:
    summary = summarize(dataset, setting="pooled", method="m", checkpoint=None, seed=0, metrics={}, timing={})
    assert summary["timing"] == {"questions_per_second": None}
    assert summary["checkpoint"] is None
