from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.sharding import RayEncoder

TEXTS = [f"orders.item_{number}" for number in range(23)]


class Failing(HashingEncoder):
    """Embeds nothing: it stands for a process that must not."""

    def encode_documents(self, texts: Sequence[str]) -> Tensor:
        raise AssertionError(texts)


def test_documents_are_embedded_on_actors_and_kept_in_the_shared_cache(ray: Any, tmp_path: Path) -> None:
    pytest.importorskip("ray.data", reason="the extra 'ray' is not installed")
    plain = HashingEncoder(16)
    encoder = CachedEncoder(RayEncoder(plain, actors=2, batch_size=4), tmp_path, progress=False)
    expected = plain.encode_documents(TEXTS)
    assert torch.equal(encoder.encode_documents(TEXTS), expected)
    assert (encoder.identity, encoder.name, encoder.dim) == (plain.identity, plain.name, 16)
    assert torch.equal(CachedEncoder(Failing(16), tmp_path).encode_documents(TEXTS), expected)
    assert encoder.encode_documents([]).shape == (0, 16)
    assert torch.equal(encoder.encode_queries(TEXTS[:2]), plain.encode_queries(TEXTS[:2]))


def test_numbers_are_at_least_one(ray: Any) -> None:
    with pytest.raises(JoinGRError, match="'actors' needs to be at least 1"):
        RayEncoder(HashingEncoder(16), actors=0)
