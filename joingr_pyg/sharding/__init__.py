"""Corpora in parts: split by databases, on disk, ranked by one process or by actors of Ray as the whole would be."""

from joingr_pyg.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "joingr_pyg.sharding.ray_encoder": ["RayEncoder"],
        "joingr_pyg.sharding.sharded_corpus": ["ShardedCorpus"],
    },
)
