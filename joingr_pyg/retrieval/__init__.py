"""Retrieval for a schema of one's own: questions in, tables out, with the joins that lead to them and the reasons."""

from joingr_pyg.retrieval.results import RetrievalResult, RetrievedJoin, RetrievedTable
from joingr_pyg.retrieval.table_retriever import TableRetriever

__all__ = ["RetrievalResult", "RetrievedJoin", "RetrievedTable", "TableRetriever"]
