"""JoinGR in PyTorch Geometric: find the tables a question needs, also those it never names."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from joingr_pyg.retrieval import RetrievalResult, RetrievedJoin, RetrievedTable, TableRetriever

__version__ = "0.1.0"

__all__ = ["RetrievalResult", "RetrievedJoin", "RetrievedTable", "TableRetriever", "__version__"]


def __getattr__(name: str) -> Any:
    # Loaded when asked for: a model that only needs joingr_pyg.nn imports no encoder.
    if name in __all__:
        from joingr_pyg import retrieval

        return getattr(retrieval, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
