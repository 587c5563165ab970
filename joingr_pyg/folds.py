"""The folds of a cross-validation, for a benchmark without a training split (section 4: five on BEAVER)."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from joingr_pyg.errors import JoinGRError


def deal_folds(query: Tensor, folds: int, seed: int, groups: bool = False) -> list[list[int]]:
    """Deal questions into folds, near-paraphrases into the same one where ``groups`` is set."""
    return split_grouped_folds(query, folds, seed) if groups else split_folds(len(query), folds, seed)


def split_folds(num_questions: int, folds: int, seed: int) -> list[list[int]]:
    """Deal questions into folds of equal size, give or take one.

    Args:
        num_questions: Number of questions.
        folds: Number of folds, at least 2.
        seed: Seed of the order in which questions are dealt.

    Returns:
        The positions of each fold's test questions, ascending.

    Raises:
        JoinGRError: If there are fewer questions than folds, or fewer than two folds.
    """
    if not 2 <= folds <= num_questions:
        raise JoinGRError(f"'folds' needs to be from 2 to the number of questions, {num_questions} (got {folds}).")
    order = np.random.default_rng(seed).permutation(num_questions)
    return [sorted(order[fold::folds].tolist()) for fold in range(folds)]


def split_grouped_folds(query: Tensor, folds: int, seed: int, cosine: float = 0.75) -> list[list[int]]:
    """Deal questions into folds such that near-paraphrases share one.

    Questions whose cosine is at least ``cosine`` belong to one group, also over others between them. Groups are dealt
    largest first to the smallest fold; equal ones in an order drawn from the seed.

    Args:
        query: ``[Q, d]`` normalised question embeddings.
        folds: Number of folds, at least 2.
        seed: Seed of the order of equal groups.
        cosine: Cosine from which two questions are paraphrases.

    Returns:
        The positions of each fold's test questions, ascending.

    Raises:
        JoinGRError: If there are fewer groups than folds, or fewer than two folds.
    """
    alike = csr_array((query @ query.T >= cosine).cpu().numpy())
    count, group = connected_components(alike, directed=False)
    if not 2 <= folds <= count:
        raise JoinGRError(f"'folds' needs to be from 2 to the number of paraphrase groups, {count} (got {folds}).")
    members: list[list[int]] = [np.flatnonzero(group == number).tolist() for number in range(count)]
    np.random.default_rng(seed).shuffle(members)
    dealt: list[list[int]] = [[] for _ in range(folds)]
    for questions in sorted(members, key=len, reverse=True):
        min(dealt, key=len).extend(questions)
    return [sorted(fold) for fold in dealt]


def mean_and_spread(values: Sequence[dict[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """Mean and sample standard deviation of each metric over folds or seeds."""
    keys = values[0]
    mean = {key: float(np.mean([value[key] for value in values])) for key in keys}
    spread = {key: float(np.std([value[key] for value in values], ddof=min(1, len(values) - 1))) for key in keys}
    return mean, spread
