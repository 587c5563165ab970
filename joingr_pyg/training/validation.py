"""The inner validation split: questions held out of the training questions (never test questions)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from joingr_pyg.datasets import Question
from joingr_pyg.datasets.folds import wording
from joingr_pyg.errors import JoinGRError


@dataclass(frozen=True)
class Validation:
    """Which training questions are held out for validation.

    Args:
        fraction: Fraction of the questions, at least 0 (none) and below 1.
        by: ``"database"`` holds out whole databases, like the test split of cross-domain benchmarks; ``"question"``
            holds out single questions, each with its repeats.

    Raises:
        JoinGRError: If a value is out of range.
    """

    fraction: float = 0.1
    by: str = "database"

    def __post_init__(self) -> None:
        if not 0 <= self.fraction < 1:
            raise JoinGRError(f"'validation.fraction' needs to be at least 0 and below 1 (got {self.fraction}).")
        if self.by not in ("database", "question"):
            raise JoinGRError(f"'validation.by' needs to be 'database' or 'question' (got {self.by!r}).")


def split_validation(questions: Sequence[Question], validation: Validation, seed: int) -> tuple[list[int], list[int]]:
    """Split questions for training and validation.

    Returns:
        The positions of the training questions and those of the validation questions, both ascending.

    Raises:
        JoinGRError: If no question would be left to train on.
    """
    if validation.fraction == 0:
        return list(range(len(questions))), []
    # A question and its repeats are one unit: else training would have seen what validation asks.
    units = [
        question.database if validation.by == "database" else f"{question.database}\0{wording(question.text)}"
        for question in questions
    ]
    order = list(dict.fromkeys(units))
    np.random.default_rng(seed).shuffle(order)
    minimum = validation.fraction * len(questions)
    sizes = Counter(units)
    held_out: set[str] = set()
    count = 0
    for unit in order:
        if count >= minimum:
            break
        held_out.add(unit)
        count += sizes[unit]
    train = [i for i, unit in enumerate(units) if unit not in held_out]
    if not train:
        raise JoinGRError(
            f"Holding out {validation.fraction:.0%} by {validation.by} leaves no question to train on: "
            "use validation.by=question or a smaller validation.fraction."
        )
    return train, [i for i, unit in enumerate(units) if unit in held_out]
