"""The exponential function of all kernels."""

from typing import Any

import numpy as np

from joingr_pyg.kernels.compilation import compiled

Real = np.float32


@compiled
def exp(x: Any) -> Any:
    """Exponential of a number that is not positive, to single precision, in a form that compiles to vectors."""
    x = max(x, Real(-87.0))
    power = np.floor(x * Real(1.4426950408889634) + Real(0.5))
    rest = x - power * Real(0.6931471805599453)
    series = Real(1.9875691500e-4)
    series = series * rest + Real(1.3981999507e-3)
    series = series * rest + Real(8.3334519073e-3)
    series = series * rest + Real(4.1665795894e-2)
    series = series * rest + Real(1.6666665459e-1)
    series = series * rest + Real(5.0000001201e-1)
    series = series * rest * rest + rest + Real(1.0)
    return series * np.int32((np.int32(power) + np.int32(127)) << np.int32(23)).view(np.float32)
