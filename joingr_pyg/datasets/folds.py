"""Folds of a cross-validation, for a benchmark without a training split (section 4: five folds on BEAVER)."""

import re
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from joingr_pyg.errors import JoinGRError

BY_DATABASE = "database"
"""Value of ``groups`` that keeps each database in one fold, so that the test is on unseen schemas."""

OUTER_FOLDS = 5
"""Number of outer folds of :func:`make_inner_folds`."""


def wording(text: str) -> str:
    """What a question shares with its repeats: its words in any order, letter case and punctuation."""
    return " ".join(sorted(re.findall(r"\w+", text.casefold())))


def make_folds(
    query: Tensor,
    databases: Sequence[str],
    folds: int,
    seed: int,
    groups: bool | str = False,
    texts: Sequence[str] = (),
) -> list[list[int]]:
    """Split questions into folds.

    Args:
        query: ``[Q, d]`` normalised question embeddings.
        databases: ``Q`` names of the questions' databases.
        folds: Number of folds.
        seed: Seed of the random assignment.
        groups: Which questions are kept in the same fold: repeats alone (``False``), near-paraphrases (``True``) or all
            questions of a database (``"database"``).
        texts: The ``Q`` questions, by which repeats are told; none are where it is empty.

    Returns:
        The positions of each fold's test questions, ascending.

    Raises:
        JoinGRError: If there are fewer questions or groups than folds, fewer than two folds, or ``groups`` has another
            value.
    """
    if groups == BY_DATABASE:
        return split_database_folds(databases, folds, seed)
    if not isinstance(groups, bool):
        raise JoinGRError(f"'fold_groups' needs to be true, false or {BY_DATABASE!r} (got {groups!r}).")
    if groups:
        return split_grouped_folds(query, folds, seed)
    same = [f"{database}\0{wording(text)}" for database, text in zip(databases, texts, strict=True)] if texts else None
    return split_folds(len(query), folds, seed, same)


def make_inner_folds(
    query: Tensor,
    databases: Sequence[str],
    held_out: int | None,
    folds: int,
    seed: int,
    groups: bool | str = False,
    texts: Sequence[str] = (),
) -> list[list[int]]:
    """Split the questions into folds after holding out one of :data:`OUTER_FOLDS` outer folds.

    Nested cross-validation: settings are chosen on the inner folds, without the questions of the outer fold. Outer
    folds keep paraphrases together and are split with seed 0.

    Args:
        query: ``[Q, d]`` normalised question embeddings.
        databases: ``Q`` names of the questions' databases.
        held_out: Number of the outer fold to hold out. ``None`` holds nothing out.
        folds: Number of inner folds.
        seed: Seed of the inner folds.
        groups: As in :func:`make_folds`.
        texts: As there.

    Returns:
        The positions of each inner fold's test questions, ascending.

    Raises:
        JoinGRError: As :func:`make_folds`, or if there is no such outer fold.
    """
    if held_out is None:
        return make_folds(query, databases, folds, seed, groups, texts)
    if not 0 <= held_out < OUTER_FOLDS:
        raise JoinGRError(f"'fold_held_out' needs to be from 0 to {OUTER_FOLDS - 1} (got {held_out}).")
    outer = set(split_grouped_folds(query, OUTER_FOLDS, 0)[held_out])
    rows = [row for row in range(len(query)) if row not in outer]
    inner_texts = [texts[row] for row in rows] if texts else ()
    inner = make_folds(query[rows], [databases[row] for row in rows], folds, seed, groups, inner_texts)
    return [[rows[i] for i in fold] for fold in inner]


def split_database_folds(databases: Sequence[str], folds: int, seed: int) -> list[list[int]]:
    """Split whole databases into folds. Arguments and errors are those of :func:`make_folds`."""
    names = sorted(set(databases))
    if not 2 <= folds <= len(names):
        raise JoinGRError(f"'folds' needs to be from 2 to the number of databases, {len(names)} (got {folds}).")
    np.random.default_rng(seed).shuffle(names)
    fold_of = {name: number % folds for number, name in enumerate(names)}
    return [[i for i, name in enumerate(databases) if fold_of[name] == fold] for fold in range(folds)]


def split_folds(num_questions: int, folds: int, seed: int, same: Sequence[str] | None = None) -> list[list[int]]:
    """Split questions into folds whose sizes differ by at most one, but for repeats.

    Args:
        num_questions: Number of questions.
        folds: Number of folds, at least 2.
        seed: Seed of the random assignment.
        same: A text for each question; those with the same text follow the first of them into its fold.

    Returns:
        The positions of each fold's test questions, ascending.

    Raises:
        JoinGRError: If there are fewer questions than folds, or fewer than two folds.
    """
    if not 2 <= folds <= num_questions:
        raise JoinGRError(f"'folds' needs to be from 2 to the number of questions, {num_questions} (got {folds}).")
    order = np.random.default_rng(seed).permutation(num_questions)
    split = [sorted(order[fold::folds].tolist()) for fold in range(folds)]
    if same is None or len(set(same)) == num_questions:
        return split
    fold_of = {question: fold for fold, questions in enumerate(split) for question in questions}
    first = {text: fold_of[question] for question, text in reversed(list(enumerate(same)))}
    return [[question for question, text in enumerate(same) if first[text] == fold] for fold in range(folds)]


def split_grouped_folds(query: Tensor, folds: int, seed: int, cosine: float = 0.75) -> list[list[int]]:
    """Split questions into folds that keep near-paraphrases together.

    Groups are the connected components of the graph that links questions with a cosine of at least ``cosine``. They are
    assigned to the currently smallest fold, largest group first; groups of equal size in random order.

    Args:
        query: ``[Q, d]`` normalised question embeddings.
        folds: Number of folds, at least 2.
        seed: Seed of the order of groups of equal size.
        cosine: Smallest cosine of two paraphrases.

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
    assigned: list[list[int]] = [[] for _ in range(folds)]
    for questions in sorted(members, key=len, reverse=True):
        min(assigned, key=len).extend(questions)
    return [sorted(fold) for fold in assigned]
