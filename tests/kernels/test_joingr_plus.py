import numpy as np
import pytest
import torch

pytest.importorskip("numba")

from joingr_pyg.kernels.joingr_plus import INSERTION_LIMIT, rank
from joingr_pyg.models.retriever import rank_dense


@pytest.mark.parametrize("k", [1, 3, INSERTION_LIMIT, INSERTION_LIMIT + 1, 100, 120])
def test_ranks_are_those_of_a_sort(k: int) -> None:
    torch.manual_seed(0)
    scores = torch.stack([torch.randint(5, (100,)).float(), torch.randn(100), torch.zeros(100), torch.arange(100.0)])
    table, best = np.empty((4, k), np.int64), np.empty((4, k), np.float32)
    rank(scores.numpy(), table, best)
    expected = rank_dense(scores, k)
    assert torch.equal(torch.from_numpy(table), expected.table)
    assert torch.equal(torch.from_numpy(best), expected.score)
