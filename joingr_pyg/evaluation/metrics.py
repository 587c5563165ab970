"""Precision, recall and perfect recall at K (section 4, "Metrics"), and metrics of returned sets."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torchmetrics import Metric

from joingr_pyg.errors import JoinGRError


class RetrievalMetrics(Metric):
    """``P@K``, ``R@K`` and ``PR@K`` as means over questions.

    ``P@K`` is the number of gold tables among the first ``K``, divided by ``K``, however many tables were returned.
    ``PR@K`` is 1 if all gold tables are among the first ``K``. States are sums, so the result does not depend on the
    number of processes.

    Args:
        ks: The cut-offs ``K``, each at least 1.
        options: Options of :class:`torchmetrics.Metric`.

    Raises:
        JoinGRError: If a cut-off is below 1 or there is none.
    """

    full_state_update = False
    higher_is_better = True
    total: Tensor
    questions: Tensor

    def __init__(self, ks: Sequence[int] = (5, 15), **options: Any) -> None:
        super().__init__(**options)
        if not ks:
            raise JoinGRError("'ks' needs at least one cut-off K.")
        for k in ks:
            if k < 1:
                raise JoinGRError(f"K needs to be at least 1 (got {k}).")
        self.ks = tuple(sorted(set(ks)))
        self.add_state("total", torch.zeros(3, len(self.ks), dtype=torch.double), dist_reduce_fx="sum")
        self.add_state("questions", torch.zeros((), dtype=torch.double), dist_reduce_fx="sum")

    def update(self, ranked: Tensor, gold: Tensor) -> None:
        """Add a batch.

        Args:
            ranked: ``[B, >= max(ks)]`` ranked table numbers, padded with ``-1``.
            gold: ``[B, G]`` gold table numbers, padded with ``-1``; each question has at least one.
        """
        self.total += torch.stack([values.sum(dim=0) for values in self.per_question(ranked, gold)])
        self.questions += ranked.size(0)

    def per_question(self, ranked: Tensor, gold: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """``P``, ``R`` and ``PR`` of each question: three tensors ``[B, len(ks)]``, in the order of ``ks``."""
        matches = (ranked.unsqueeze(-1) == gold.unsqueeze(1)) & (gold >= 0).unsqueeze(1)
        hits = matches.any(dim=-1).cumsum(dim=1).double()
        hits = hits[:, torch.tensor(self.ks, device=hits.device) - 1]
        num_gold = (gold >= 0).sum(dim=1, keepdim=True)
        precision = hits / torch.tensor(self.ks, device=hits.device)
        return precision, hits / num_gold, (hits == num_gold).double()

    def compute(self) -> dict[str, Tensor]:
        """The means, with keys ``P@5``, ``R@5``, ``PR@5``, ..."""
        mean = self.total / self.questions
        return {f"{name}@{k}": mean[row, i] for i, k in enumerate(self.ks) for row, name in enumerate(("P", "R", "PR"))}


class BridgeRecall(Metric):
    """``bridges@K``, the recall of bridge tables at ``K``, as mean over questions that have bridge tables.

    A bridge table is a gold table that only connects others and is not named in the question.

    Args:
        ks: The cut-offs ``K``, each at least 1.
        options: Options of :class:`torchmetrics.Metric`.
    """

    full_state_update = False
    higher_is_better = True
    total: Tensor
    questions: Tensor

    def __init__(self, ks: Sequence[int] = (5, 15), **options: Any) -> None:
        super().__init__(**options)
        self.ks = tuple(sorted(set(ks)))
        self.add_state("total", torch.zeros(len(self.ks), dtype=torch.double), dist_reduce_fx="sum")
        self.add_state("questions", torch.zeros((), dtype=torch.double), dist_reduce_fx="sum")

    def update(self, ranked: Tensor, bridges: Tensor) -> None:
        """Add a batch.

        Args:
            ranked: ``[B, >= max(ks)]`` ranked table numbers, padded with ``-1``.
            bridges: ``[B, G]`` numbers of bridge tables, padded with ``-1``. Questions without any do not count.
        """
        count = (bridges >= 0).sum(dim=1)
        ranked, bridges, count = ranked[count > 0], bridges[count > 0], count[count > 0]
        hits = ((ranked.unsqueeze(2) == bridges.unsqueeze(1)) & (bridges >= 0).unsqueeze(1)).any(dim=2)
        last = torch.tensor(self.ks, device=ranked.device) - 1
        self.total += (hits.cumsum(dim=1)[:, last].double() / count.unsqueeze(1)).sum(dim=0)
        self.questions += len(ranked)

    def compute(self) -> dict[str, Tensor]:
        """The means, with keys ``bridges@5``, ``bridges@15``, ...; empty if no question has a bridge table."""
        if not self.questions:
            return {}
        return {f"bridges@{k}": value for k, value in zip(self.ks, self.total / self.questions, strict=True)}


class SetMetrics(Metric):
    """Precision, recall, F1, completeness and size of returned sets, as means over questions, and calibration error.

    ``complete`` is the fraction of sets that contain all gold tables. ``calibration_error`` is the expected calibration
    error of the tables' probabilities with ten bins of equal width.

    Args:
        options: Options of :class:`torchmetrics.Metric`.
    """

    full_state_update = False
    total: Tensor
    questions: Tensor
    bins: Tensor

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_state("total", torch.zeros(5, dtype=torch.double), dist_reduce_fx="sum")
        self.add_state("questions", torch.zeros((), dtype=torch.double), dist_reduce_fx="sum")
        self.add_state("bins", torch.zeros(3, 10, dtype=torch.double), dist_reduce_fx="sum")

    def update(self, ranked: Tensor, size: Tensor, probability: Tensor, gold: Tensor) -> None:
        """Add a batch.

        Args:
            ranked: ``[B, C]`` ranked table numbers, padded with ``-1``.
            size: ``[B]`` size of each set, at least 1. A set contains the first ``size`` ranked tables.
            probability: ``[B, C]`` probability that each ranked table is needed.
            gold: ``[B, G]`` gold table numbers, padded with ``-1``; each question has at least one.
        """
        needed = ((ranked.unsqueeze(2) == gold.unsqueeze(1)) & (gold >= 0).unsqueeze(1)).any(dim=2)
        in_set = (torch.arange(ranked.size(1), device=size.device) < size.unsqueeze(1)) & (ranked >= 0)
        num_returned, num_gold = in_set.sum(dim=1).double(), (gold >= 0).sum(dim=1).double()
        hits = (needed & in_set).sum(dim=1).double()
        f1 = 2 * hits / (num_returned + num_gold)
        values = [hits / num_returned, hits / num_gold, f1, (hits == num_gold).double(), num_returned]
        self.total += torch.stack(values).sum(dim=1)
        self.questions += len(ranked)
        predicted, actual = probability[ranked >= 0].double(), needed[ranked >= 0].double()
        number = (10 * predicted).long().clamp(max=9)
        self.bins.index_add_(1, number, torch.stack([torch.ones_like(predicted), predicted, actual]))

    def compute(self) -> dict[str, Tensor]:
        """The means ``precision``, ``recall``, ``f1``, ``complete`` and ``size``, and ``calibration_error``."""
        count, predicted, actual = self.bins
        names = ("precision", "recall", "f1", "complete", "size")
        means = dict(zip(names, self.total / self.questions, strict=True))
        return {**means, "calibration_error": (predicted - actual).abs().sum() / count.sum()}
