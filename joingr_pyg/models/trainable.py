"""What training, explanations and pictures ask of a retriever that walks and learns."""

from abc import abstractmethod
from typing import Any, ClassVar

from torch import Tensor

from joingr_pyg.models.evidence import Part
from joingr_pyg.models.retriever import Ranking, Retriever
from joingr_pyg.nn import JoinWalk, WalkOutput
from joingr_pyg.queries import Queries


class TrainableRetriever(Retriever):
    """A retriever whose scores come from the deposits of a walk.

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

    def parts(self, evidence: Any) -> dict[Part, Tensor]:
        """What speaks for each table before the walk, ``[B, T]`` each, weighed as the model weighs them."""
        return {"similarity": evidence.similarity}

    def word_scores(self, question: str) -> dict[str, Tensor]:
        """How much each word of a question speaks for each table, ``[T]``; none where a model reads no words."""
        return {}

    def phrase_scores(self, queries: Queries, evidence: Any) -> dict[str, Tensor]:
        """How surely each phrase of a single question points at each table, ``[T]``; none where a model reads none."""
        return {}
