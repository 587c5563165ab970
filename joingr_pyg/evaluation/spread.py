"""Mean and standard deviation of metrics over folds or seeds."""

from collections.abc import Sequence

import numpy as np


def mean_and_spread(values: Sequence[dict[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """Mean and sample standard deviation of each metric; the deviation of a single value is 0.

    Args:
        values: The metrics of each fold or seed, all with the same names.
    """
    names = values[0]
    mean = {name: float(np.mean([value[name] for value in values])) for name in names}
    spread = {name: float(np.std([value[name] for value in values], ddof=min(1, len(values) - 1))) for name in names}
    return mean, spread
