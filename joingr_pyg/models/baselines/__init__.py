"""Baselines: the methods that JoinGR is compared with, as :class:`~joingr_pyg.models.retriever.Retriever`."""

from joingr_pyg.models.baselines.bm25 import BM25
from joingr_pyg.models.baselines.nearest_questions import NearestQuestions
from joingr_pyg.models.baselines.page_rank import PageRank
from joingr_pyg.models.baselines.rear import Rear
from joingr_pyg.models.baselines.steiner import Steiner

__all__ = ["BM25", "NearestQuestions", "PageRank", "Rear", "Steiner"]
