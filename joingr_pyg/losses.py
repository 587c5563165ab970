"""The pairwise margin objective (section 3.2.5)."""

from torch import Tensor, nn


def pairwise_hinge(score: Tensor, gold: Tensor, margin: float) -> Tensor:
    r"""Mean over questions of the pairwise margin loss.

    .. math::
        \frac{1}{|P||N|} \sum_{p \in P,\, n \in N} \max(0,\, m - \hat s(p) + \hat s(n))

    Args:
        score: ``[B, T]`` scores of all candidates.
        gold: ``[B, T]`` whether a candidate is gold; all others are negatives.
        margin: The margin ``m``.

    Returns:
        Scalar loss; questions without a gold or without a negative candidate count as 0.
    """
    question, positive = gold.nonzero(as_tuple=True)
    violation = (margin - score[question, positive].unsqueeze(1) + score[question]).clamp(min=0)
    violation = violation.masked_fill(gold[question], 0.0).sum(dim=1)
    positives = gold.sum(dim=1)
    pairs = (positives * (gold.size(1) - positives)).clamp(min=1)
    return (violation / pairs[question]).sum() / max(gold.size(0), 1)


class TableLoss(nn.Module):
    """The table-level loss of the main experiments: gold against all other tables.

    Args:
        margin: The margin ``m``.
    """

    target = "table"

    def __init__(self, margin: float = 0.1) -> None:
        super().__init__()
        self.margin = margin

    def forward(self, score: Tensor, gold: Tensor) -> Tensor:
        return pairwise_hinge(score, gold, self.margin)


class EdgeLoss(TableLoss):
    """The edge-level variant: the same objective on the deposits of gold and other join edges."""

    target = "edge"
