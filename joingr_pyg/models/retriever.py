"""The interface of all methods that rank tables."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.anchors import ColumnIndex
from joingr_pyg.models.calibration import CANDIDATES, Calibration, lengths
from joingr_pyg.schema import TableName


class Ranking(NamedTuple):
    """Ranked tables for ``B`` questions; places that no table fills are ``-1`` with score ``-inf``.

    Attributes:
        table: ``[B, k]`` table numbers, best first.
        score: ``[B, k]`` their scores, descending.
    """

    table: Tensor
    score: Tensor

    def first(self, k: int) -> "Ranking":
        """The best ``k``, filled up with ``-1`` where there are fewer."""
        missing = max(0, k - self.table.size(1))
        return Ranking(
            F.pad(self.table[:, :k], (0, missing), value=-1), F.pad(self.score[:, :k], (0, missing), value=-torch.inf)
        )


def rank_dense(scores: Tensor, k: int) -> Ranking:
    """Rank by ``[B, T]`` scores, of which ``-inf`` leaves a table out; equal scores go by table number.

    Raises:
        JoinGRError: If ``k`` is below 1.
    """
    if k < 1:
        raise JoinGRError(f"K needs to be at least 1 (got {k}).")
    score, table = scores.sort(dim=1, descending=True, stable=True)
    return Ranking(table.masked_fill(score == -torch.inf, -1), score).first(k)


def rank_pairs(question: Tensor, table: Tensor, score: Tensor, num_questions: int, k: int) -> Ranking:
    """Rank scored pairs ``[P]`` of a question and a table; equal scores go by table number."""
    order = table.argsort(stable=True)
    order = order[score[order].argsort(descending=True, stable=True)]
    order = order[question[order].argsort(stable=True)]
    question, table, score = question[order], table[order], score[order]
    end = torch.bincount(question, minlength=num_questions).cumsum(0)
    place = torch.arange(question.numel()) - F.pad(end, (1, 0))[question]
    kept = place < k
    ranking = Ranking(torch.full((num_questions, k), -1), torch.full((num_questions, k), -torch.inf))
    ranking.table[question[kept], place[kept]] = table[kept]
    ranking.score[question[kept], place[kept]] = score[kept]
    return ranking


class Retriever(nn.Module):
    """A method that ranks the tables of a corpus for questions.

    :meth:`index` binds it to a corpus, :meth:`rank` answers. A method with trainable parameters is bound to its
    training corpus while it learns and to any other corpus afterwards.
    """

    remembers: ClassVar[bool] = False
    """Whether the method uses remembered questions."""

    largest_set: ClassVar[int] = CANDIDATES
    """Most tables of a set that promises to be complete: so many places of a ranking does its calibration read."""

    calibration: Calibration | None = None
    """Estimates how many tables to return. Scores of two methods are not comparable: every method has its own."""

    corpus: Corpus
    _columns: ColumnIndex | None

    def index(self, corpus: Corpus) -> Self:
        """Bind the method to the tables of ``corpus``."""
        self.corpus = corpus
        self._columns = None
        return self

    @property
    def columns(self) -> ColumnIndex:
        """The index of the columns of the corpus, made when it is first used; another one may be set."""
        if self._columns is None:
            self._columns = ColumnIndex(self.corpus)
        return self._columns

    @columns.setter
    def columns(self, index: ColumnIndex) -> None:
        self._columns = index

    def remember(self, queries: Queries, gold: Sequence[Sequence[TableName]]) -> Self:
        """Replace the remembered questions by these answered ones; methods that do not remember ignore them.

        Args:
            queries: The questions.
            gold: The tables that each of them needed.
        """
        return self

    def warm_up(self, queries: Queries) -> None:
        """Load and compile what the first ranking would, so that it does not count as its time.

        Args:
            queries: A question to try with.
        """

    def measured(self) -> dict[str, float]:
        """Counts and times of the method's own while it ranked, by name, such as how many programs ran out of time."""
        return {}

    @abstractmethod
    def rank(self, queries: Queries, k: int) -> Ranking:
        """Rank tables.

        Args:
            queries: ``B`` questions.
            k: Number of tables to return, at least 1.
        """

    def calibrate(self, queries: Queries, gold: Tensor) -> Calibration:
        """Fit :attr:`calibration` to answered questions, best ones that the method did not learn from, and return it.

        Args:
            queries: ``Q`` questions.
            gold: ``[Q, G]`` numbers of the tables that they needed, ``-1`` for empty places.

        Raises:
            JoinGRError: If there is no question.
        """
        self.calibration = Calibration.fit(*self.answered(queries, gold))
        return self.calibration

    def answered(self, queries: Queries, gold: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
        """The arguments of :meth:`Calibration.fit`; arguments and errors here are those of :meth:`calibrate`.

        Returns:
            Of the first :attr:`largest_set` places of each ranking, ``[Q, C]`` scores, databases, and whether the table
            is needed; and ``[Q]`` lengths, where texts are known.
        """
        rankings = [self.rank(chunk, self.largest_set) for chunk in queries.split(256)]
        if not rankings:
            raise JoinGRError("There is no answered question to calibrate on: give at least one.")
        table, score = (torch.cat(parts) for parts in zip(*rankings, strict=True))
        needed = (table.unsqueeze(2) == gold.unsqueeze(1)).any(dim=2) & (table >= 0)
        return score, self.corpus.database[table.clamp(min=0)], needed, _lengths(queries)

    def needed(self, ranking: Ranking, queries: Queries) -> Tensor:
        """``[B, C]`` probability that each of the first ``C`` tables is needed.

        Args:
            ranking: A ranking of the tables of the corpus, of at least :attr:`largest_set` places.
            queries: What they were ranked for.

        Raises:
            JoinGRError: If the method is not calibrated.
        """
        if self.calibration is None:
            raise JoinGRError(
                "This model is not calibrated, so it cannot tell how many tables are enough: give k, call "
                "calibrate(queries, gold), or use a checkpoint that train.py wrote."
            )
        table, score = ranking.first(self.largest_set)
        return self.calibration.probability(score, self.corpus.database[table.clamp(min=0)], _lengths(queries))


def _lengths(queries: Queries) -> Tensor | None:
    """``[B]`` lengths of questions whose texts are known."""
    return lengths(queries.text) if len(queries.text) == len(queries) else None
