"""JoinGR+ with the reranker of any schema: what answers for a schema of one's own."""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import ClassVar, Self

import numpy as np
import torch
from safetensors.torch import load
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.encoders.precision import without_precision
from joingr_pyg.models.backend import Backend
from joingr_pyg.models.calibration import Calibration
from joingr_pyg.models.explanation import ExplainedRanking
from joingr_pyg.models.joingr_plus import Feature, JoinGRPlus, untrained
from joingr_pyg.models.joingr_plus.features import EXPLAINED
from joingr_pyg.models.reranking.candidates import Candidates, CandidateTables
from joingr_pyg.models.reranking.reranker import CANDIDATES, TableReranker
from joingr_pyg.models.retriever import Ranking
from joingr_pyg.text.phrases import phrases

WEIGHTS = "weights.safetensors"
"""The file of the weights that come with the package, beside this one."""

VOTE_WEIGHT = 8.0
"""Weight of the votes of remembered questions beside the reranker's score, which has learned without any.

Chosen on the training questions of the demo, a third left out at a time: R@5 .706 without votes, .710 with 4, .719 with
8.
"""

QUESTIONS_AT_ONCE = 16
"""Questions whose features of all tables are held at once."""


class RerankedJoinGRPlus(JoinGRPlus):
    """Untrained JoinGR+, whose best tables a :class:`~joingr_pyg.models.reranking.TableReranker` ranks once more.

    Votes of remembered questions are added to its scores. Tables beyond the candidates follow in the order of JoinGR+.

    Args:
        hidden: Size of the hidden layer of the reranker's networks.
    """

    kind = "reranked_joingr_plus"
    largest_set: ClassVar[int] = CANDIDATES

    def __init__(self, hidden: int = 96) -> None:
        super().__init__(None)
        self.arguments = {"hidden": hidden}
        self.table_reranker = TableReranker(hidden)
        self.requires_grad_(False)

    def index(self, corpus: Corpus) -> Self:
        super().index(corpus)
        self.candidate_tables = CandidateTables(corpus)
        return self

    def backend(self, device: torch.device) -> Backend:
        return RerankingBackend(super().backend(device), self)

    def candidates(self, queries: Queries, ranked: ExplainedRanking) -> list[Candidates]:
        """The candidates of each question.

        Args:
            queries: The questions.
            ranked: Their rankings by JoinGR+.
        """
        texts, encoder = queries.require_text(self.kind), queries.require_encoder(self.kind)
        vectors = queries.vector.float().cpu().numpy()
        made = []
        for question, text in enumerate(texts):
            filled = ranked.ranking.table[question] >= 0
            table = ranked.ranking.table[question][filled].numpy()
            features = ranked.features(question, table)
            values = {
                feature: features[feature.name.lower()] for feature in EXPLAINED if feature.name.lower() in features
            }
            values[Feature.SCORE] = ranked.ranking.score[question][filled].numpy()
            own = encoder.encode_queries(phrases(text)).float().numpy()
            words = self.words.words(text) if self.words is not None else []
            made.append(Candidates(self.candidate_tables, table, values, text, words, vectors[question], own))
        return made


@dataclass
class RerankingBackend(Backend):
    """Ranks the best tables of another backend once more.

    Args:
        first: The other backend.
        model: The model.
    """

    first: Backend
    model: RerankedJoinGRPlus

    def rank(self, queries: Queries, k: int) -> Ranking:
        parts = [self.explained(part, k).ranking for part in queries.split(QUESTIONS_AT_ONCE)]
        if not parts:
            return self.first.rank(queries, k)
        return Ranking(*map(torch.cat, zip(*parts, strict=True)))

    def explained(self, queries: Queries, k: int) -> ExplainedRanking:
        ranked = self.first.explained(queries, max(k, CANDIDATES))
        table, score = ranked.ranking.table.clone(), ranked.ranking.score.clone()
        rest = Ranking(table[:, CANDIDATES:], score[:, CANDIDATES:])
        ranked.ranking = ranked.ranking.first(CANDIDATES)
        for question, candidates in enumerate(self.model.candidates(queries, ranked)):
            own = self.model.table_reranker(candidates) + VOTE_WEIGHT * candidates.features[Feature.VOTES]
            order = np.argsort(-own, kind="stable")
            count = len(order)
            table[question, :count] = torch.from_numpy(candidates.table[order])
            score[question, :count] = torch.from_numpy(own[order])
            if count and rest.score.size(1):
                # The others come after the last candidate, by the differences of their first scores.
                behind = rest.score[question] - rest.score[question, :1]
                score[question, CANDIDATES:] = score[question, count - 1] + behind
        ranked.ranking = Ranking(table, score).first(k)
        return ranked


def pretrained() -> RerankedJoinGRPlus:
    """The model that comes with the package, calibrated; ``model_card.md`` beside it says what it was trained on."""
    weights, description = _packaged()
    model = RerankedJoinGRPlus(weights["second.hidden.bias"].numel())
    model.table_reranker.load_state_dict(weights)
    model.calibration = Calibration(**json.loads(description["calibration"]))
    return model.eval()


def default_model(encoder: str) -> JoinGRPlus:
    """The model for schemas of one's own.

    Args:
        encoder: Identity of the encoder.

    Returns:
        The model that comes with the package, if it was trained with this encoder, in whatever precision; else
        untrained JoinGR+, because what was learned from the cosines of one encoder does not hold for another.
    """
    return pretrained() if without_precision(encoder) == _packaged()[1]["encoder"] else untrained()


@lru_cache(maxsize=1)
def _packaged() -> tuple[dict[str, Tensor], dict[str, str]]:
    """The weights that come with the package, and what their file says of them: encoder and calibration."""
    content = resources.files(__package__).joinpath(WEIGHTS).read_bytes()
    # The header is a JSON object behind its length.
    size = int.from_bytes(content[:8], "little")
    return load(content), json.loads(content[8 : 8 + size])["__metadata__"]
