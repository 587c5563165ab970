"""The paired bootstrap over questions: whether the difference between two methods is significant."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_DRAWS_PER_CHUNK = 1 << 20


@dataclass(frozen=True)
class Difference:
    """The difference between two methods in one metric.

    Args:
        first: Mean of the first method.
        second: Mean of the second method.
        difference: ``first - second``.
        low: Lower end of the 95 % confidence interval of the difference.
        high: Upper end of the interval.
        p: Two-sided p-value of the null hypothesis of no difference.
    """

    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float

    @property
    def clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0 or self.high < 0


def paired_bootstrap(
    first: Mapping[str, NDArray[np.float64]],
    second: Mapping[str, NDArray[np.float64]],
    samples: int = 10_000,
    seed: int = 0,
) -> dict[str, Difference]:
    r"""Paired bootstrap: questions are resampled with replacement, with the values of both methods.

    The interval is the percentile interval (Efron and Tibshirani, `"An Introduction to the Bootstrap"`, 1993, chapter
    13). The p-value is :math:`p = 2 \min(P(d^* \le 0), P(d^* \ge 0))`, where one sample is added to both counts.

    Args:
        first: ``[Q]`` values of each metric, one per question.
        second: The values of the other method on the same questions.
        samples: Number of bootstrap samples.
        seed: Seed of the samples, which are the same for all metrics.

    Returns:
        The difference in each metric that both methods have.
    """
    names = [name for name in first if name in second]
    pairs = np.stack([first[name] - second[name] for name in names], axis=1)  # [Q, metrics]
    # Rounded, since sums of fractions such as 1/3 may not be exactly zero.
    means = np.round(_means(pairs, samples, np.random.default_rng(seed)), 12)
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    below, above = (1 + (means <= 0).sum(axis=0)), (1 + (means >= 0).sum(axis=0))
    p = np.minimum(1.0, 2 * np.minimum(below, above) / (samples + 1))
    return {
        name: Difference(
            float(first[name].mean()),
            float(second[name].mean()),
            float(pairs[:, column].mean()),
            float(low[column]),
            float(high[column]),
            float(p[column]),
        )
        for column, name in enumerate(names)
    }


def _means(values: NDArray[np.float64], samples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """``[samples, metrics]`` means over questions drawn with replacement."""
    count = len(values)
    chunk = max(1, _DRAWS_PER_CHUNK // count)
    parts = []
    for start in range(0, samples, chunk):
        rows = min(chunk, samples - start)
        drawn = rng.integers(count, size=(rows, count)) + count * np.arange(rows)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count)
        parts.append(times @ values / count)
    return np.concatenate(parts)
