"""Corpora in parts: split by databases, on disk, ranked by one process or by actors of Ray as the whole would be."""

from typing import TYPE_CHECKING

from joingr_pyg.lazy_names import lazy_names

if TYPE_CHECKING:
    from joingr_pyg.sharding.ray_encoder import RayEncoder
    from joingr_pyg.sharding.sharded_corpus import ShardedCorpus

__all__ = ["RayEncoder", "ShardedCorpus"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "joingr_pyg.sharding.ray_encoder": ["RayEncoder"],
        "joingr_pyg.sharding.sharded_corpus": ["ShardedCorpus"],
    },
)
