"""Retrieval for a schema of one's own: questions in, tables out, with the joins that lead to them and the reasons."""

from typing import TYPE_CHECKING

from joingr_pyg.lazy_names import lazy_names

if TYPE_CHECKING:
    from joingr_pyg.retrieval.results import RetrievalResult, RetrievedJoin, RetrievedTable
    from joingr_pyg.retrieval.table_retriever import TableRetriever

__all__ = [
    "RetrievalResult",
    "RetrievedJoin",
    "RetrievedTable",
    "TableRetriever",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "joingr_pyg.retrieval.results": ["RetrievalResult", "RetrievedJoin", "RetrievedTable"],
        "joingr_pyg.retrieval.table_retriever": ["TableRetriever"],
    },
)
