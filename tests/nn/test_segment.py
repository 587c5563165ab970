import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from joingr_pyg.nn import segment, segment_softmax


def by_hand(score: Tensor, ptr: list[int]) -> Tensor:
    parts = [score[start:end].softmax(0) for start, end in pairwise(ptr)]
    return torch.cat(parts)


def segments(lengths: list[int]) -> tuple[Tensor, Tensor]:
    ptr = torch.tensor([0, *lengths]).cumsum(0)
    return torch.arange(len(lengths)).repeat_interleave(torch.tensor(lengths, dtype=torch.long)), ptr


def test_weights_by_hand(kernels: str) -> None:
    score = torch.tensor([math.log(3.0), 0.0, 5.0, math.log(1.0), math.log(2.0), math.log(5.0)])
    index, ptr = segments([2, 1, 0, 3])
    expected = torch.tensor([0.75, 0.25, 1.0, 0.125, 0.25, 0.625])
    torch.testing.assert_close(segment_softmax(score, index, ptr), expected)


@pytest.mark.parametrize("lengths", [[], [0], [0, 0], [3], [0, 2, 0, 5, 1, 0]])
def test_values_and_gradients(kernels: str, lengths: list[int]) -> None:
    index, ptr = segments(lengths)
    generator = torch.Generator().manual_seed(0)
    score = (5 * torch.randn(sum(lengths), generator=generator, dtype=torch.double)).requires_grad_()
    weight = torch.randn(sum(lengths), generator=generator, dtype=torch.double)

    out = segment_softmax(score, index, ptr)
    expected = by_hand(score, ptr.tolist()) if lengths else score.new_zeros(0)
    torch.testing.assert_close(out, expected, rtol=0, atol=1e-12)

    gradient = torch.autograd.grad((out * weight).sum(), score)[0]
    if lengths:
        expected_gradient = torch.autograd.grad((expected * weight).sum(), score)[0]
        torch.testing.assert_close(gradient, expected_gradient, rtol=0, atol=1e-12)
    else:
        assert gradient.shape == (0,)


def test_gradcheck(kernels: str) -> None:
    index, ptr = segments([2, 0, 3, 1])
    score = torch.randn(6, dtype=torch.double, generator=torch.Generator().manual_seed(1), requires_grad=True)
    assert torch.autograd.gradcheck(lambda score: segment_softmax(score, index, ptr), score)


def test_extreme_scores_do_not_overflow(kernels: str) -> None:
    index, ptr = segments([2, 2, 1])
    out = segment_softmax(torch.tensor([1e4, 1e4 - 1, -1e4, -1e4, 1e30]), index, ptr)
    share = 1 / (1 + math.exp(-1))
    torch.testing.assert_close(out, torch.tensor([share, 1 - share, 0.5, 0.5, 1.0]))


@settings(max_examples=50, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 4), max_size=6),
    shift=st.floats(-100, 100),
    data=st.data(),
)
def test_weights_sum_to_one_and_ignore_a_shift(lengths: list[int], shift: float, data: st.DataObject) -> None:
    index, ptr = segments(lengths)
    total = sum(lengths)
    score = torch.tensor(data.draw(st.lists(st.floats(-50, 50), min_size=total, max_size=total)), dtype=torch.double)
    out = segment_softmax(score, index, ptr)
    assert (out >= 0).all()
    sums = torch.zeros(len(lengths), dtype=torch.double).index_add(0, index, out)
    torch.testing.assert_close(sums, (torch.tensor(lengths) > 0).double())
    torch.testing.assert_close(segment_softmax(score + shift, index, ptr), out, rtol=1e-9, atol=1e-12)


def test_both_kernels_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    if segment.torch_scatter is None:
        pytest.skip("torch-scatter is not installed for this torch")
    index, ptr = segments([3, 0, 40, 1, 7])
    score = torch.randn(51, generator=torch.Generator().manual_seed(2), requires_grad=True)
    weight = torch.randn(51, generator=torch.Generator().manual_seed(3))
    with_scatter = segment_softmax(score, index, ptr)
    monkeypatch.setattr(segment, "torch_scatter", None)
    without = segment_softmax(score, index, ptr)
    torch.testing.assert_close(with_scatter, without, rtol=0, atol=1e-6)
    gradients = [torch.autograd.grad((out * weight).sum(), score)[0] for out in (with_scatter, without)]
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-6)
