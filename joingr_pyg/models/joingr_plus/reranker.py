"""The tables that lead, looked at once more and side by side."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from joingr_pyg.models.joingr_plus.candidate_graph import CandidateGraph
from joingr_pyg.models.joingr_plus.prior import TableEvidence
from joingr_pyg.models.joingr_plus.signals import Signal

ALL = 0.999
"""From how much of its name on all of it is said: shares are sums of rounded numbers."""


RELATIONS = ("joined", "of one database")
"""Which candidates tell each other of themselves."""

SLACK = 0.05
"""The δ of messages: what is little believed says little."""


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
    Measure(Signal.PHRASE_WITHIN, False, 0.3, 0.3),
    Measure(Signal.PHRASE_WITHIN, True, 0.0, 0.3),
    Measure(Signal.PHRASE_SHARE, False, 0.1, 0.15),
    Measure(Signal.SHARE, False, 0.25, 0.33),
    Measure(Signal.NAMED, False, 0.2, 0.36),
    Measure(Signal.ALL_NAMED, False, 0.15, 0.36),
    Measure(Signal.COVERED, False, 0.2, 0.18),
)


class CandidateReranker(nn.Module):
    r"""A second look at the ``C`` tables with the best scores :math:`f(t|q)`, side by side and over their joins.

    .. math::
        h_c &= \operatorname{ReLU}(W_1 \phi_c + b_1) \\
        m_c^r &= \sum_{j \in r(c)} \frac{w_j}{w_{r(c)} + \delta}\, V_r h_j,
        \qquad w = \operatorname{softmax}_c f(c|q), \quad w_{r(c)} = \sum_{j \in r(c)} w_j \\
        f'(c|q) &= f(c|q) + W_3 \operatorname{ReLU}(W_2 [h_c, m_c] + b_2) + b_3

    What is known of a candidate, :math:`\phi`, tells how it stands among the others: how far it is behind the best of
    them in each respect, and how much of all belief is in its database. Each is brought to the order of one by fixed
    numbers. One step of message passing then tells it of the others: of those it is joined to, and of those
    of its database, :math:`r(c)`, which never holds :math:`c` itself. The last layer starts at zero, and with it
    what is added.

    Args:
        candidates: Number of candidates ``C``, at least 1.
        hidden: Size of the hidden layers.
        message: Size of a message :math:`m^r`.
        passes_messages: Whether there are any; without them each candidate is looked at alone.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, candidates: int, hidden: int = 32, message: int = 16, passes_messages: bool = True) -> None:
        super().__init__()
        self.candidates = candidates
        self.known = nn.Linear(len(MEASURES), hidden)
        self.message = nn.Linear(hidden, len(RELATIONS) * message, bias=False)
        self.hidden = nn.Linear(hidden + len(RELATIONS) * message, hidden)
        self.out = nn.Linear(hidden, 1)
        if not passes_messages:
            nn.init.zeros_(self.message.weight).requires_grad_(False)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)
        self.register_buffer("mean", torch.tensor([measure.mean for measure in MEASURES]), persistent=False)
        self.register_buffer("deviation", torch.tensor([measure.deviation for measure in MEASURES]), persistent=False)

    def forward(
        self,
        scores: Tensor,
        walked: Tensor,
        prior: Tensor,
        votes: Tensor,
        evidence: TableEvidence,
        graph: CandidateGraph,
    ) -> Tensor:
        """``[B, T]`` scores after the second look.

        Args:
            scores: ``[B, T]`` scores :math:`f`.
            walked: ``[B, T]`` what the walk left, above 0.
            prior: ``[B, T]`` priors.
            votes: ``[B, T]`` votes.
            evidence: What is known of the questions.
            graph: The joins of the tables.
        """
        best, table = scores.detach().topk(min(self.candidates, scores.size(1)), dim=1)
        with torch.no_grad():
            known = self._known(table, scores, walked, prior, votes, evidence, graph)
        hidden = self.known((known - self.mean) / self.deviation).relu()
        hidden = self.hidden(
            torch.cat([hidden, self._messages(hidden, best.softmax(dim=1), table, graph)], dim=2)
        ).relu()
        return scores.scatter_add(1, table, self.out(hidden).squeeze(2))

    def _messages(self, hidden: Tensor, belief: Tensor, table: Tensor, graph: CandidateGraph) -> Tensor:
        """``[B, C, R * m]`` what reaches candidates from the others, given ``[B, C]`` how much is believed of each."""
        database = graph.database[table]
        related = torch.stack([graph.joined(table), database.unsqueeze(2) == database.unsqueeze(1)], dim=1)
        itself = torch.eye(table.size(1), dtype=torch.bool, device=table.device)
        weight = belief[:, None, None] * (related & ~itself)
        weight = weight / (weight.sum(dim=3, keepdim=True) + SLACK)
        messages = self.message(hidden).unflatten(2, (len(RELATIONS), -1)).transpose(1, 2)
        return (weight @ messages).transpose(1, 2).flatten(2)

    def _known(
        self,
        table: Tensor,
        scores: Tensor,
        walked: Tensor,
        prior: Tensor,
        votes: Tensor,
        evidence: TableEvidence,
        graph: CandidateGraph,
    ) -> Tensor:
        """``[B, C, M]`` what is known of candidates ``[B, C]``, in the order of :data:`MEASURES`."""
        belief = scores.softmax(dim=1)
        share = belief.new_zeros(len(belief), graph.num_databases).index_add(1, graph.database, belief)
        signals = evidence.signals(votes) | {
            Signal.PRIOR: prior,
            Signal.WALKED: walked.log(),
            Signal.SCORE: scores,
            Signal.SHARE: share[:, graph.database],
            Signal.ALL_NAMED: (evidence.named > ALL).to(scores),
        }

        def measured(measure: Measure) -> Tensor:
            values = signals[measure.signal]
            own = values.gather(1, table)
            return own - values.amax(dim=1, keepdim=True) if measure.behind else own

        return torch.stack([measured(measure) for measure in MEASURES], dim=2)
