"""The precision that an encoder's model computes in."""

from typing import Literal, get_args

import torch

from joingr_pyg.errors import JoinGRError

Precision = Literal["float32", "bfloat16", "auto"]

_NAMED = " precision='{}'"


def resolved_precision(precision: str, device: str | None) -> str:
    """``"float32"`` or ``"bfloat16"``; ``"auto"`` is bfloat16 on a processor with instructions for it.

    Args:
        precision: One of :data:`Precision`.
        device: Device of the model. ``None`` is an accelerator if there is one.

    Raises:
        JoinGRError: If there is no such precision.
    """
    if precision not in get_args(Precision):
        raise JoinGRError(f"There is no precision {precision!r} of encoders: choose {', '.join(get_args(Precision))}.")
    if precision != "auto":
        return precision
    on_cpu = device == "cpu" if device else torch.accelerator.current_accelerator(check_available=True) is None
    return "bfloat16" if on_cpu and _computes_bfloat16() else "float32"


def named_precision(precision: str) -> str:
    """How the identity of an encoder tells its precision; float32, the precision of old, is not told."""
    return "" if precision == "float32" else _NAMED.format(precision)


def without_precision(identity: str) -> str:
    """The identity of an encoder whose vectors are the same up to rounding, in float32."""
    return identity.replace(_NAMED.format("bfloat16"), "")


def _computes_bfloat16() -> bool:
    """Whether this processor multiplies bfloat16 faster than float32; a torch that cannot tell says no."""
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return any(bool(capabilities.get(name)) for name in ("avx512_bf16", "amx_bf16"))
