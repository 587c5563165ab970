"""What training, explanations and pictures ask of a retriever that walks and learns."""

from abc import abstractmethod
from typing import Any, ClassVar

from torch import Tensor

from joingr_pyg.models.retriever import Ranking, Retriever
from joingr_pyg.nn import JoinWalk, WalkOutput
from joingr_pyg.queries import Queries


class TrainableRetriever(Retriever):
    """A retriever whose scores come from the deposits of a walk.

    Attributes:
        kind: The name by which checkpoints call the class.
        arguments: What it was made with, as plain values.
        walk: The layer that walks.
    """

    kind: ClassVar[str]
    arguments: dict[str, Any]
    walk: JoinWalk

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
