"""The reranker that comes with the package, for schemas that nobody trained on."""

from joingr_pyg.models.reranking.model import RerankedJoinGRPlus, default_model, pretrained
from joingr_pyg.models.reranking.reranker import TableReranker

__all__ = ["RerankedJoinGRPlus", "TableReranker", "default_model", "pretrained"]
