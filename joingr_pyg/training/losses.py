"""The pairwise margin objective (section 3.2.5)."""

from torch import Tensor, nn

from joingr_pyg.errors import JoinGRError


def pairwise_hinge(
    score: Tensor, gold: Tensor, margin: float, rival: Tensor | None = None, gold_power: float = 0.0
) -> Tensor:
    r"""Weighted mean over questions of the pairwise margin loss.

    .. math::
        \frac{1}{|P||N|} \sum_{p \in P,\, n \in N} \max(0,\, m - \hat s(p) + \hat s(n))

    Args:
        score: ``[B, T]`` scores of all candidates.
        gold: ``[B, T]`` whether a candidate is gold.
        margin: The margin ``m``.
        rival: ``[B, T]`` whether a candidate that is not gold counts as a negative; all do where not given.
        gold_power: The weight of a question is the number of its gold candidates to this power.

    Returns:
        Scalar loss; questions without a gold or without a negative candidate count as 0.
    """
    negative = ~gold if rival is None else rival & ~gold
    question, positive = gold.nonzero(as_tuple=True)
    violation = (margin - score[question, positive].unsqueeze(1) + score[question]).clamp(min=0)
    violation = violation.masked_fill(~negative[question], 0.0).sum(dim=1)
    count = gold.sum(dim=1).clamp(min=1)
    weight = count.to(score) ** gold_power
    pairs = count * negative.sum(dim=1).clamp(min=1)
    return (violation * (weight / pairs)[question]).sum() / weight.sum().clamp(min=1)


class TableLoss(nn.Module):
    r"""The table-level loss of the main experiments: gold against other tables.

    Args:
        margin: The margin ``m``.
        negatives: ``"database"`` takes the other tables of the question's database, the paper's
            :math:`N = \mathcal{T}(D) \setminus P`; ``"corpus"`` those of all databases, of which a walk reaches so few
            that the mean over them leaves next to no gradient.
        gold_power: How much more a question counts that needs more tables, see :func:`pairwise_hinge`; the paper's 0
            counts all alike.

    Raises:
        JoinGRError: If ``negatives`` is neither.
    """

    target = "table"

    def __init__(self, margin: float = 0.1, negatives: str = "database", gold_power: float = 0.0) -> None:
        super().__init__()
        if negatives not in ("database", "corpus"):
            raise JoinGRError(f"'negatives' needs to be 'database' or 'corpus' (got {negatives!r}).")
        self.margin = margin
        self.negatives = negatives
        self.gold_power = gold_power

    def forward(self, score: Tensor, gold: Tensor, own: Tensor | None = None) -> Tensor:
        """The loss; ``own`` ``[B, T]`` says which candidates belong to the question's database."""
        rival = own if self.negatives == "database" else None
        return pairwise_hinge(score, gold, self.margin, rival, self.gold_power)


class EdgeLoss(TableLoss):
    """The edge-level variant: the same objective on the deposits of gold and other join edges."""

    target = "edge"
