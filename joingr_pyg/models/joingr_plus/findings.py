"""What a part of a corpus finds in each round of JoinGR+, and how that of several parts is merged."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.models.rounds import best_places

Array = NDArray[Any]


class PhraseTotals(NamedTuple):
    """The normalisers of the softmax of ``P`` phrases over tables.

    Attributes:
        peak: ``[P]`` largest logit.
        total: ``[P]`` sum of the exponentials of logits, each less the peak.
    """

    peak: Array
    total: Array

    @classmethod
    def merged(cls, parts: Sequence[Self]) -> Self:
        """Over the tables of all parts."""
        if len(parts) == 1:
            return parts[0]
        peaks = np.stack([part.peak for part in parts])
        peak = peaks.max(axis=0)
        return cls(peak, _summed([part.total * _below(part.peak, peak) for part in parts]))


class BestPriors(NamedTuple):
    """The tables with the best priors, from which walks start.

    Attributes:
        table: ``[B, A]`` tables, numbered as in the whole corpus.
        prior: ``[B, A]`` their priors, descending.
        most: Number of anchors.
    """

    table: Array
    prior: Array
    most: int

    @classmethod
    def merged(cls, parts: Sequence[Self]) -> Self:
        """The best among the tables of all parts."""
        if len(parts) == 1:
            return parts[0]
        table, prior = (np.concatenate(found, axis=1) for found in list(zip(*parts, strict=True))[:2])
        order = best_places(prior, table, parts[0].most)
        table, prior = (np.take_along_axis(part, order, axis=1) for part in (table, prior))
        return cls(table, prior, parts[0].most)


class CandidateRows(NamedTuple):
    """What the reranker reads of its candidates, the ``C`` tables with the best scores.

    Attributes:
        table: ``[B, C]`` tables, numbered as in the whole corpus, best first and ``-1`` behind the last.
        score: ``[B, C]`` their scores.
        database: ``[B, C]`` their databases, likewise.
        inputs: ``[B, C, M]`` values of the reranker's inputs.
        joined: ``[B, C, C]`` whether two candidates are joined.
        share: ``[B, C]`` sum of the exponentials of scores, each less the peak, in the table's database.
        peak: ``[B]`` largest score.
        total: ``[B]`` the sum of these exponentials over all tables.
        best: ``[B, M]`` largest value of each input that is the difference to the best of all tables.
    """

    table: Array
    score: Array
    database: Array
    inputs: Array
    joined: Array
    share: Array
    peak: Array
    total: Array
    best: Array

    @classmethod
    def merged(cls, parts: Sequence[Self]) -> Self:
        """The candidates among the tables of all parts."""
        if len(parts) == 1:
            return parts[0]
        count = parts[0].table.shape[1]
        peak = np.stack([part.peak for part in parts]).max(axis=0)
        scale = [_below(part.peak, peak) for part in parts]
        share = np.concatenate([part.share * own[:, None] for part, own in zip(parts, scale, strict=True)], axis=1)
        table, score, database, inputs = (np.concatenate(found, axis=1) for found in list(zip(*parts, strict=True))[:4])
        order = best_places(score, table, count)
        # Tables of two parts are of two databases, which no join connects.
        part_of, place = np.divmod(order, count)
        question = np.arange(len(table))[:, None, None]
        joined = np.stack([part.joined for part in parts])
        joined = joined[part_of[:, :, None], question, place[:, :, None], place[:, None, :]]
        table, score, database = (np.take_along_axis(part, order, axis=1) for part in (table, score, database))
        return cls(
            table,
            score,
            database,
            np.take_along_axis(inputs, order[:, :, None], axis=1),
            joined & (part_of[:, :, None] == part_of[:, None, :]),
            np.take_along_axis(share, order, axis=1),
            peak,
            _summed([part.total * own for part, own in zip(parts, scale, strict=True)]),
            np.stack([part.best for part in parts]).max(axis=0),
        )


def _summed(parts: Sequence[Array]) -> Array:
    return np.sum(np.stack(parts), axis=0)


def _below(peak: Array, highest: Array) -> Array:
    return np.exp(peak.astype(float) - highest)
