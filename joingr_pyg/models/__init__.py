"""Retrieval methods, all behind :class:`~joingr_pyg.models.retriever.Retriever`."""

from joingr_pyg.models.anchors import ColumnIndex, TableHits
from joingr_pyg.models.joingr import Evidence, JoinGR, heuristic
from joingr_pyg.models.retriever import Ranking, Retriever
from joingr_pyg.models.vanilla import Vanilla

__all__ = ["ColumnIndex", "Evidence", "JoinGR", "Ranking", "Retriever", "TableHits", "Vanilla", "heuristic"]
