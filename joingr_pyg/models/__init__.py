"""Retrieval methods, all behind :class:`~joingr_pyg.models.retriever.Retriever`."""

from typing import TYPE_CHECKING

from joingr_pyg.lazy_names import lazy_names

if TYPE_CHECKING:
    from joingr_pyg.models.anchors import ColumnIndex, TableHits
    from joingr_pyg.models.evidence import Evidence
    from joingr_pyg.models.joingr import JoinGR, WalkEvidence, heuristic
    from joingr_pyg.models.joingr_plus import JoinGRPlus, untrained
    from joingr_pyg.models.reranking import RerankedJoinGRPlus, pretrained
    from joingr_pyg.models.retriever import Ranking, Retriever
    from joingr_pyg.models.trainable import TrainableRetriever
    from joingr_pyg.models.vanilla import Vanilla

__all__ = [
    "ColumnIndex",
    "Evidence",
    "JoinGR",
    "JoinGRPlus",
    "Ranking",
    "RerankedJoinGRPlus",
    "Retriever",
    "TableHits",
    "TrainableRetriever",
    "Vanilla",
    "WalkEvidence",
    "heuristic",
    "pretrained",
    "untrained",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "joingr_pyg.models.anchors": ["ColumnIndex", "TableHits"],
        "joingr_pyg.models.evidence": ["Evidence"],
        "joingr_pyg.models.joingr": ["JoinGR", "WalkEvidence", "heuristic"],
        "joingr_pyg.models.joingr_plus": ["JoinGRPlus", "untrained"],
        "joingr_pyg.models.reranking": ["RerankedJoinGRPlus", "pretrained"],
        "joingr_pyg.models.retriever": ["Ranking", "Retriever"],
        "joingr_pyg.models.trainable": ["TrainableRetriever"],
        "joingr_pyg.models.vanilla": ["Vanilla"],
    },
)
