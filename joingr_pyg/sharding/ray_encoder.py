"""Embedding many texts on actors of Ray Data."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from joingr_pyg.encoders import Encoder
from joingr_pyg.errors import MissingPackageError, require_at_least, require_whole


class RayEncoder:
    """An encoder whose documents are embedded by several copies of its model, each an actor of Ray.

    Where the cluster has GPUs, each actor has one. Questions are embedded by the encoder itself, in this process. In a
    :class:`~joingr_pyg.encoders.CachedEncoder` only texts that no run has embedded go to the actors, and their vectors
    are kept in the cache that all runs share::

        encoder = CachedEncoder(RayEncoder(MiniLMEncoder(), actors=4), folder, chunk_size=1 << 16)

    Args:
        encoder: The encoder. It should load its model when it is first used, since it is copied to the actors.
        actors: Number of actors, at least 1.
        batch_size: Texts that an actor takes at once.

    Raises:
        JoinGRError: If Ray is not installed, or a number is below 1.
    """

    def __init__(self, encoder: Encoder, actors: int, batch_size: int = 256) -> None:
        require_whole(actors=actors, batch_size=batch_size)
        require_at_least(1, actors=actors, batch_size=batch_size)
        try:
            import ray.data  # noqa: F401
        except ImportError:
            raise MissingPackageError("Embedding on actors", "ray", "ray") from None
        self.encoder, self.actors, self.batch_size = encoder, actors, batch_size

    @property
    def name(self) -> str:
        return self.encoder.name

    @property
    def identity(self) -> str:
        return self.encoder.identity

    @property
    def dim(self) -> int:
        return self.encoder.dim

    def encode_queries(self, texts: Sequence[str]) -> Tensor:
        return self.encoder.encode_queries(texts)

    def encode_documents(self, texts: Sequence[str]) -> Tensor:
        if not texts:
            return self.encoder.encode_documents(texts)
        import ray

        ray.data.DataContext.get_current().enable_progress_bars = False
        resources: dict[str, Any] = (
            {"num_gpus": 1} if ray.is_initialized() and ray.cluster_resources().get("GPU", 0) else {}
        )
        rows = ray.data.from_items([{"place": place, "text": text} for place, text in enumerate(texts)])
        embedded = rows.map_batches(
            _Embedding,
            fn_constructor_args=(self.encoder,),
            batch_size=self.batch_size,
            compute=ray.data.ActorPoolStrategy(size=self.actors),
            **resources,
        )
        vectors = np.empty((len(texts), self.dim), np.float32)
        batch: Any
        for batch in embedded.iter_batches(batch_format="numpy"):
            vectors[batch["place"]] = np.stack(list(batch["vector"]))
        return torch.from_numpy(vectors)


class _Embedding:
    """Embeds batches of texts in a process of Ray's."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        vectors = self.encoder.encode_documents([str(text) for text in batch["text"]])
        return {"place": batch["place"], "vector": vectors.numpy()}
