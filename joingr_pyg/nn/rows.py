"""Rows read and summed by their numbers, in a form that compiled code of the CPU gets right.

``torch.compile`` turns a sum over repeated numbers (``index_add``, and the gradient of ``x[index]``) into atomic
additions. With several threads its CPU backend makes vectors of them, which fails where the sum has a single row
(pytorch/pytorch#160391) and can write past the end of the sum (#191837): training ended in a corrupted heap with
PyTorch 2.13. Here such a sum is an operation of its own, which compiled code calls as it is; reading rows stays open to
fusion.
"""

from typing import Any

import torch
from torch import Tensor


def take_rows(x: Tensor, index: Tensor) -> Tensor:
    """``x[index]``.

    Args:
        x: ``[N, *]``.
        index: ``[L]`` numbers of rows.

    Returns:
        ``[L, *]`` rows.
    """
    return _TakeRows.apply(x, index) if _guarded(x) else x[index]


def sum_rows(x: Tensor, index: Tensor, size: int) -> Tensor:
    """Sum the rows that share a number.

    Args:
        x: ``[L, *]`` rows.
        index: ``[L]`` number of each.
        size: How many numbers there are, ``N``.

    Returns:
        ``[N, *]`` sums.
    """
    return _sum_rows(x, index, size) if _guarded(x) else x.new_zeros(size, *x.shape[1:]).index_add(0, index, x)


def _guarded(x: Tensor) -> bool:
    return torch.compiler.is_compiling() and x.device.type == "cpu"


@torch.library.custom_op("joingr_pyg::sum_rows", mutates_args=())
def _sum_rows(x: Tensor, index: Tensor, size: int) -> Tensor:
    return x.new_zeros(size, *x.shape[1:]).index_add_(0, index, x)


@_sum_rows.register_fake
def _(x: Tensor, index: Tensor, size: int) -> Tensor:
    return x.new_empty(size, *x.shape[1:])


def _keep_index(ctx: Any, inputs: tuple[Tensor, Tensor, int], output: Tensor) -> None:
    ctx.save_for_backward(inputs[1])


def _spread(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    return grad[ctx.saved_tensors[0]], None, None


_sum_rows.register_autograd(_spread, setup_context=_keep_index)


class _TakeRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, index: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        ctx.rows = x.size(0)
        return x[index]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _sum_rows(grad, ctx.saved_tensors[0], ctx.rows), None
