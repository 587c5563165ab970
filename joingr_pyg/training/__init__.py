"""Training: the Lightning module, losses, validation, restarts, many processes, trackers."""

from typing import TYPE_CHECKING

from joingr_pyg.lazy_names import lazy_names

if TYPE_CHECKING:
    from joingr_pyg.training.losses import EdgeLoss, TableLoss
    from joingr_pyg.training.questions import QuestionSet

__all__ = [
    "EdgeLoss",
    "QuestionSet",
    "TableLoss",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "joingr_pyg.training.losses": ["EdgeLoss", "TableLoss"],
        "joingr_pyg.training.questions": ["QuestionSet"],
    },
)
