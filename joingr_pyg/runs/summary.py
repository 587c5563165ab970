"""The content of ``metrics.json``, with stable keys."""

from collections.abc import Mapping
from typing import Any

from joingr_pyg.datasets import JoinGraphs


def summarize(
    dataset: JoinGraphs,
    *,
    setting: str,
    method: str,
    checkpoint: str | None,
    seed: int,
    metrics: Mapping[str, float],
    timing: Mapping[str, float],
    **more: Any,
) -> dict[str, Any]:
    """Describe a run.

    Args:
        dataset: The split that was evaluated.
        setting: ``"pooled"`` or ``"per_database"``.
        method: Name of the method.
        checkpoint: The weights that were used, if any.
        seed: The run's seed.
        metrics: ``P@K``, ``R@K`` and ``PR@K``.
        timing: Seconds of ``embedding``, ``training`` and ``evaluation``.
        more: Further keys, such as ``folds``.
    """
    scored = len(dataset.questions)
    evaluation = timing.get("evaluation", 0.0)
    return {
        "dataset": dataset.benchmark_name,
        "split": dataset.split,
        "setting": setting,
        "encoder": dataset.encoder.name,
        "method": method,
        "checkpoint": checkpoint,
        "seed": seed,
        "graph": dataset.statistics(),
        "questions": {
            "total": scored + len(dataset.dropped),
            "scored": scored,
            "dropped": [
                {"index": question.index, "database": question.database, "reason": question.reason}
                for question in dataset.dropped
            ],
        },
        "metrics": dict(metrics),
        "timing": {
            **{name: round(seconds, 6) for name, seconds in timing.items()},
            "questions_per_second": round(scored / evaluation, 1) if evaluation else None,
        },
        **more,
    }
