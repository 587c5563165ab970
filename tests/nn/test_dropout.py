"""Dropout on the CPU."""

import pytest
import torch

from joingr_pyg.nn.dropout import dropout


@pytest.mark.parametrize("p", [0.1, 0.3, 0.75])
@pytest.mark.parametrize("shape", [(401, 63), (99_999,)])
def test_the_share_and_the_scale(p: float, shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    out = dropout(torch.ones(shape), p, True)
    assert out.shape == shape
    assert out.unique().tolist() == pytest.approx([0, 1 / (1 - p)])
    # Four standard deviations of a mean of Bernoulli draws.
    assert (out == 0).float().mean().item() == pytest.approx(p, abs=4 * (p * (1 - p) / out.numel()) ** 0.5)


def test_elements_are_dropped_independently() -> None:
    torch.manual_seed(0)
    dropped = (dropout(torch.ones(100_000, 8), 0.5, True) == 0).float()
    assert (torch.corrcoef(dropped.T) - torch.eye(8)).abs().max() < 0.015
    assert torch.corrcoef(torch.stack([dropped[:-1, 0], dropped[1:, 0]]))[0, 1].abs() < 0.015


def test_the_gradient_is_that_of_what_is_kept() -> None:
    x = torch.randn(50, 10, requires_grad=True)
    out = dropout(x, 0.3, True)
    out.sum().backward()
    assert torch.equal(x.grad, torch.where(out == 0, 0.0, torch.tensor(1.0).div(0.7)))


def test_a_seed_repeats_it() -> None:
    torch.manual_seed(1)
    first = dropout(torch.ones(1000), 0.3, True)
    torch.manual_seed(1)
    second = dropout(torch.ones(1000), 0.3, True)
    assert torch.equal(first, second)
    assert not torch.equal(first, dropout(torch.ones(1000), 0.3, True))


@pytest.mark.parametrize(("p", "training"), [(0.3, False), (0.0, True)])
def test_nothing_is_dropped(p: float, training: bool) -> None:
    x = torch.randn(7)
    assert torch.equal(dropout(x, p, training), x)


def test_all_is_dropped() -> None:
    assert not dropout(torch.ones(7), 1.0, True).any()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_the_type_stays(dtype: torch.dtype) -> None:
    assert dropout(torch.ones(5, dtype=dtype), 0.5, True).dtype == dtype
