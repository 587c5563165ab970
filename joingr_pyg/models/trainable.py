"""The interface of models that walk and learn, for training, explanations and pictures."""

from abc import abstractmethod
from copy import copy
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.backend import Backend, TensorBackend
from joingr_pyg.models.explanation import ExplainedRanking
from joingr_pyg.models.retriever import Ranking, Retriever
from joingr_pyg.models.rounds import First, Rounds
from joingr_pyg.nn import JoinWalk, WalkOutput


class TrainableRetriever(Retriever):
    """A retriever whose scores come from the deposits of a walk.

    A ranking is computed by :attr:`steps`. A class may compute the same ranking in a faster way, its
    :meth:`fast_backend`, which is used as long as no subclass overrides one of the steps.

    Attributes:
        kind: The name by which checkpoints call the class.
        arguments: What it was made with, as plain values.
        walk: The layer that walks.
        walks: Whether the deposits of the walk count.
        steps: The methods that lead from questions to a ranking, in their order.
    """

    kind: ClassVar[str]
    arguments: dict[str, Any]
    walk: JoinWalk
    walks: bool = True
    steps: ClassVar[tuple[str, ...]] = ("evidence", "forward", "scores", "ranking")

    def bound_to(self, corpus: Corpus) -> Self:
        """A model that shares the weights of this one and is bound to the tables of another corpus."""
        return self.sharing_weights().index(corpus)

    def sharing_weights(self) -> Self:
        """A model with the weights of this one, whose parts may be replaced, and which has to be bound to a corpus."""
        other = copy(self)
        other._modules = dict(self._modules)
        return other

    def unbound(self) -> Self:
        """A copy of this model, with all that it remembers, that is bound to no tables."""
        other = type(self)(**self.arguments)
        other.load_state_dict(self.state_dict())
        other.calibration = self.calibration
        return other.train(self.training)

    def question_texts(self, question: str) -> list[str]:
        """The texts of a question that this model embeds, so that they can be embedded together."""
        return [question]

    @abstractmethod
    def evidence(self, queries: Queries) -> Any:
        """What learning does not change for ``B`` questions: an :class:`~joingr_pyg.models.evidence.Evidence`."""

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
        """Rank tables with the backend that :meth:`backend` chooses."""
        return self.backend(queries.vector.device).rank(queries, _at_least_one(k))

    def warm_up(self, queries: Queries) -> None:
        self.rank(queries, 1)

    @torch.no_grad()
    def explained(self, queries: Queries, k: int) -> ExplainedRanking:
        """Rank tables like :meth:`rank`, and keep what explaining the first of them needs.

        Args:
            queries: ``B`` questions.
            k: Number of tables, at least 1.

        Raises:
            JoinGRError: If ``k`` is below 1.
        """
        return self.backend(queries.vector.device).explained(queries, _at_least_one(k))

    def backend(self, device: torch.device) -> Backend:
        """What computes rankings of questions on a device.

        While the model learns, or where a subclass overrides one of :attr:`steps`, the steps run one after another on
        tensors.
        """
        return TensorBackend(self) if self.training or self._overrides_a_step() else self.fast_backend(device)

    def shared(self) -> Any:
        """What the other parts of a corpus have to know of the part that this model is bound to.

        Returns:
            A :class:`~joingr_pyg.models.rounds.Shared`, or ``None`` if they need nothing.
        """
        return None

    def share(self, whole: Any) -> None:
        """Rank from now on as a part of a corpus, of whose parts :meth:`shared` adds up to ``whole``."""

    def rounds(self, queries: Queries, k: int, first: First) -> Rounds[Ranking]:
        """Rank as a part of a corpus, together with the others: see :mod:`joingr_pyg.models.rounds`.

        Args:
            queries: ``B`` questions.
            k: Number of tables, at least 1.
            first: Where the tables of this part begin among those of the whole corpus.

        Returns:
            A generator of what the part has found and, in the end, its ranking, with tables numbered as in the whole.

        Raises:
            JoinGRError: If this kind of model cannot rank so.
        """
        raise JoinGRError(f"A model of kind {self.kind!r} cannot rank a corpus in parts: give JoinGR or JoinGR+.")

    def fast_backend(self, device: torch.device) -> Backend:
        """The fastest backend that gives the same rankings as the steps of this class while weights do not change."""
        return TensorBackend(self)

    def _overrides_a_step(self) -> bool:
        """Whether a step differs from that of the class that defines :meth:`fast_backend`."""
        owner = next(kind for kind in type(self).__mro__ if "fast_backend" in vars(kind))
        return any(getattr(getattr(self, step), "__func__", None) is not getattr(owner, step) for step in self.steps)

    def named_features(self, output: Any, evidence: Any) -> dict[str, Tensor]:
        """The values of the model's features, ``[B, T]`` each, by name."""
        return {"similarity": evidence.similarity}

    def prior_terms(self, evidence: Any) -> dict[str, Tensor]:
        """The terms of each table's score before the walk, ``[B, T]`` each, by name."""
        return {"similarity": evidence.similarity}

    def word_scores(self, question: str) -> dict[str, Tensor]:
        """How much each word of a question speaks for each table, ``[T]``; none where a model reads no words."""
        return {}

    def phrase_scores(self, queries: Queries, evidence: Any) -> dict[str, Tensor]:
        """How surely each phrase of a single question points at each table, ``[T]``; none where a model reads none."""
        return {}


def _at_least_one(k: int) -> int:
    if k < 1:
        raise JoinGRError(f"K needs to be at least 1 (got {k}).")
    return k
