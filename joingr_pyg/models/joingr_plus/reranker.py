"""The tables that lead, looked at once more and side by side."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from joingr_pyg.models.joingr_plus.prior import TableEvidence
from joingr_pyg.models.joingr_plus.signals import Signal

ALL = 0.999
"""From how much of its name on all of it is said: shares are sums of rounded numbers."""


class Measure(NamedTuple):
    """One of the numbers that the second look goes by.

    Attributes:
        signal: What is known of a candidate, ...
        behind: ... or how far it is behind the best of all tables in this.
        mean: About its mean over candidates on BIRD train, and ...
        deviation: ... its standard deviation. Those of votes, of which there are none, and of phrases are guesses.
    """

    signal: Signal
    behind: bool
    mean: float
    deviation: float


MEASURES = (
    Measure(Signal.SCORE, True, -4.7, 2.4),
    Measure(Signal.WALKED, False, -2.9, 1.1),
    Measure(Signal.PRIOR, True, -0.6, 0.35),
    Measure(Signal.SIMILARITY, True, -0.19, 0.11),
    Measure(Signal.TABLE_SIMILARITY, True, -0.19, 0.11),
    Measure(Signal.WORDS, True, -1.4, 0.85),
    Measure(Signal.WORDS, False, 0.7, 0.55),
    Measure(Signal.VOTES, False, 0.1, 0.2),
    Measure(Signal.PHRASE, False, 0.1, 0.2),
    Measure(Signal.SHARE, False, 0.25, 0.33),
    Measure(Signal.NAMED, False, 0.2, 0.36),
    Measure(Signal.ALL_NAMED, False, 0.15, 0.36),
    Measure(Signal.COVERED, False, 0.2, 0.18),
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
        self.register_buffer("mean", torch.tensor([measure.mean for measure in MEASURES]), persistent=False)
        self.register_buffer("deviation", torch.tensor([measure.deviation for measure in MEASURES]), persistent=False)

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
        belief = scores.softmax(dim=1)
        share = belief.new_zeros(len(belief), int(database.max()) + 1).index_add(1, database, belief)[:, database]
        signals = evidence.signals(votes) | {
            Signal.PRIOR: prior,
            Signal.WALKED: walked.log(),
            Signal.SCORE: scores,
            Signal.SHARE: share,
            Signal.ALL_NAMED: (evidence.named > ALL).to(scores),
        }

        def measured(measure: Measure) -> Tensor:
            values = signals[measure.signal]
            own = values.gather(1, table)
            return own - values.amax(dim=1, keepdim=True) if measure.behind else own

        return torch.stack([measured(measure) for measure in MEASURES], dim=2)
