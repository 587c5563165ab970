"""One part of a corpus, which answers round by round."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.models import ColumnIndex, JoinGR, Ranking, TrainableRetriever
from joingr_pyg.models.rounds import First, Rounds, merged_ranking
from joingr_pyg.schema import TableName
from joingr_pyg.sharding.storage import INDEX, VECTORS, read_part

KEPT_QUESTIONS = 8
"""Questions in progress that a part keeps at once."""


class PartFacts(NamedTuple):
    """What others know of a part.

    Attributes:
        num_tables: Its number of tables.
        databases: Names of its databases.
        shared: What a model has to know of it (:meth:`~joingr_pyg.models.TrainableRetriever.shared`).
    """

    num_tables: int
    databases: tuple[str, ...]
    shared: Any


@dataclass(frozen=True)
class GivenVectors:
    """An encoder of texts whose vectors are known; it travels with a question to the parts.

    Attributes:
        identity: Identity of the encoder that made them.
        vectors: Vector ``[d]`` of each text.
    """

    identity: str
    vectors: Mapping[str, Tensor]

    def encode_queries(self, texts: Sequence[str]) -> Tensor:
        """The vectors ``[len(texts), d]``."""
        return torch.stack([self.vectors[text] for text in texts])


@dataclass(frozen=True)
class Question:
    """Questions on their way through the rounds.

    Attributes:
        number: A number that no other has.
        queries: The questions.
        k: Number of tables to return.
    """

    number: int
    queries: Queries
    k: int


class Answer(NamedTuple):
    """What remains after the last round.

    Attributes:
        ranking: The ranking, with tables numbered as in the whole corpus.
        names: The names of these tables.
    """

    ranking: Ranking
    names: Mapping[int, TableName]

    @classmethod
    def merged(cls, parts: Sequence[Self]) -> Self:
        """The best tables of all parts."""
        k = parts[0].ranking.table.size(1)
        names = {number: name for part in parts for number, name in part.names.items()}
        return cls(merged_ranking([part.ranking for part in parts], k), names)


class Setup(NamedTuple):
    """How parts rank.

    Attributes:
        model: The model, of which a copy is bound to each part.
        approximate: Whether the columns of a part are searched by the approximate index that was written with it.
        mapped: Whether vectors stay on disk in half precision.
    """

    model: TrainableRetriever
    approximate: bool
    mapped: bool


class Part:
    """A part of a corpus with a model bound to it.

    Args:
        path: The folder of the part.
        setup: How it ranks.

    Attributes:
        model: The model that is bound to the part.

    Raises:
        JoinGRError: If a file is missing or damaged.
    """

    def __init__(self, path: Path, setup: Setup) -> None:
        corpus = read_part(path)
        self._corpus = corpus if setup.mapped else in_single_precision(corpus)
        self.model = setup.model.unbound().index(self._corpus)
        if setup.approximate:
            self.model.columns = ColumnIndex(self._corpus, "approximate", file=path / INDEX)
        elif isinstance(setup.model, JoinGR):
            self.model.columns = ColumnIndex(self._corpus, "exact")
        self._rounds: OrderedDict[int, tuple[int, Rounds[Ranking]]] = OrderedDict()

    def facts(self) -> PartFacts:
        """What others know of this part."""
        databases = dict.fromkeys(database for database, _ in self._corpus.tables)
        return PartFacts(self._corpus.num_tables, tuple(databases), self.model.shared())

    def share(self, whole: Any) -> None:
        """Learn what the parts share."""
        self.model.share(whole)

    @torch.no_grad()
    def answer(self, question: Question, first: First, received: Sequence[Any]) -> Any:
        """Answer the next round of a question.

        A part that does not know the question, such as one that was started again, goes through the rounds before by
        itself: all that it received in them is given.

        Args:
            question: The question.
            first: Where this part begins in the whole corpus.
            received: What all parts found in the rounds before, merged, round by round.

        Returns:
            What this part finds in this round, or an :class:`Answer` after the last one.
        """
        sent, rounds = self._rounds.pop(question.number, (-1, None))
        if rounds is None or sent + 1 != len(received):
            sent, rounds = -1, self.model.rounds(question.queries, question.k, first)
        try:
            if sent < 0:
                found = next(rounds)
            for merged in received[max(sent, 0) :]:
                found = rounds.send(merged)
        except StopIteration as end:
            return self._named(end.value, first)
        self._rounds[question.number] = len(received), rounds
        while len(self._rounds) > KEPT_QUESTIONS:
            self._rounds.popitem(last=False)
        return found

    def _named(self, ranking: Ranking, first: First) -> Answer:
        numbers = {number for number in ranking.table.flatten().tolist() if number >= 0}
        return Answer(ranking, {number: self._corpus.tables[number - first.table] for number in numbers})


def in_single_precision(corpus: Corpus) -> Corpus:
    """The same corpus with vectors in single precision, to compute with."""
    return replace(corpus, **{name: getattr(corpus, name).float() for name in VECTORS})
