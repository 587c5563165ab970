"""Why a model ranked the first tables of a ranking where it did."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from joingr_pyg.models.deposit_paths import DepositPaths
from joingr_pyg.models.retriever import Ranking
from joingr_pyg.models.walk_deposits import WalkDeposits, WalkSource
from joingr_pyg.nn import WalkOutput


class JoinStep(NamedTuple):
    """One join on the path from an anchor to a table.

    Attributes:
        frontier: Number of the table that the walk came from.
        neighbor: Number of the table that it went to.
        edge: Number of the join.
        deposit: Deposit that it left on the join.
    """

    frontier: int
    neighbor: int
    edge: int
    deposit: float


@dataclass(frozen=True)
class TableExplanation:
    """What a model based the place of one table on.

    Attributes:
        table: Number of the table in the corpus.
        score: Its score.
        column: Number of its column that is most similar to the question.
        similarity: Cosine of that column and the question.
        features: Values of the model's features for this table, by the feature's name.
        contributions: Terms of the model's prior for this table, each minus the median of that term over all tables of
            the corpus, by the term's name: ``"similarity"``, ``"words"``, ``"votes"``, ``"phrases"``.
        matched_words: Words of the question that the table's text holds, those with the highest score first.
        phrase: The phrase of the question that points at the table most surely; empty if the model reads no phrases.
        is_anchor: Whether a walk started from the table.
        is_strong_anchor: Whether that walk started with at least the mean deposit of the question's anchors.
        path: Joins from an anchor to the table, if more than half of the table's deposits come from walks of
            other anchors than itself; empty otherwise.
    """

    table: int
    score: float
    column: int
    similarity: float
    features: Mapping[str, float]
    contributions: Mapping[str, float]
    matched_words: tuple[str, ...]
    phrase: str
    is_anchor: bool
    is_strong_anchor: bool
    path: tuple[JoinStep, ...]


class ExplainedRanking(ABC):
    """A ranking that can explain itself; nothing is computed for an explanation before it is asked for.

    Args:
        ranking: The ranking of ``B`` questions.
    """

    def __init__(self, ranking: Ranking) -> None:
        self.ranking = ranking

    @abstractmethod
    def explain(self, question: int, count: int) -> list[TableExplanation]:
        """Explain the first ``count`` tables of one question; fewer if the ranking holds fewer.

        Args:
            question: Position of the question in the batch, from 0.
            count: Number of tables.
        """

    @abstractmethod
    def walk(self, question: int) -> WalkSource | None:
        """What gives the deposits of one question, computed when it is called; ``None`` if no walk counts.

        Args:
            question: Position of the question in the batch, from 0.
        """

    @abstractmethod
    def features(self, question: int, table: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
        """``[C]`` values of each of the model's features, by name, for one question and tables ``[C]``."""

    def first(self, question: int, count: int) -> list[tuple[int, float]]:
        """The first ``count`` tables of a question with their scores; empty places are left out."""
        table, score = (part[question, :count].tolist() for part in self.ranking)
        return [pair for pair in zip(table, score, strict=True) if pair[0] >= 0]


class DenseExplainedRanking(ExplainedRanking):
    """Explains a ranking from tensors that hold a value for every table.

    Args:
        ranking: The ranking of ``B`` questions.
        similarity: ``[B, T]`` cosine of each question and the best column of each table.
        column: ``[B, T]`` that column.
        features: ``[B, T]`` features, by name.
        terms: ``[B, T]`` terms of the prior, by name.
        seeds: Tables that walks start from, ``[B, A]``, ``-1`` for empty places, and their deposits, ``[B, A]``.
        output: Deposits of the walks; ``None`` if they do not count.
        word_scores: For the position of a question, how much each of its words adds to each table, ``[T]``.
        phrase_scores: For the position of a question, how surely each of its phrases points at each table, ``[T]``.
    """

    def __init__(
        self,
        ranking: Ranking,
        similarity: Tensor,
        column: Tensor,
        features: Mapping[str, Tensor],
        terms: Mapping[str, Tensor],
        seeds: tuple[Tensor, Tensor],
        output: WalkOutput | None,
        word_scores: Callable[[int], Mapping[str, Tensor]],
        phrase_scores: Callable[[int], Mapping[str, Tensor]],
    ) -> None:
        super().__init__(ranking)
        self._similarity, self._column, self._features, self._terms = similarity, column, features, terms
        self._seeds, self._output = seeds, output
        self._word_scores, self._phrase_scores = word_scores, phrase_scores

    def features(self, question: int, table: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
        return {name: value[question, table].float().cpu().numpy() for name, value in self._features.items()}

    @torch.no_grad()
    def explain(self, question: int, count: int) -> list[TableExplanation]:
        seed, deposit = (part[question] for part in self._seeds)
        anchors, strong = set(seed.tolist()), set(seed[deposit >= deposit[seed >= 0].mean()].tolist())
        # The median, because a mean over few tables is dominated by the best of them.
        above = {name: term[question] - term[question].median() for name, term in self._terms.items()}
        words, phrases = self._word_scores(question), self._phrase_scores(question)
        paths = None if self._output is None else DepositPaths(self._output)
        return [
            TableExplanation(
                table=table,
                score=score,
                column=int(self._column[question, table]),
                similarity=float(self._similarity[question, table]),
                features={name: float(value[question, table]) for name, value in self._features.items()},
                contributions={name: float(term[table]) for name, term in above.items()},
                matched_words=matched_words({word: float(value[table]) for word, value in words.items()}),
                phrase=max(phrases, key=lambda phrase: float(phrases[phrase][table]), default=""),
                is_anchor=table in anchors,
                is_strong_anchor=table in strong,
                path=() if paths is None else join_steps(paths, question, table),
            )
            for table, score in self.first(question, count)
        ]

    def walk(self, question: int) -> WalkSource | None:
        if self._output is None:
            return None
        seed, deposit = (part[question] for part in self._seeds)
        return partial(WalkDeposits.of, self._output, question, seed, deposit)


def join_steps(paths: DepositPaths, question: int, table: int) -> tuple[JoinStep, ...]:
    """The joins along which the deposits of a table came, if more than half of them came from other anchors."""
    if paths.share_from_others(question, table) <= 0.5:
        return ()
    return tuple(
        JoinStep(step.frontier, step.neighbor, step.edge, step.deposit)
        for step in paths.strongest_path(question, table)
    )


def matched_words(scores: Mapping[str, float]) -> tuple[str, ...]:
    """The words with a positive score, highest first."""
    return tuple(sorted((word for word in scores if scores[word] > 0), key=lambda word: -scores[word]))
