"""JoinGR: anchor, walk, aggregate (section 3.2)."""

from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn import functional as F

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError, require_at_least, require_fraction
from joingr_pyg.kernels import kernels_available
from joingr_pyg.models.anchors import TableHits, diverse_anchors
from joingr_pyg.models.evidence import Evidence
from joingr_pyg.models.retriever import Ranking, rank_dense, rank_pairs
from joingr_pyg.models.trainable import TrainableRetriever
from joingr_pyg.nn import EdgeScorer, JoinWalk, Projections, WalkOutput, WalkPlanner
from joingr_pyg.nn.compiled_walk import CompiledWalk, Reached

MMR_CANDIDATES = 4
"""Tables looked at for each anchor that is chosen."""

DENSE_TABLES = 2048
"""Size from which a corpus is ranked by the tables reached, rather than by a score for every table."""


@dataclass(frozen=True)
class WalkEvidence(Evidence):
    """What the walk needs to know of a batch of questions.

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
        }
        require_at_least(1, anchors=anchors, hops=hops, hidden_channels=hidden_channels)
        require_fraction(decay=decay)
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
        self.walk = JoinWalk(scorer, hops, decay)
        self._projected: Projections | None = None
        self._compiled: CompiledWalk | None = None
        self.register_load_state_dict_post_hook(JoinGR._forget)

    def index(self, corpus: Corpus) -> Self:
        super().index(corpus)
        self._planner: WalkPlanner = self.walk.planner(corpus.edge_index, corpus.num_tables, corpus.edge_weight)
        self._graph = corpus.edge_attr, corpus.x
        self._forget()
        return self

    def train(self, mode: bool = True) -> Self:
        self._forget()
        return super().train(mode)

    def _forget(self, *_: object) -> None:
        """Drop what was derived from weights that may change."""
        self._projected = self._compiled = None

    def evidence(self, queries: Queries) -> WalkEvidence:
        """Anchors, similarities and best columns of ``B`` questions."""
        similarity, column = self.corpus.similarity(queries.vector)
        best = similarity.sort(dim=1, descending=True, stable=True)
        table = best.indices[:, : MMR_CANDIDATES * self.anchors]
        hits = self._choose(TableHits(table, best.values[:, : table.size(1)], column.gather(1, table)))
        # Cosines may be negative, deposits may not.
        return WalkEvidence(hits.table, hits.score.clamp(min=0), similarity, column)

    def select_anchors(self, query: Tensor) -> TableHits:
        """The ``A`` anchor tables of each question (section 3.2.2)."""
        return self._choose(self.columns.search(query, MMR_CANDIDATES * self.anchors))

    def _choose(self, candidates: TableHits) -> TableHits:
        if self.mmr == 1:
            return TableHits(*(part[:, : self.anchors] for part in candidates))
        return diverse_anchors(candidates, self.corpus, self.anchors, self.mmr)

    def seeds(self, evidence: WalkEvidence) -> tuple[Tensor, Tensor]:
        """Where the walks start: tables ``[B, A]``, ``-1`` where there are fewer, and their deposits ``[B, A]``."""
        return evidence.anchor, evidence.deposit

    def forward(self, query: Tensor, evidence: WalkEvidence) -> WalkOutput:
        """Walk from the anchors of questions ``[B, d]``."""
        question, place = (evidence.anchor >= 0).nonzero(as_tuple=True)
        plan = self._planner(evidence.anchor[question, place], question, query.size(0)).to(query.device)
        deposit = evidence.deposit[question, place]
        if self.walk.scorer is None:
            return WalkOutput(self.walk.propagate(plan, deposit), plan)
        frontier = evidence.column[plan.query, plan.frontier]
        neighbor = evidence.column[plan.query, plan.neighbor]
        score = self.walk.scorer.along(plan, self._projections(query), frontier, neighbor)
        return WalkOutput(self.walk.propagate(plan, deposit, score), plan)

    def scores(self, output: WalkOutput, evidence: WalkEvidence) -> Tensor:
        r"""``[B, T]`` table scores :math:`\hat s(t|q) + \lambda s(t|q)` (section 3.2.4 where :math:`\lambda = 0`)."""
        return self._with_similarity(output.node_scores(), evidence)

    def _with_similarity(self, scores: Tensor, evidence: WalkEvidence) -> Tensor:
        return scores + self.similarity_weight * evidence.similarity if self.similarity_weight else scores

    def _projections(self, query: Tensor) -> Projections:
        """Nodes and edges are projected once while the weights stand still, queries once a question."""
        scorer = self.walk.scorer
        assert scorer is not None
        still = not (self.training or torch.is_grad_enabled())
        fixed = self._projected if still else None
        if fixed is None:
            if self._graph[0].device != query.device:
                self._graph = self._graph[0].to(query.device), self._graph[1].to(query.device)
            fixed = scorer.project(query[:0], *self._graph)
            self._projected = fixed if still else None
        return fixed._replace(query=scorer.project_query(query))

    @torch.no_grad()
    def rank(self, queries: Queries, k: int) -> Ranking:
        query = queries.vector
        if k < 1:
            raise JoinGRError(f"K needs to be at least 1 (got {k}).")
        if not self.takes_the_steps_of(JoinGR):
            return super().rank(queries, k)
        if self.corpus.num_tables > DENSE_TABLES:
            return self._rank_reached(query, k)
        evidence = self.evidence(queries)
        fused = self._fused(query)
        if fused is None:
            return self.ranking(self.scores(self(query, evidence), evidence), evidence, k)
        scores = fused(query, evidence.anchor, evidence.deposit, evidence.column).dense(self.corpus.num_tables)
        return self.ranking(self._with_similarity(scores, evidence), evidence, k)

    def _rank_reached(self, query: Tensor, k: int) -> Ranking:
        """Rank what the walks reach and what is similar, without a score for every table of the corpus."""
        hits = self.columns.search(query, max(k, MMR_CANDIDATES * self.anchors))
        anchors = self._choose(hits)
        fused = self._fused(query, lazy=True)
        deposit = anchors.score.clamp(min=0)
        reached = fused(query, anchors.table, deposit) if fused else self._reach(query, anchors.table, deposit)
        question = torch.arange(len(query)).repeat_interleave(reached.ptr.diff())
        score = reached.score
        if self.similarity_weight:
            similarity, _ = self.corpus.similarity_of(query, question, reached.node)
            score = score + self.similarity_weight * similarity
        if self.unreached == "drop" and not self.similarity_weight:
            return rank_pairs(question, reached.node, score, len(query), k)
        similar = hits.table >= 0
        key = torch.arange(len(query)).unsqueeze(1) * self.corpus.num_tables + hits.table
        similar &= ~torch.isin(key, question * self.corpus.num_tables + reached.node)
        behind = self.similarity_weight * hits.score if self.similarity_weight else hits.score.clamp(max=1) - 1
        return rank_pairs(
            torch.cat([question, similar.nonzero()[:, 0]]),
            torch.cat([reached.node, hits.table[similar]]),
            torch.cat([score, behind[similar]]),
            len(query),
            k,
        )

    def _reach(self, query: Tensor, anchor: Tensor, deposit: Tensor) -> Reached:
        """The walk on tensors, with the best column of a table looked up where a walk reaches it."""
        question, place = (anchor >= 0).nonzero(as_tuple=True)
        plan = self._planner(anchor[question, place], question, len(query))
        key, inverse = torch.unique(
            plan.query.repeat(2) * self.corpus.num_tables + torch.cat([plan.frontier, plan.neighbor]),
            return_inverse=True,
        )
        owner, table = key // self.corpus.num_tables, key % self.corpus.num_tables
        frontier, neighbor = inverse.chunk(2)
        score = None
        if self.walk.scorer is not None:
            _, column = self.corpus.similarity_of(query, owner, table)
            score = self.walk.scorer.along(plan, self._projections(query), column[frontier], column[neighbor])
        laid = self.walk.propagate(plan, deposit[question, place], score)
        scores = laid.new_zeros(key.shape).index_add(0, frontier, laid).index_add(0, neighbor, laid)
        kept = scores > 0
        ptr = F.pad(torch.bincount(owner[kept], minlength=len(query)).cumsum(0), (1, 0))
        return Reached(ptr, table[kept], scores[kept])

    def _fused(self, query: Tensor, lazy: bool = False) -> CompiledWalk | None:
        """The compiled walk, where weights stand still, there is one for this device and numba is installed."""
        if self.training or query.is_cuda or not kernels_available():
            return None
        if self._compiled is None:
            corpus = self.corpus
            first = F.pad(torch.from_numpy(corpus.first_column), (0, 1), value=corpus.num_columns) if lazy else None
            self._compiled = CompiledWalk(self.walk, self._planner, corpus.edge_attr, corpus.x, first)
        return self._compiled

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
