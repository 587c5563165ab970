"""How likely a question is to need a table, before any walk."""

from dataclasses import dataclass
from functools import reduce

import torch
from torch import Tensor, nn

from joingr_pyg.models.evidence import Evidence, Part
from joingr_pyg.models.joingr_plus.signals import Signal


@dataclass(frozen=True)
class TableEvidence(Evidence):
    """What is known of ``B`` questions and ``T`` tables.

    Attributes:
        similarity: ``[B, T]`` cosine of the question and the table's best column.
        column: ``[B, T]`` that column.
        table_similarity: ``[B, T]`` cosine of the question and the table's own text.
        lexical: ``[B, T]`` word matches, of the order of cosines.
        likeness: ``[B, V]`` cosines of the question and those remembered.
        phrase: ``[B, T]`` how surely one of the question's phrases points at a table, from 0 to 1.
        phrase_within: ``[B, T]`` the same where only tables of its database are to choose from.
        phrase_share: ``[B, T]`` the share of the question's phrases that point at a table within its database.
        named: ``[B, T]`` how much of a table's name the question says, from 0 to 1.
        covered: ``[B, T]`` how much of the question's words a table holds, from 0 to 1.
    """

    similarity: Tensor
    column: Tensor
    table_similarity: Tensor
    lexical: Tensor
    likeness: Tensor
    phrase: Tensor
    phrase_within: Tensor
    phrase_share: Tensor
    named: Tensor
    covered: Tensor

    def signals(self, votes: Tensor) -> dict[Signal, Tensor]:
        """What is known before a prior is made of it, ``[B, T]`` each, with ``[B, T]`` votes."""
        return {
            Signal.SIMILARITY: self.similarity,
            Signal.TABLE_SIMILARITY: self.table_similarity,
            Signal.WORDS: self.lexical,
            Signal.VOTES: votes,
            Signal.PHRASE: self.phrase,
            Signal.PHRASE_WITHIN: self.phrase_within,
            Signal.PHRASE_SHARE: self.phrase_share,
            Signal.NAMED: self.named,
            Signal.COVERED: self.covered,
        }


class TablePrior(nn.Module):
    r"""A weighted sum of what speaks for a table.

    .. math::
        b(t|q) = (1 - \omega) \max_{v \in V(t)} \langle q, v \rangle + \omega \langle q, \tau_t \rangle
        + \gamma\, \mathrm{bm25}(t|q) + \rho\, m(t|q) + \pi\, p(t|q)

    with the table's own vector :math:`\tau_t`, the votes :math:`m` of remembered questions, and :math:`p` of
    :func:`~joingr_pyg.models.phrase_matches.phrase_matches`.

    Args:
        table_vector: Initial :math:`\omega`; ``None`` leaves the table's own vector out.
        lexical: Initial :math:`\gamma`; ``None`` leaves word matches out.
        memory: Initial :math:`\rho`; ``None`` leaves votes out.
        phrases: Initial :math:`\pi`; ``None`` leaves phrases out.
    """

    def __init__(
        self,
        table_vector: float | None = 0.3,
        lexical: float | None = 0.3,
        memory: float | None = 0.5,
        phrases: float | None = 0.2,
    ) -> None:
        super().__init__()
        self.mix_logit = None if table_vector is None else nn.Parameter(torch.tensor(table_vector).logit())
        self.lexical = None if lexical is None else nn.Parameter(torch.tensor(lexical))
        self.memory = None if memory is None else nn.Parameter(torch.tensor(memory))
        self.phrases = None if phrases is None else nn.Parameter(torch.tensor(phrases))

    def forward(self, evidence: TableEvidence, votes: Tensor) -> Tensor:
        """``[B, T]`` priors, given ``[B, T]`` votes."""
        return reduce(torch.add, self.parts(evidence, votes).values())

    def parts(self, evidence: TableEvidence, votes: Tensor) -> dict[Part, Tensor]:
        """What the sum is made of, ``[B, T]`` each."""
        similarity = evidence.similarity
        if self.mix_logit is not None:
            similarity = torch.lerp(similarity, evidence.table_similarity, self.mix_logit.sigmoid())
        parts: dict[Part, Tensor] = {"similarity": similarity}
        if self.lexical is not None:
            parts["words"] = self.lexical * evidence.lexical
        if self.memory is not None:
            parts["votes"] = self.memory * votes
        if self.phrases is not None:
            parts["phrases"] = self.phrases * evidence.phrase
        return parts

    def weights(self) -> dict[Signal, float]:
        """The weight of each signal that the sum is made of."""
        own = 0.0 if self.mix_logit is None else self.mix_logit.sigmoid().item()
        weights = {Signal.SIMILARITY: 1 - own, Signal.TABLE_SIMILARITY: own}
        for signal, weight in (
            (Signal.WORDS, self.lexical),
            (Signal.VOTES, self.memory),
            (Signal.PHRASE, self.phrases),
        ):
            if weight is not None:
                weights[signal] = weight.item()
        return weights
