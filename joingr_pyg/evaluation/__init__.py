"""Evaluation of rankings: metrics, evaluation of a method on a benchmark, significance of differences."""

from typing import TYPE_CHECKING

from joingr_pyg.lazy_names import lazy_names

if TYPE_CHECKING:
    from joingr_pyg.evaluation.metrics import BridgeRecall, RetrievalMetrics, SetMetrics
    from joingr_pyg.evaluation.significance import Difference, paired_bootstrap

__all__ = [
    "BridgeRecall",
    "Difference",
    "RetrievalMetrics",
    "SetMetrics",
    "paired_bootstrap",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "joingr_pyg.evaluation.metrics": ["BridgeRecall", "RetrievalMetrics", "SetMetrics"],
        "joingr_pyg.evaluation.significance": ["Difference", "paired_bootstrap"],
    },
)
