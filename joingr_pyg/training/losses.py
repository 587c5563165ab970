"""The pairwise margin objective (section 3.2.5)."""

from torch import Tensor, nn

from joingr_pyg.errors import JoinGRError, require_at_least


def pairwise_hinge(
    score: Tensor, gold: Tensor, margin: float, candidate: Tensor | None = None, gold_power: float = 0.0
) -> Tensor:
    r"""Weighted mean over questions of the pairwise margin loss.

    .. math::
        \frac{1}{|P||N|} \sum_{p \in P,\, n \in N} \max(0,\, m - \hat s(p) + \hat s(n))

    Args:
        score: ``[B, T]`` scores of tables (or join edges).
        gold: ``[B, T]`` whether a table is gold.
        margin: The margin ``m``.
        candidate: ``[B, T]`` whether a table that is not gold counts as a negative. By default all do.
        gold_power: A question with ``g`` gold tables has weight ``g ** gold_power``.

    Returns:
        Scalar loss. A question without a gold table or without a negative has loss 0.
    """
    negative = ~gold if candidate is None else candidate & ~gold
    question, positive = gold.nonzero(as_tuple=True)
    violation = (margin - score[question, positive].unsqueeze(1) + score[question]).clamp(min=0)
    violation = violation.masked_fill(~negative[question], 0.0).sum(dim=1)
    count = gold.sum(dim=1).clamp(min=1)
    weight = count.to(score) ** gold_power
    pairs = count * negative.sum(dim=1).clamp(min=1)
    return (violation * (weight / pairs)[question]).sum() / weight.sum().clamp(min=1)


class TableLoss(nn.Module):
    r"""The table-level loss of the main experiments: gold tables against other tables.

    Args:
        margin: The margin ``m``.
        negatives: ``"database"`` takes the other tables of the question's database, the paper's
            :math:`N = \mathcal{T}(D) \setminus P`. ``"corpus"`` takes the tables of all databases. A walk reaches few
            of them, so the mean over all pairs leaves a very small gradient.
        gold_power: Exponent of a question's weight, see :func:`pairwise_hinge`. The paper's value, 0, weighs all
            questions equally.

    Raises:
        JoinGRError: If ``negatives`` is neither ``"database"`` nor ``"corpus"``, or another argument is below 0.
    """

    target = "table"

    def __init__(self, margin: float = 0.1, negatives: str = "database", gold_power: float = 0.0) -> None:
        super().__init__()
        if negatives not in ("database", "corpus"):
            raise JoinGRError(f"'negatives' needs to be 'database' or 'corpus' (got {negatives!r}).")
        require_at_least(0, margin=margin, gold_power=gold_power)
        self.margin = margin
        self.negatives = negatives
        self.gold_power = gold_power

    def forward(self, score: Tensor, gold: Tensor, own: Tensor | None = None) -> Tensor:
        """Compute the loss.

        Args:
            score: ``[B, T]`` scores of tables.
            gold: ``[B, T]`` whether a table is gold.
            own: ``[B, T]`` whether a table belongs to the question's database.

        Returns:
            Scalar loss.
        """
        candidate = own if self.negatives == "database" else None
        return pairwise_hinge(score, gold, self.margin, candidate, self.gold_power)


class EdgeLoss(TableLoss):
    """The edge-level variant: the same objective on the deposits of join edges instead of the scores of tables."""

    target = "edge"
