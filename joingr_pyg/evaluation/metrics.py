"""Precision, recall and perfect recall at K (section 4, "Metrics"), and of sets whose size a method chooses."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torchmetrics import Metric

from joingr_pyg.errors import JoinGRError


class RetrievalMetrics(Metric):
    """``P@K``, ``R@K`` and ``PR@K`` as means over questions.

    ``P@K`` divides the gold tables found by ``K``, however many tables were returned. ``PR@K`` is 1 where all gold
    tables are among the first ``K``. States are sums, so the result is the same over any number of processes.

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
        """Count a batch.

        Args:
            ranked: ``[B, >= max(ks)]`` ranked table numbers, ``-1`` for empty places.
            gold: ``[B, G]`` gold table numbers, ``-1`` for empty places; every question has at least one.
        """
        self.total += torch.stack([values.sum(dim=0) for values in self.per_question(ranked, gold)])
        self.questions += ranked.size(0)

    def per_question(self, ranked: Tensor, gold: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """``P``, ``R`` and ``PR`` of each question, ``[B, len(ks)]`` each, in the order of ``ks``."""
        found = (ranked.unsqueeze(-1) == gold.unsqueeze(1)) & (gold >= 0).unsqueeze(1)
        hits = found.any(dim=-1).cumsum(dim=1).double()
        hits = hits[:, torch.tensor(self.ks, device=hits.device) - 1]
        wanted = (gold >= 0).sum(dim=1, keepdim=True)
        precision = hits / torch.tensor(self.ks, device=hits.device)
        return precision, hits / wanted, (hits == wanted).double()

    def compute(self) -> dict[str, Tensor]:
        """The means, keyed ``P@5``, ``R@5``, ``PR@5``, ..."""
        mean = self.total / self.questions
        return {f"{name}@{k}": mean[row, i] for i, k in enumerate(self.ks) for row, name in enumerate(("P", "R", "PR"))}


class BridgeRecall(Metric):
    """``bridges@K``: the share of a question's bridge tables among its first ``K``; mean over questions that have any.

    A bridge table is a gold table that only connects others and that the question does not name.

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
        """Count a batch.

        Args:
            ranked: ``[B, >= max(ks)]`` ranked table numbers, ``-1`` for empty places.
            bridges: ``[B, G]`` numbers of bridge tables, ``-1`` for empty places; questions without any do not count.
        """
        wanted = (bridges >= 0).sum(dim=1)
        ranked, bridges, wanted = ranked[wanted > 0], bridges[wanted > 0], wanted[wanted > 0]
        hits = ((ranked.unsqueeze(2) == bridges.unsqueeze(1)) & (bridges >= 0).unsqueeze(1)).any(dim=2)
        places = torch.tensor(self.ks, device=ranked.device) - 1
        self.total += (hits.cumsum(dim=1)[:, places].double() / wanted.unsqueeze(1)).sum(dim=0)
        self.questions += len(ranked)

    def compute(self) -> dict[str, Tensor]:
        """The means, keyed ``bridges@5``, ``bridges@15``, ...; none where no question has a bridge table."""
        if not self.questions:
            return {}
        return {f"bridges@{k}": value for k, value in zip(self.ks, self.total / self.questions, strict=True)}


class SetMetrics(Metric):
    """Precision, recall, F1, completeness and size of returned sets, as means over questions, and their calibration.

    ``complete`` is the share of sets that hold all gold tables. ``calibration_error`` is the expected calibration error
    of the tables' probabilities in ten bins of equal width.

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
        """Count a batch.

        Args:
            ranked: ``[B, C]`` ranked table numbers, ``-1`` for empty places.
            size: ``[B]`` number of tables in each set, the first of those ranked; at least 1.
            probability: ``[B, C]`` probability that each ranked table is needed.
            gold: ``[B, G]`` gold table numbers, ``-1`` for empty places; every question has at least one.
        """
        needed = ((ranked.unsqueeze(2) == gold.unsqueeze(1)) & (gold >= 0).unsqueeze(1)).any(dim=2)
        kept = (torch.arange(ranked.size(1), device=size.device) < size.unsqueeze(1)) & (ranked >= 0)
        held, wanted = kept.sum(dim=1).double(), (gold >= 0).sum(dim=1).double()
        hits = (needed & kept).sum(dim=1).double()
        each = [hits / held, hits / wanted, 2 * hits / (held + wanted), (hits == wanted).double(), held]
        self.total += torch.stack(each).sum(dim=1)
        self.questions += len(ranked)
        said, true = probability[ranked >= 0].double(), needed[ranked >= 0].double()
        place = (10 * said).long().clamp(max=9)
        self.bins.index_add_(1, place, torch.stack([torch.ones_like(said), said, true]))

    def compute(self) -> dict[str, Tensor]:
        """The means: ``precision``, ``recall``, ``f1``, ``complete``, ``size``, and ``calibration_error``."""
        count, said, true = self.bins
        names = ("precision", "recall", "f1", "complete", "size")
        means = dict(zip(names, self.total / self.questions, strict=True))
        return {**means, "calibration_error": (said - true).abs().sum() / count.sum()}
