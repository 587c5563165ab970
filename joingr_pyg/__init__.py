"""JoinGR in PyTorch Geometric: find the tables a question needs, also those it never names."""

from typing import TYPE_CHECKING

from joingr_pyg.lazy_names import lazy_names

if TYPE_CHECKING:
    from joingr_pyg.errors import JoinGRError
    from joingr_pyg.models import JoinGR, JoinGRPlus, heuristic, pretrained, untrained
    from joingr_pyg.nn import EdgeScorer, JoinWalk
    from joingr_pyg.retrieval import RetrievalResult, RetrievedJoin, RetrievedTable, TableRetriever

__version__ = "0.1.0"

__all__ = [
    "EdgeScorer",
    "JoinGR",
    "JoinGRError",
    "JoinGRPlus",
    "JoinWalk",
    "RetrievalResult",
    "RetrievedJoin",
    "RetrievedTable",
    "TableRetriever",
    "__version__",
    "heuristic",
    "pretrained",
    "untrained",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "joingr_pyg.errors": ["JoinGRError"],
        "joingr_pyg.models": ["JoinGR", "JoinGRPlus", "heuristic", "pretrained", "untrained"],
        "joingr_pyg.nn": ["EdgeScorer", "JoinWalk"],
        "joingr_pyg.retrieval": ["RetrievalResult", "RetrievedJoin", "RetrievedTable", "TableRetriever"],
    },
)
