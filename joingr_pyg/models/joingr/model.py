"""JoinGR: anchor, walk, aggregate (section 3.2)."""

from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError, require_at_least, require_finite, require_fraction
from joingr_pyg.models.anchors import TableHits, diverse_anchors
from joingr_pyg.models.backend import Backend
from joingr_pyg.models.evidence import Evidence
from joingr_pyg.models.joingr.backend import choose_backend, large_corpus_backend
from joingr_pyg.models.retriever import Ranking, rank_dense
from joingr_pyg.models.rounds import First, Rounds
from joingr_pyg.models.trainable import TrainableRetriever
from joingr_pyg.nn import EdgeScorer, JoinWalk, Projections, WalkOutput
from joingr_pyg.nn.compiled_walk import CompiledWalk

CANDIDATES_PER_ANCHOR = 4
"""Most similar tables that anchors are chosen from, for each anchor."""


@dataclass(frozen=True)
class WalkEvidence(Evidence):
    """Where the walks of ``B`` questions start, and the similarities that learning does not change.

    Attributes:
        anchor: ``[B, A]`` anchor tables, ``-1`` where there are fewer.
        deposit: ``[B, A]`` their initial deposits.
        similarity: ``[B, T]`` semantic score of every table.
        column: ``[B, T]`` column that represents each table.
    """

    anchor: Tensor
    deposit: Tensor
    similarity: Tensor
    column: Tensor


class JoinGR(TrainableRetriever):
    r"""The paper's retriever: anchors by similarity, a learned walk over join edges, scores from its deposits.

    Args:
        channels: Size ``d`` of the embeddings; ``None`` makes the heuristic variant, whose shares are uniform and
            whose decays are fixed (section 4, "heuristic JoinGR").
        anchors: Number of anchor tables ``A``, at least 1.
        hops: Number of hops ``H``, at least 1.
        hidden_channels: Size of the scorer's hidden layer.
        dropout: Dropout of the scorer's hidden layer.
        decay: Initial hop decay :math:`\alpha_h`.
        mmr: Weight of relevance when anchors are chosen by maximal marginal relevance; 1 chooses by similarity alone.
        unreached: ``"behind"`` ranks the tables that no deposit reaches behind all others, by similarity; ``"drop"``
            leaves them out, as the paper's formula does. With a ``similarity_weight`` every table has a score.
        similarity_weight: Weight :math:`\lambda` of :math:`\hat s(t|q) + \lambda s(t|q)`; the paper's score is 0.
        hub_damping: The exponent :math:`\gamma` by which shares of tables with many joins are damped
            (:class:`~joingr_pyg.nn.JoinWalk`); 0 leaves it out.

    Raises:
        JoinGRError: If an argument is out of its range.
    """

    kind = "joingr"

    def __init__(
        self,
        channels: int | None,
        anchors: int = 5,
        hops: int = 5,
        hidden_channels: int = 64,
        dropout: float = 0.3,
        decay: float = 0.5,
        mmr: float = 1.0,
        unreached: str = "behind",
        similarity_weight: float = 0.0,
        hub_damping: float = 0.0,
    ) -> None:
        super().__init__()
        self.arguments: dict[str, Any] = {
            "channels": channels,
            "anchors": anchors,
            "hops": hops,
            "hidden_channels": hidden_channels,
            "dropout": dropout,
            "decay": decay,
            "mmr": mmr,
            "unreached": unreached,
            "similarity_weight": similarity_weight,
            "hub_damping": hub_damping,
        }
        require_at_least(1, anchors=anchors, hops=hops, hidden_channels=hidden_channels)
        require_fraction(decay=decay)
        require_finite(hub_damping=hub_damping)
        for name in ("mmr", "dropout"):
            if not 0 <= self.arguments[name] <= 1:
                raise JoinGRError(f"'{name}' needs to lie between 0 and 1 (got {self.arguments[name]}).")
        if unreached not in ("behind", "drop"):
            raise JoinGRError(f"'unreached' needs to be 'behind' or 'drop' (got {unreached!r}).")
        self.anchors = anchors
        self.mmr = mmr
        self.unreached = unreached
        self.similarity_weight = similarity_weight
        scorer = EdgeScorer(channels, channels, channels, hidden_channels, dropout) if channels else None
        self.walk = JoinWalk(scorer, hops, decay, hub_damping=hub_damping)
        self._kept_projections: Projections | None = None
        self._compiled_walk: CompiledWalk | None = None
        self.register_load_state_dict_post_hook(JoinGR._forget)

    def index(self, corpus: Corpus) -> Self:
        super().index(corpus)
        self.planner = self.walk.planner(corpus.edge_index, corpus.num_tables, corpus.edge_weight)
        self._vectors = corpus.edge_attr, corpus.x
        self._forget()
        return self

    def train(self, mode: bool = True) -> Self:
        self._forget()
        return super().train(mode)

    def _forget(self, *_: object) -> None:
        """Drop what was computed from weights that may change now."""
        self._kept_projections = self._compiled_walk = None

    def evidence(self, queries: Queries) -> WalkEvidence:
        """Anchors, similarities and best columns of ``B`` questions."""
        similarity, column = self.corpus.similarity(queries.vector)
        best = similarity.sort(dim=1, descending=True, stable=True)
        table = best.indices[:, : CANDIDATES_PER_ANCHOR * self.anchors]
        hits = self.choose_anchors(TableHits(table, best.values[:, : table.size(1)], column.gather(1, table)))
        # Cosines may be negative, deposits may not.
        return WalkEvidence(hits.table, hits.score.clamp(min=0), similarity, column)

    def select_anchors(self, query: Tensor) -> TableHits:
        """The ``A`` anchor tables of each question (section 3.2.2)."""
        return self.choose_anchors(self.similar_tables(query, 1))

    def similar_tables(self, query: Tensor, k: int) -> TableHits:
        """The most similar tables of questions ``[B, d]``: as many as anchors are chosen from, ``k`` at least."""
        return self.columns.search(query, max(k, CANDIDATES_PER_ANCHOR * self.anchors))

    def choose_anchors(self, candidates: TableHits, vectors: Tensor | None = None) -> TableHits:
        """Choose the ``A`` anchors among more similar tables (section 3.2.2 and the MMR weight of Appendix B).

        Args:
            candidates: ``[B, C]`` similar tables, of which the first :data:`CANDIDATES_PER_ANCHOR` for each anchor
                count.
            vectors: ``[B, C, d]`` embeddings of their best columns; by default those of the corpus.
        """
        first = CANDIDATES_PER_ANCHOR * self.anchors
        candidates = TableHits(*(part[:, :first] for part in candidates))
        if self.mmr == 1:
            return TableHits(*(part[:, : self.anchors] for part in candidates))
        vectors = self.best_column_vectors(candidates) if vectors is None else vectors[:, :first]
        return diverse_anchors(candidates, vectors, self.anchors, self.mmr)

    def best_column_vectors(self, hits: TableHits) -> Tensor:
        """``[B, C, d]`` embeddings of the best columns of tables of the corpus; any where a place is empty."""
        return self.corpus.x[hits.column.clamp(min=0)].float()

    def seeds(self, evidence: WalkEvidence) -> tuple[Tensor, Tensor]:
        """Where the walks start: tables ``[B, A]``, ``-1`` where there are fewer, and their deposits ``[B, A]``."""
        return evidence.anchor, evidence.deposit

    def forward(self, query: Tensor, evidence: WalkEvidence) -> WalkOutput:
        """Walk from the anchors of questions ``[B, d]`` (section 3.2.3)."""
        question, place = (evidence.anchor >= 0).nonzero(as_tuple=True)
        seed, deposit = evidence.anchor[question, place], evidence.deposit[question, place]
        edge_attr, x = self._vectors_on(query.device)
        return self.walk(
            query,
            x,
            self.corpus.edge_index,
            edge_attr,
            seed,
            question,
            deposit,
            row=evidence.column,
            plan=self.planner(seed, question, len(query)).to(query.device),
            projections=None if self.walk.scorer is None else self.projections(query),
        )

    def scores(self, output: WalkOutput, evidence: WalkEvidence) -> Tensor:
        r"""``[B, T]`` table scores :math:`\hat s(t|q) + \lambda s(t|q)` (section 3.2.4 where :math:`\lambda = 0`)."""
        return self.add_similarity(output.node_scores(), evidence.similarity)

    def add_similarity(self, scores: Tensor, similarity: Tensor) -> Tensor:
        r""":math:`\hat s(t|q) + \lambda s(t|q)` of scores and similarities of one shape."""
        return scores + self.similarity_weight * similarity if self.similarity_weight else scores

    def projections(self, query: Tensor) -> Projections:
        """The scorer's projections of questions ``[B, d]``, joins and columns.

        Those of joins and columns are computed once while weights do not change, as long as no gradients are recorded.
        """
        scorer = self.walk.scorer
        assert isinstance(scorer, EdgeScorer)
        if self.training or torch.is_grad_enabled():
            return scorer.project(query, *self._vectors_on(query.device))
        if self._kept_projections is None or self._kept_projections.edge.device != query.device:
            self._kept_projections = scorer.project(query[:0], *self._vectors_on(query.device))
        return self._kept_projections._replace(query=scorer.project_query(query))

    def _vectors_on(self, device: torch.device) -> tuple[Tensor, Tensor]:
        """Vectors of joins and columns on a device, moved once."""
        if self._vectors[0].device != device:
            self._vectors = self._vectors[0].to(device), self._vectors[1].to(device)
        return self._vectors

    def fast_backend(self, device: torch.device) -> Backend:
        return choose_backend(self, device)

    def rounds(self, queries: Queries, k: int, first: First) -> Rounds[Ranking]:
        return large_corpus_backend(self, queries.vector.device).rounds(queries, k, first)

    def compiled_walk(self, find_columns: bool) -> CompiledWalk:
        """The walk in compiled code, with the weights of now.

        Args:
            find_columns: Whether it finds the column that stands for a table itself; if not, it is given that column.
        """
        if self._compiled_walk is None:
            corpus = self.corpus
            first_column = corpus.column_ptr if find_columns else None
            self._compiled_walk = CompiledWalk(self.walk, self.planner, corpus.edge_attr, corpus.x, first_column)
        return self._compiled_walk

    def ranking(self, scores: Tensor, evidence: WalkEvidence, k: int) -> Ranking:
        """Rank by ``[B, T]`` scores, with the tables that no deposit reached where :attr:`unreached` puts them.

        Raises:
            JoinGRError: If ``k`` is below 1.
        """
        if not self.similarity_weight:
            # A similarity is at most 1, so taking 1 off puts it behind every deposit, which is positive.
            behind = evidence.similarity.clamp(max=1) - 1 if self.unreached == "behind" else -torch.inf
            scores = torch.where(scores > 0, scores, behind)
        return rank_dense(scores, k)


def heuristic(anchors: int = 5, hops: int = 5, decay: float = 0.5, **options: Any) -> JoinGR:
    """JoinGR with uniform shares and fixed decays, which learns nothing (section 4)."""
    return JoinGR(None, anchors, hops, decay=decay, **options)
