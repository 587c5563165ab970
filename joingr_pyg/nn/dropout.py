"""Dropout for large hidden layers on the CPU."""

import torch
from torch import Tensor
from torch.nn import functional as F

LEVELS = 1 << 16
"""Values of the random numbers that are compared with ``p``."""


def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """:func:`torch.nn.functional.dropout`, faster on the CPU.

    PyTorch draws one random number for each element, which took two fifths of a training step. Here one number of 64
    bits serves four elements with 16 bits each, so ``p`` is rounded to a multiple of 2⁻¹⁶. On other devices and in
    compiled code this is PyTorch's own function.

    Args:
        x: Any tensor.
        p: Probability that an element is zeroed; the others are divided by ``1 - p``.
        training: Whether dropout is applied.
    """
    if not training or not 0 < p < 1 or x.device.type != "cpu" or torch.compiler.is_compiling():
        return F.dropout(x, p, training)
    drawn = torch.empty(-(-x.numel() * 16 // 64), dtype=torch.int64).random_(-(1 << 63), None).view(torch.int16)
    kept = drawn[: x.numel()].view(x.shape) >= round(p * LEVELS) - LEVELS // 2
    return x * kept.to(x.dtype).mul_(1 / (1 - p))
