"""What training, explanations and pictures ask of a retriever that walks and learns."""

from abc import abstractmethod
from copy import copy
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.models.evidence import Part
from joingr_pyg.models.explanation import DenseExplainedRanking, ExplainedRanking
from joingr_pyg.models.retriever import Ranking, Retriever
from joingr_pyg.nn import JoinWalk, WalkOutput

STEPS = ("evidence", "forward", "scores", "ranking")
"""The methods that lead from questions to a ranking, in their order."""


class TrainableRetriever(Retriever):
    """A retriever whose scores come from the deposits of a walk.

    A ranking is what :data:`STEPS` make of questions. A class may take a shorter way to the same, as long as
    :meth:`takes_the_steps_of` says that no subclass has changed one of them.

    Attributes:
        kind: The name by which checkpoints call the class.
        arguments: What it was made with, as plain values.
        walk: The layer that walks.
        walks: Whether what it leaves counts.
    """

    kind: ClassVar[str]
    arguments: dict[str, Any]
    walk: JoinWalk
    walks: bool = True

    def over(self, corpus: Corpus) -> Self:
        """The same weights, bound to the tables of ``corpus`` besides; what either learns both know."""
        other = copy(self)
        other._modules = dict(self._modules)
        return other.index(corpus)

    def question_texts(self, question: str) -> list[str]:
        """The texts of a question that this model embeds, so that they can be embedded together."""
        return [question]

    @abstractmethod
    def evidence(self, queries: Queries) -> Any:
        """What is to be known of ``B`` questions and is not learned: :class:`~joingr_pyg.models.evidence.Evidence`."""

    @abstractmethod
    def seeds(self, evidence: Any) -> tuple[Tensor, Tensor]:
        """Where the walks start: tables ``[B, A]``, ``-1`` where there are fewer, and their deposits ``[B, A]``."""

    @abstractmethod
    def forward(self, query: Tensor, evidence: Any) -> WalkOutput:
        """Walk for questions ``[B, d]``."""

    @abstractmethod
    def scores(self, output: WalkOutput, evidence: Any) -> Tensor:
        """``[B, T]`` table scores."""

    @abstractmethod
    def ranking(self, scores: Tensor, evidence: Any, k: int) -> Ranking:
        """Rank by ``[B, T]`` scores."""

    @torch.no_grad()
    def rank(self, queries: Queries, k: int) -> Ranking:
        evidence = self.evidence(queries)
        return self.ranking(self.scores(self(queries.vector, evidence), evidence), evidence, k)

    @torch.no_grad()
    def explained(self, queries: Queries, k: int) -> ExplainedRanking:
        """Rank tables like :meth:`rank`, and keep what explaining the first of them needs.

        Args:
            queries: ``B`` questions; memory grows with ``B`` times the number of tables, so give few at once.
            k: Number of tables, at least 1.

        Raises:
            JoinGRError: If ``k`` is below 1.
        """
        evidence = self.evidence(queries)
        output = self(queries.vector, evidence)
        return DenseExplainedRanking(
            self.ranking(self.scores(output, evidence), evidence, k),
            evidence.similarity,
            evidence.column,
            {str(name): term for name, term in self.parts(evidence).items()},
            self.seeds(evidence),
            output if self.walks else None,
            lambda question: self.word_scores(queries.text[question]) if queries.text else {},
            lambda question: self.phrase_scores(queries[[question]], evidence[torch.tensor([question])]),
        )

    def takes_the_steps_of(self, kind: "type[TrainableRetriever]") -> bool:
        """Whether each of :data:`STEPS` is the one that a class defines, overridden neither by a subclass nor here."""
        return all(getattr(getattr(self, step), "__func__", None) is getattr(kind, step) for step in STEPS)

    def parts(self, evidence: Any) -> dict[Part, Tensor]:
        """What speaks for each table before the walk, ``[B, T]`` each, weighed as the model weighs them."""
        return {"similarity": evidence.similarity}

    def word_scores(self, question: str) -> dict[str, Tensor]:
        """How much each word of a question speaks for each table, ``[T]``; none where a model reads no words."""
        return {}

    def phrase_scores(self, queries: Queries, evidence: Any) -> dict[str, Tensor]:
        """How surely each phrase of a single question points at each table, ``[T]``; none where a model reads none."""
        return {}
