"""The tables that lead, looked at once more and side by side."""

import torch
from torch import Tensor, nn

from joingr_pyg.models.joingr_plus.prior import TableEvidence

ALL = 0.999
"""From how much of its name on all of it is said: shares are sums of rounded numbers."""

MEASURES = (
    # What is known of a candidate, and about its mean and standard deviation over candidates on BIRD train; those of
    # votes, of which there are none, and of phrases are guesses.
    ("score, below the best", -4.7, 2.4),
    ("logarithm of what the walk left", -2.9, 1.1),
    ("prior, below the best", -0.6, 0.35),
    ("similarity, below the best", -0.19, 0.11),
    ("similarity of its own text, below the best", -0.19, 0.11),
    ("word matches, below the best", -1.4, 0.85),
    ("word matches", 0.7, 0.55),
    ("votes", 0.1, 0.2),
    ("how surely a phrase points at it", 0.1, 0.2),
    ("share of its database", 0.25, 0.33),
    ("how much of its name is said", 0.2, 0.36),
    ("whether all of its name is said", 0.15, 0.36),
    ("how much of the question it covers", 0.2, 0.18),
)


class CandidateReranker(nn.Module):
    r"""A second look at the ``C`` tables with the best scores :math:`f(t|q)`.

    .. math::
        f'(t|q) = f(t|q) + W_2 \operatorname{ReLU}(W_1 \phi(t|q) + b_1) + b_2

    What is known of a candidate, :math:`\phi`, tells how it stands among the others: how far it is behind the best of
    them in each respect, and how much of all belief is in its database. Each is brought to the order of one by fixed
    numbers. The second layer starts at zero, and with it what is added.

    Args:
        candidates: Number of candidates ``C``, at least 1.
        hidden: Size of the hidden layer.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, candidates: int, hidden: int = 32) -> None:
        super().__init__()
        self.candidates = candidates
        self.hidden = nn.Linear(len(MEASURES), hidden)
        self.out = nn.Linear(hidden, 1)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)
        mean, deviation = zip(*((mean, deviation) for _, mean, deviation in MEASURES), strict=True)
        self.register_buffer("mean", torch.tensor(mean), persistent=False)
        self.register_buffer("deviation", torch.tensor(deviation), persistent=False)

    def forward(
        self, scores: Tensor, walked: Tensor, prior: Tensor, votes: Tensor, evidence: TableEvidence, database: Tensor
    ) -> Tensor:
        """``[B, T]`` scores after the second look.

        Args:
            scores: ``[B, T]`` scores :math:`f`.
            walked: ``[B, T]`` what the walk left, above 0.
            prior: ``[B, T]`` priors.
            votes: ``[B, T]`` votes.
            evidence: What is known of the questions.
            database: ``[T]`` database of each table.
        """
        table = scores.detach().topk(min(self.candidates, scores.size(1)), dim=1).indices
        with torch.no_grad():
            known = self._known(table, scores, walked, prior, votes, evidence, database)
        more = self.out(self.hidden((known - self.mean) / self.deviation).relu()).squeeze(2)
        return scores.scatter_add(1, table, more)

    def _known(
        self,
        table: Tensor,
        scores: Tensor,
        walked: Tensor,
        prior: Tensor,
        votes: Tensor,
        evidence: TableEvidence,
        database: Tensor,
    ) -> Tensor:
        """``[B, C, 13]`` what is known of candidates ``[B, C]``, in the order of :data:`MEASURES`."""

        def of(values: Tensor) -> Tensor:
            return values.gather(1, table)

        def behind(values: Tensor) -> Tensor:
            return of(values) - values.amax(dim=1, keepdim=True)

        belief = scores.softmax(dim=1)
        share = belief.new_zeros(len(belief), int(database.max()) + 1).index_add(1, database, belief)[:, database]
        return torch.stack(
            [
                behind(scores),
                of(walked).log(),
                behind(prior),
                behind(evidence.similarity),
                behind(evidence.table_similarity),
                behind(evidence.lexical),
                of(evidence.lexical),
                of(votes),
                of(evidence.phrase),
                of(share),
                of(evidence.named),
                (of(evidence.named) > ALL).to(scores),
                of(evidence.covered),
            ],
            dim=2,
        )
