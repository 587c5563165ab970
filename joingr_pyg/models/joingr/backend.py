"""How JoinGR ranks when it does not learn, by the size of the corpus and by what the walk is computed with.

=============  =========================================  =================================================
corpus         compiled walk                              walk on tensors
=============  =========================================  =================================================
small          :class:`CompiledBackend`                   :class:`~joingr_pyg.models.backend.TensorBackend`
large          :class:`LargeCorpusBackend`                :class:`LargeCorpusBackend`
               over a ``CompiledWalk``                    over a :class:`TensorWalk`
in half        :class:`LargeCorpusBackend`                the same
precision      over a :class:`DatabaseWalk`
=============  =========================================  =================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import torch
from torch import Tensor
from torch.nn import functional as F

from joingr_pyg.data.queries import Queries
from joingr_pyg.kernels import kernels_available
from joingr_pyg.models.anchors import TableHits
from joingr_pyg.models.backend import Backend, TensorBackend
from joingr_pyg.models.explanation import ExplainedRanking
from joingr_pyg.models.joingr.database_walk import DatabaseWalk
from joingr_pyg.models.joingr.explanation import ReachedExplainedRanking
from joingr_pyg.models.retriever import Ranking, rank_pairs
from joingr_pyg.models.rounds import First, Rounds, alone, best_places
from joingr_pyg.nn import EdgeScorer, WalkOutput
from joingr_pyg.nn.compiled_walk import CompiledWalk, Reached

if TYPE_CHECKING:
    from joingr_pyg.models.joingr.model import JoinGR, WalkEvidence

LARGE_CORPUS = 2048
"""Number of tables above which only tables that are reached or similar get a score, rather than every table."""


def choose_backend(model: "JoinGR", device: torch.device) -> Backend:
    """Choose the fastest backend for questions on a device.

    Args:
        model: A model that is not learning and whose steps are those of JoinGR.
        device: Where the questions are.
    """
    if model.corpus.num_tables > LARGE_CORPUS or model.corpus.in_half_precision:
        return large_corpus_backend(model, device)
    compiled = device.type == "cpu" and kernels_available()
    return CompiledBackend(model, model.compiled_walk(find_columns=False)) if compiled else TensorBackend(model)


def large_corpus_backend(model: "JoinGR", device: torch.device) -> "LargeCorpusBackend":
    """The backend for many tables, and for parts of a corpus; arguments are the same."""
    if model.corpus.in_half_precision:
        return LargeCorpusBackend(model, DatabaseWalk(model))
    compiled = device.type == "cpu" and kernels_available()
    return LargeCorpusBackend(model, model.compiled_walk(find_columns=True) if compiled else TensorWalk(model))


class CompiledBackend(TensorBackend):
    """The steps of the model with the walk in compiled code.

    Args:
        model: The model.
        walk: Its walk.
    """

    def __init__(self, model: "JoinGR", walk: CompiledWalk) -> None:
        self.model: JoinGR = model
        self.walk = walk

    def rank(self, queries: Queries, k: int) -> Ranking:
        return self._rank(queries, k, self.model.evidence(queries))

    def explained(self, queries: Queries, k: int) -> ExplainedRanking:
        evidence = self.model.evidence(queries)
        ranking = self._rank(queries, k, evidence)
        return self._explained(ranking, queries, evidence, self.model(queries.vector, evidence))

    def _rank(self, queries: Queries, k: int, evidence: "WalkEvidence") -> Ranking:
        model = self.model
        reached = self.walk(queries.vector, evidence.anchor, evidence.deposit, evidence.column)
        scores = model.add_similarity(reached.dense(model.corpus.num_tables), evidence.similarity)
        return model.ranking(scores, evidence, k)


class LargeCorpusBackend(TensorBackend):
    """Ranks the tables that a walk reaches and the most similar ones, without a score for every table of the corpus.

    Args:
        model: The model.
        walk: Its walk, which finds the column that stands for a table where it reaches the table.
    """

    def __init__(self, model: "JoinGR", walk: "CompiledWalk | TensorWalk | DatabaseWalk") -> None:
        self.model: JoinGR = model
        self.walk = walk

    def rank(self, queries: Queries, k: int) -> Ranking:
        return alone(self.rounds(queries, k, First()))

    def rounds(self, queries: Queries, k: int, first: First) -> Rounds[Ranking]:
        """Rank as a part of a corpus: see :mod:`joingr_pyg.models.rounds`."""
        model = self.model
        similar = model.similar_tables(queries.vector, k)
        whole = yield SimilarTables.of(similar, model, first)
        anchors = model.choose_anchors(whole.hits, whole.vectors)
        table = anchors.table - first.table
        is_own = (anchors.table >= 0) & (table >= 0) & (table < model.corpus.num_tables)
        anchors = TableHits(table.where(is_own, -1), anchors.score, anchors.column)
        table, score = self._rank(queries.vector, k, similar, anchors)
        return Ranking(_numbered(table, first), score)

    def explained(self, queries: Queries, k: int) -> ExplainedRanking:
        similar = self.model.similar_tables(queries.vector, k)
        anchors = self.model.choose_anchors(similar)
        ranking = self._rank(queries.vector, k, similar, anchors)
        return ReachedExplainedRanking(ranking, queries.vector, self.model.corpus, anchors, self.walk.output)

    def _rank(self, query: Tensor, k: int, similar: TableHits, anchors: TableHits) -> Ranking:
        model = self.model
        reached = self.walk(query, anchors.table, anchors.score.clamp(min=0))
        question = torch.arange(len(query), device=query.device).repeat_interleave(reached.ptr.diff())
        score = reached.score
        if model.similarity_weight:
            similarity, _ = model.corpus.similarity_of(query, question, reached.node)
            score = model.add_similarity(score, similarity)
        elif model.unreached == "drop":
            return rank_pairs(question, reached.node, score, len(query), k)
        others = self._not_reached(similar, question, reached.node)
        behind = similar.score.clamp(max=1) - 1
        if model.similarity_weight:
            behind = model.similarity_weight * similar.score
        return rank_pairs(
            torch.cat([question, others.nonzero()[:, 0]]),
            torch.cat([reached.node, similar.table[others]]),
            torch.cat([score, behind[others]]),
            len(query),
            k,
        )

    def _not_reached(self, similar: TableHits, question: Tensor, table: Tensor) -> Tensor:
        """Which of the similar tables ``[B, k]`` are not among the pairs of a question and a table that it reached."""
        num_tables = self.model.corpus.num_tables
        row = torch.arange(len(similar.table), device=table.device).unsqueeze(1)
        key = row * num_tables + similar.table
        return (similar.table >= 0) & ~torch.isin(key, question * num_tables + table)


@dataclass(frozen=True)
class SimilarTables:
    """The most similar tables of parts of a corpus.

    Attributes:
        hits: The tables, numbered as in the whole corpus.
        vectors: ``[B, C, d]`` embeddings of their best columns, if anchors are chosen by more than similarity.
    """

    hits: TableHits
    vectors: Tensor | None

    @classmethod
    def of(cls, hits: TableHits, model: "JoinGR", first: First) -> Self:
        """Those that a part has found."""
        vectors = None if model.mmr == 1 else model.best_column_vectors(hits)
        return cls(hits._replace(table=_numbered(hits.table, first)), vectors)

    @classmethod
    def merged(cls, parts: Sequence[Self]) -> Self:
        """The most similar tables of all parts, as many as each part has found."""
        if len(parts) == 1:
            return parts[0]
        count = parts[0].hits.table.size(1)
        table, score, column = (torch.cat(found, dim=1) for found in zip(*(part.hits for part in parts), strict=True))
        order = torch.from_numpy(best_places(score.numpy(), table.numpy(), count))
        hits = TableHits(*(part.gather(1, order) for part in (table, score, column)))
        given = [part.vectors for part in parts if part.vectors is not None]
        if not given:
            return cls(hits, None)
        vectors = torch.cat(given, dim=1)
        return cls(hits, vectors.gather(1, order.unsqueeze(2).expand(-1, -1, vectors.size(2))))


def _numbered(table: Tensor, first: First) -> Tensor:
    """Numbers of tables in the whole corpus, from those in a part; ``-1`` stays."""
    return (table + first.table).where(table >= 0, -1)


class TensorWalk:
    """The walk on tensors, for corpora with too many tables to find the best column of each.

    Args:
        model: The model.
    """

    def __init__(self, model: "JoinGR") -> None:
        self.model = model

    def __call__(self, query: Tensor, seed: Tensor, deposit: Tensor) -> Reached:
        """Walk for questions ``[B, d]`` from tables ``[B, A]``, ``-1`` for empty places, with deposits ``[B, A]``."""
        output, pair, place = self._walk(query, seed, deposit)
        frontier, neighbor = place.chunk(2)
        scores = output.deposit.new_zeros(pair.shape)
        scores = scores.index_add(0, frontier, output.deposit).index_add(0, neighbor, output.deposit)
        positive = scores > 0
        question, table = pair // self.model.corpus.num_tables, pair % self.model.corpus.num_tables
        ptr = F.pad(torch.bincount(question[positive], minlength=len(query)).cumsum(0), (1, 0))
        return Reached(ptr, table[positive], scores[positive])

    def output(self, query: Tensor, seed: Tensor, deposit: Tensor) -> WalkOutput:
        """The deposits of the walks; arguments are the same."""
        return self._walk(query, seed, deposit)[0]

    def _walk(self, query: Tensor, seed: Tensor, deposit: Tensor) -> tuple[WalkOutput, Tensor, Tensor]:
        """Walk, and number the pairs of a question and a table that the walks meet.

        Returns:
            The deposits; ``[P]`` the pairs, as question times number of tables plus table; ``[2 L]`` for both ends of
            each edge, frontiers first, the position of their pair.
        """
        model, num_tables = self.model, self.model.corpus.num_tables
        question, anchor = (seed >= 0).nonzero(as_tuple=True)
        plan = model.planner(seed[question, anchor], question, len(query)).to(query.device)
        ends = plan.query.repeat(2) * num_tables + torch.cat([plan.frontier, plan.neighbor])
        pair, place = torch.unique(ends, return_inverse=True)
        score = None
        if isinstance(model.walk.scorer, EdgeScorer):
            _, column = model.corpus.similarity_of(query, pair // num_tables, pair % num_tables)
            frontier, neighbor = column[place].chunk(2)
            score = model.walk.scorer.along(plan, model.projections(query), frontier, neighbor)
        return WalkOutput(model.walk.propagate(plan, deposit[question, anchor], score), plan), pair, place
