"""Tensors of schemas and questions: join graphs of databases, the corpus of all tables, embedded questions."""

from typing import TYPE_CHECKING

from joingr_pyg.lazy_names import lazy_names

if TYPE_CHECKING:
    from joingr_pyg.data.corpus import Corpus
    from joingr_pyg.data.graph import join_graph
    from joingr_pyg.data.queries import Queries
    from joingr_pyg.data.walk_data import WalkData

__all__ = [
    "Corpus",
    "Queries",
    "WalkData",
    "join_graph",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "joingr_pyg.data.corpus": ["Corpus"],
        "joingr_pyg.data.graph": ["join_graph"],
        "joingr_pyg.data.queries": ["Queries"],
        "joingr_pyg.data.walk_data": ["WalkData"],
    },
)
