"""The reranker of JoinGR+: scores the best tables once more, side by side."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from joingr_pyg.models.joingr_plus.candidate_graph import CandidateGraph
from joingr_pyg.models.joingr_plus.features import ALL_NAMED_FROM, RERANK_INPUTS, Feature

RELATIONS = ("joined", "of one database")
"""Pairs of candidates that exchange messages."""

MESSAGE_SLACK = 0.05
r"""The :math:`\delta` of messages: a neighborhood with little probability sends little."""


class CandidateReranker(nn.Module):
    r"""Scores the ``C`` candidates, the tables with the best scores :math:`f(t|q)`, once more.

    .. math::
        h_c &= \operatorname{ReLU}(W_1 \phi_c + b_1) \\
        m_c^r &= \sum_{j \in r(c)} \frac{p_j}{p_{r(c)} + \delta}\, V_r h_j,
        \qquad p = \operatorname{softmax}_c f(c|q), \quad p_{r(c)} = \sum_{j \in r(c)} p_j \\
        f'(c|q) &= f(c|q) + W_3 \operatorname{ReLU}(W_2 [h_c, m_c] + b_2) + b_3

    The input :math:`\phi_c` holds the features of a candidate, many of them as the difference to the best table,
    standardised by fixed numbers (:data:`~joingr_pyg.models.joingr_plus.features.RERANK_INPUTS`). One step of message
    passing then brings in the other candidates: for one relation those that are joined to :math:`c`, for the other
    those of its database; :math:`r(c)` never holds :math:`c` itself. The last layer starts at zero, so an untrained
    reranker changes nothing.

    Args:
        candidates: Number of candidates ``C``, at least 1.
        hidden: Size of the hidden layers.
        message: Size of a message :math:`m^r`.
        passes_messages: Whether candidates exchange messages; without them each is scored alone.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, candidates: int, hidden: int = 32, message: int = 16, passes_messages: bool = True) -> None:
        super().__init__()
        self.candidates = candidates
        self.input = nn.Linear(len(RERANK_INPUTS), hidden)
        self.message = nn.Linear(hidden, len(RELATIONS) * message, bias=False)
        self.hidden = nn.Linear(hidden + len(RELATIONS) * message, hidden)
        self.out = nn.Linear(hidden, 1)
        if not passes_messages:
            nn.init.zeros_(self.message.weight).requires_grad_(False)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)
        self.register_buffer("mean", torch.tensor([scale.mean for _, scale in RERANK_INPUTS]), persistent=False)
        self.register_buffer(
            "deviation", torch.tensor([scale.deviation for _, scale in RERANK_INPUTS]), persistent=False
        )

    def forward(self, features: Mapping[Feature, Tensor], graph: CandidateGraph) -> Tensor:
        """``[B, T]`` scores after reranking.

        Args:
            features: ``[B, T]`` values of all features but those that are made of the scores here.
            graph: The joins of the tables.
        """
        scores = features[Feature.SCORE]
        # Not topk, which takes any of tables that are equal.
        ordered = scores.detach().sort(dim=1, descending=True, stable=True)
        best, table = (part[:, : self.candidates] for part in ordered)
        with torch.no_grad():
            inputs = (self._inputs(table, features, graph) - self.mean) / self.deviation
        hidden = self.input(inputs).relu()
        messages = self._messages(hidden, best.softmax(dim=1), table, graph)
        hidden = self.hidden(torch.cat([hidden, messages], dim=2)).relu()
        # In mixed precision the layers compute in half precision, and the scores do not.
        return scores.scatter_add(1, table, self.out(hidden).squeeze(2).to(scores))

    def _messages(self, hidden: Tensor, probability: Tensor, table: Tensor, graph: CandidateGraph) -> Tensor:
        """``[B, C, R * m]`` messages that candidates receive, from ``[B, C]`` the probabilities of all candidates."""
        database = graph.database[table]
        related = torch.stack([graph.joined(table), database.unsqueeze(2) == database.unsqueeze(1)], dim=1)
        same = torch.eye(table.size(1), dtype=torch.bool, device=table.device)
        weight = probability[:, None, None] * (related & ~same)
        weight = weight / (weight.sum(dim=3, keepdim=True) + MESSAGE_SLACK)
        messages = self.message(hidden).unflatten(2, (len(RELATIONS), -1)).transpose(1, 2)
        return (weight @ messages).transpose(1, 2).flatten(2)

    def _inputs(self, table: Tensor, features: Mapping[Feature, Tensor], graph: CandidateGraph) -> Tensor:
        r"""``[B, C, M]`` inputs :math:`\phi` of candidates ``[B, C]`` before they are standardised."""
        scores = features[Feature.SCORE]
        probability = scores.softmax(dim=1)
        share = probability.new_zeros(len(scores), graph.num_databases).index_add(1, graph.database, probability)
        features = {
            **features,
            Feature.DATABASE_SHARE: share[:, graph.database],
            Feature.ALL_NAMED: (features[Feature.NAMED] > ALL_NAMED_FROM).to(scores),
        }
        inputs = []
        for feature, scale in RERANK_INPUTS:
            value = features[feature].gather(1, table)
            inputs.append(value - features[feature].amax(dim=1, keepdim=True) if scale.behind_best else value)
        return torch.stack(inputs, dim=2)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *arguments: Any) -> None:
        # The first layer had another name in checkpoints of earlier versions.
        for name in ("weight", "bias"):
            if f"{prefix}known.{name}" in state_dict:
                state_dict[f"{prefix}input.{name}"] = state_dict.pop(f"{prefix}known.{name}")
        super()._load_from_state_dict(state_dict, prefix, *arguments)
