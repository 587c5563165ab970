"""The folds of a cross-validation, for a benchmark without a training split (section 4: five on BEAVER)."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from joingr_pyg.errors import JoinGRError

BY_DATABASE = "database"
"""Deals whole databases, so that a fold is of schemas that no other has seen."""


OUTER_FOLDS = 5


def deal_folds(
    query: Tensor, databases: Sequence[str], folds: int, seed: int, groups: bool | str = False
) -> list[list[int]]:
    """Deal questions into folds.

    Args:
        query: ``[Q, d]`` normalised question embeddings.
        databases: ``Q`` names of the questions' databases.
        folds: Number of folds.
        seed: Seed of the order in which they are dealt.
        groups: What shares a fold: nothing, near-paraphrases (``True``) or all questions of a database
            (``"database"``).

    Returns:
        The positions of each fold's test questions, ascending.

    Raises:
        JoinGRError: If there are fewer questions or groups than folds, fewer than two folds, or no such groups.
    """
    if groups == BY_DATABASE:
        return split_database_folds(databases, folds, seed)
    if not isinstance(groups, bool):
        raise JoinGRError(f"'fold_groups' needs to be true, false or {BY_DATABASE!r} (got {groups!r}).")
    return split_grouped_folds(query, folds, seed) if groups else split_folds(len(query), folds, seed)


def deal_inner_folds(
    query: Tensor, databases: Sequence[str], held_out: int | None, folds: int, seed: int, groups: bool | str = False
) -> list[list[int]]:
    """Deal what is left when one of :data:`OUTER_FOLDS` folds of paraphrases is held out: settings are chosen on that.

    Args:
        query: As of :func:`deal_folds`, like all that follows but ``held_out``.
        databases: Likewise.
        held_out: Number of the fold that is left out, dealt with seed 0; ``None`` leaves nothing out.
        folds: Number of folds of the rest.
        seed: Seed of the order in which the rest is dealt.
        groups: What shares a fold.

    Raises:
        JoinGRError: As :func:`deal_folds`, or if there is no such fold.
    """
    if held_out is None:
        return deal_folds(query, databases, folds, seed, groups)
    if not 0 <= held_out < OUTER_FOLDS:
        raise JoinGRError(f"'fold_held_out' needs to be from 0 to {OUTER_FOLDS - 1} (got {held_out}).")
    out = set(split_grouped_folds(query, OUTER_FOLDS, 0)[held_out])
    rows = [row for row in range(len(query)) if row not in out]
    inner = deal_folds(query[rows], [databases[row] for row in rows], folds, seed, groups)
    return [[rows[i] for i in fold] for fold in inner]


def split_database_folds(databases: Sequence[str], folds: int, seed: int) -> list[list[int]]:
    """Deal databases into folds, each with all of its questions; arguments and errors as of :func:`deal_folds`."""
    names = sorted(set(databases))
    if not 2 <= folds <= len(names):
        raise JoinGRError(f"'folds' needs to be from 2 to the number of databases, {len(names)} (got {folds}).")
    np.random.default_rng(seed).shuffle(names)
    dealt = {name: number % folds for number, name in enumerate(names)}
    return [[i for i, name in enumerate(databases) if dealt[name] == fold] for fold in range(folds)]


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
