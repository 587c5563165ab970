import pytest
import torch
from torch import Tensor

from joingr_pyg.nn import Projections


def projections(dtype: torch.dtype = torch.double) -> Projections:
    """Rows that tell where they come from: thousands for queries, hundreds for edges, tens and units for nodes."""
    rows = [torch.tensor([1000.0, 2000.0]), torch.tensor([100.0, 200.0, 300.0]), torch.tensor([10.0, 20.0])]
    parts = [*rows, rows[-1] / 10]
    return Projections(*(part.unsqueeze(1).repeat(1, 4).to(dtype).requires_grad_() for part in parts))


def numbers(length: int) -> tuple[Tensor, ...]:
    return tuple(torch.arange(length) * step % size for step, size in ((1, 2), (1, 3), (3, 2), (0, 2)))


@pytest.mark.parametrize("length", [0, 1, 5, 9, 40])
def test_gather(length: int) -> None:
    """Nine rows in all: up to there the sums are made part by part, beyond it in one pass."""
    parts, (query, edge, frontier, neighbor) = projections(), numbers(length)
    gathered = parts.gather(query, edge, frontier, neighbor)
    expected = 1000.0 * (query + 1) + 100 * (edge + 1) + 10 * (frontier + 1) + neighbor + 1
    assert torch.equal(gathered, expected.double().unsqueeze(1).expand(length, 4))

    weight = torch.arange(length).double()
    (gathered * weight.unsqueeze(1)).sum().backward()
    for part, number in zip(parts, (query, edge, frontier, neighbor), strict=True):
        # The gradient of a row is the sum of the weights of the edges that it belongs to.
        own = torch.stack([weight[number == row].sum() for row in range(len(part))])
        assert torch.equal(part.grad, own.unsqueeze(1).expand_as(part))


@pytest.mark.parametrize("dtype", [torch.float, torch.bfloat16])
def test_gather_keeps_the_type(dtype: torch.dtype) -> None:
    assert {projections(dtype).gather(*numbers(length)).dtype for length in (5, 40)} == {dtype}
