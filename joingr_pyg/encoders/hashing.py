"""An encoder without a neural model: hashed words and character n-grams, for fast tests and dry runs."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from math import log
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize

_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=1 << 17)
def _hash(feature: str) -> int:
    # Python's hash() differs between processes.
    return int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "little")


def _features(text: str) -> Iterator[str]:
    words = _WORD.findall(text.lower())
    for word in words:
        yield word
        padded = f"<{word}>"
        for size in (3, 4):
            yield from (padded[start : start + size] for start in range(len(padded) - size + 1))
    if not words:  # A text without words still needs a unit vector.
        yield text


class HashingEncoder:
    """Hashes words and their character 3- and 4-grams into a signed, sublinear, L2-normalised count vector.

    Texts are similar if they share words or parts of words; meaning is not considered. Embeddings are the same on every
    machine.

    Args:
        dim: Length of an embedding.
    """

    def __init__(self, dim: int = 256) -> None:
        self.dim = dim
        self.name = f"hashing-{dim}"
        self.identity = f"hashing:words+3,4-grams:dim={dim}"

    @property
    def settings(self) -> dict[str, Any]:
        """The constructor arguments of this encoder."""
        return {"dim": self.dim}

    def encode_queries(self, texts: Sequence[str]) -> Tensor:
        return self._encode(texts)

    def encode_documents(self, texts: Sequence[str]) -> Tensor:
        return self._encode(texts)

    def _encode(self, texts: Sequence[str]) -> Tensor:
        vectors = torch.zeros(len(texts), self.dim)
        for row, text in zip(vectors, texts, strict=True):
            weights = [0.0] * self.dim
            for feature, count in Counter(_features(text)).items():
                hashed = _hash(feature)
                weights[(hashed >> 1) % self.dim] += (1 + log(count)) * (1 if hashed & 1 else -1)
            row.copy_(torch.tensor(weights))
        return normalize(vectors)
