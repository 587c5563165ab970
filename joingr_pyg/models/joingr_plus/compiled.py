"""JoinGR+ without gradients: compiled code instead of tensor operations."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.models.backend import Backend
from joingr_pyg.models.explanation import ExplainedRanking
from joingr_pyg.models.joingr_plus.candidate_graph import CandidateGraph
from joingr_pyg.models.joingr_plus.compiled_reranker import CompiledReranker
from joingr_pyg.models.joingr_plus.explanation import CompiledExplainedRanking
from joingr_pyg.models.joingr_plus.features import (
    COMPUTED,
    CONTEXT,
    EPSILON,
    FEATURES,
    Feature,
)
from joingr_pyg.models.joingr_plus.findings import BestPriors, PhraseTotals
from joingr_pyg.models.joingr_plus.prior import TablePrior
from joingr_pyg.models.joingr_plus.question_texts import QuestionText, QuestionTexts
from joingr_pyg.models.joingr_plus.reranker import CandidateReranker
from joingr_pyg.models.joingr_plus.scored import ScoredTables
from joingr_pyg.models.memory import QuestionMemory
from joingr_pyg.models.phrase_matches import CONTEXT_WEIGHT, SHARPNESS
from joingr_pyg.models.retriever import Ranking
from joingr_pyg.models.rounds import First, Rounds, alone
from joingr_pyg.nn import JoinWalk, WalkPlanner
from joingr_pyg.nn.compiled_potential_walk import CompiledPotentialWalk
from joingr_pyg.nn.threads import parallel_for

Array = NDArray[Any]

NUMBERS_AT_ONCE = 1 << 22
"""Features of tables and similarities of columns that one thread holds at once, 4 bytes each."""

PHRASE_NUMBERS_AT_ONCE = 1 << 24
"""Similarities of phrases and tables that are looked up before their questions are ranked, 4 bytes each."""

PHRASES_PER_QUESTION = 16
"""Phrases of a question that this bound assumes: questions of benchmarks have five to thirteen."""

PRODUCTS_WORTH_A_THREAD = 25_600
"""Products of questions and columns from which on a thread of its own saves time, measured."""


class LinearPotentials(NamedTuple):
    r"""Potentials of the walk as linear functions of the question :math:`q` and the features.

    The potential of join :math:`e` is :math:`\langle q, e' \rangle`, that of table :math:`t` is
    :math:`\langle C q, n_t \rangle + \sum_f w_f \phi_f(t|q) + c_t`.

    Attributes:
        edge: ``[J, d]`` the vectors :math:`e'` of joins.
        common: ``[rank, d]`` the matrix :math:`C`.
        table: ``[T, rank]`` the vectors :math:`n_t` of tables.
        weights: The weights :math:`w_f` of features.
        constant: ``[T]`` the constants :math:`c_t`.
    """

    edge: Tensor
    common: Tensor
    table: Tensor
    weights: Mapping[Feature, float]
    constant: Tensor


class CompiledBackend(Backend):
    """JoinGR+ with its present weights and memory, on the CPU.

    Scores differ from those on tensors by rounding alone. Later changes of weights have no effect here.

    Args:
        corpus: The tables.
        texts: Look-up of texts in the corpus.
        prior: The prior.
        memory: The remembered questions.
        num_anchors: Number of anchors.
        sharpness: Factor of priors in the softmax of seeds.
        potentials: Potentials of the walk.
        walk: The walk, or ``None`` if it does not count.
        planner: Planner of its walks over the corpus.
        prior_weight: Weight of the prior in the fusion.
        reranker: The reranker, if there is one.
        graph: Joins and databases of the tables.

    Attributes:
        neighbors: The remembered questions that have a vote, as of now.
    """

    @torch.no_grad()
    def __init__(
        self,
        *,
        corpus: Corpus,
        texts: QuestionTexts,
        prior: TablePrior,
        memory: QuestionMemory,
        num_anchors: int,
        sharpness: Tensor,
        potentials: LinearPotentials,
        walk: JoinWalk | None,
        planner: WalkPlanner,
        prior_weight: Tensor,
        reranker: CandidateReranker | None,
        graph: CandidateGraph,
    ) -> None:
        self._corpus, self._texts, self._planner = corpus, texts, planner
        self.neighbors = memory.neighbors
        self._prior_weights = prior.weights()
        self._context_weight, self._prior_weight = _by_row(CONTEXT), _by_row(self._prior_weights)
        self._vote = (
            *(memory.vote_neighbor.numpy(), memory.vote_table.numpy()),
            *_reals(memory.temperature, memory.null_logit),
        )
        self._most_anchors, self._num_anchors = num_anchors, min(num_anchors, corpus.num_tables)
        (self._sharpness,) = _reals(sharpness)
        self._fusion = *_reals(prior_weight), np.float32(EPSILON)
        self._potential_weight = _by_row(potentials.weights)
        self._table_factor, self._constant = potentials.table.t().numpy(), potentials.constant.numpy()
        self._walk = None if walk is None else CompiledPotentialWalk(walk, planner)
        neighbors = memory.neighbors if prior.uses(Feature.VOTES) and len(memory.neighbors) else corpus.table_x[:0]
        parts = [corpus.x.float(), corpus.table_x, potentials.edge, potentials.common, neighbors]
        self._vectors = torch.cat(parts).t()
        self._ends = np.cumsum([0, *map(len, parts)])
        self._first_column = corpus.column_ptr.numpy()
        # The tables of a database lie together.
        self._first_table = np.append(np.flatnonzero(np.diff(corpus.database.numpy(), prepend=-1)), corpus.num_tables)
        self._rerank = None if reranker is None else CompiledReranker(reranker, graph)

    def rank(self, queries: Queries, k: int) -> Ranking:
        table, score = _places(len(queries), k)
        at_once = max(1, PHRASE_NUMBERS_AT_ONCE // (PHRASES_PER_QUESTION * len(self._constant)))
        if len(queries) > at_once:
            parts = [self.rank(part, k) for part in queries.split(at_once)]
            return Ranking(*map(torch.cat, zip(*parts, strict=True)))
        texts = self._texts(queries)

        def part(begin: int, end: int) -> None:
            scored = alone(self._score(_part(queries, begin, end), texts[begin:end], First()))
            _rank(scored.scores, table[begin:end], score[begin:end])

        columns, tables = self._vectors.shape[1], len(self._constant)
        most = max(1, NUMBERS_AT_ONCE // (columns + len(FEATURES) * tables))
        parallel_for(part, len(queries), smallest=-(-PRODUCTS_WORTH_A_THREAD // columns), largest=most)
        return Ranking(torch.from_numpy(table), torch.from_numpy(score))

    def rounds(self, queries: Queries, k: int, first: First) -> Rounds[Ranking]:
        """Rank as a part of a corpus: see :mod:`joingr_pyg.models.rounds`."""
        scored = yield from self._score(queries, self._texts(queries), first)
        table, score = _places(len(queries), k)
        _rank(scored.scores, table, score)
        table[table >= 0] += first.table
        return Ranking(torch.from_numpy(table), torch.from_numpy(score))

    def explained(self, queries: Queries, k: int) -> ExplainedRanking:
        table, score = _places(len(queries), k)
        texts = self._texts(queries)
        scored = alone(self._score(queries, texts, First()))
        _rank(scored.scores, table, score)
        ranking = Ranking(torch.from_numpy(table), torch.from_numpy(score))
        return CompiledExplainedRanking(
            ranking=ranking,
            scored=scored,
            texts=texts,
            prior_weights=self._prior_weights,
            postings=self._texts.postings.get(Feature.WORDS),
            first_column=self._first_column,
            walk=self._walk,
            planner=self._planner,
        )

    def _score(self, queries: Queries, texts: Sequence[QuestionText], first: First) -> Rounds[ScoredTables]:
        """Score all tables for some questions, in this thread: the steps of :meth:`JoinGRPlus.forward`."""
        # Importing numba takes half a second.
        from joingr_pyg.kernels import joingr_plus as kernel
        from joingr_pyg.kernels.phrases import match_phrases, phrase_totals
        from joingr_pyg.kernels.postings import add_rows

        count = len(texts)
        with one_thread():
            products = (queries.vector.float() @ self._vectors).numpy()
        columns, table_similarity, edge, common, remembered = (
            products[:, first:last] for first, last in pairwise(self._ends)
        )
        if queries.asked is not None and remembered.shape[1]:
            remembered = (queries.asked.float() @ self.neighbors.t()).numpy()
        features = np.zeros((len(FEATURES), count, len(self._constant)), np.float32)
        value = dict(zip(FEATURES, features, strict=True))

        # Evidence.
        kernel.best_columns(columns, self._first_column, value[Feature.SIMILARITY])
        value[Feature.TABLE_SIMILARITY][:] = table_similarity
        words = _WordRows.of(texts)
        for kind, (feature, postings) in enumerate(self._texts.postings.items()):
            add_rows(kind, *words, postings.matrix, value[feature])
        context = np.zeros_like(features[0])
        kernel.add_weighted(self._context_weight, features, context)
        ptr = _ptr([len(text.similarity) for text in texts])
        if ptr[-1]:
            phrases = context, ptr, np.concatenate([text.similarity for text in texts]), *PHRASE_FACTORS
            totals = PhraseTotals(np.empty(ptr[-1], np.float32), np.empty(ptr[-1]))
            phrase_totals(*phrases, *totals)
            totals = yield totals
            matches = value[Feature.PHRASE], value[Feature.PHRASE_WITHIN], value[Feature.PHRASE_SHARE]
            match_phrases(*phrases, *totals, self._first_table, *matches)
        for feature, compute in COMPUTED.items():
            value[feature][:] = compute(queries, self._corpus).numpy()

        # Prior.
        if remembered.shape[1]:
            kernel.vote(np.ascontiguousarray(remembered), *self._vote, value[Feature.VOTES])
        prior, deposits, scores = value[Feature.PRIOR], value[Feature.WALK], value[Feature.SCORE]
        kernel.add_weighted(self._prior_weight, features, prior)

        # Seeds and walk.
        seed = np.empty((count, self._num_anchors), np.int64)
        seed_deposit = np.empty(seed.shape, np.float32)
        edge_potential, potential = np.ascontiguousarray(edge), np.empty((0, 0), np.float32)
        kernel.rank(prior, seed, seed_deposit)
        best = yield BestPriors(seed + first.table, seed_deposit, self._most_anchors)
        seed, seed_deposit = self._own(best.table, first), best.prior.copy()
        kernel.share_out(self._sharpness, seed_deposit)
        if self._walk is not None:
            potential = common @ self._table_factor + self._constant
            kernel.add_weighted(self._potential_weight, features, potential)
            self._walk.add(edge_potential, potential, seed, seed_deposit, deposits)

        # Fusion and reranking; reranking changes the scores in place.
        kernel.fuse(prior, *self._fusion, deposits, scores)
        if self._rerank is not None:
            candidates = yield self._rerank.gather(features, value, first)
            table = self._own(candidates.table, first)
            question, place = np.nonzero(table >= 0)
            scores[question, table[question, place]] += self._rerank.changes(candidates)[question, place]
        return ScoredTables(value, columns, context, seed, seed_deposit, edge_potential, potential)

    def _own(self, table: Array, first: First) -> Array:
        """Numbers of tables in this part, from those in the whole corpus; ``-1`` for tables of other parts."""
        own = table - first.table
        return np.where((table >= 0) & (own >= 0) & (own < len(self._constant)), own, -1)


PHRASE_FACTORS = np.float32(SHARPNESS), np.float32(CONTEXT_WEIGHT)


class _WordRows(NamedTuple):
    """The words of ``B`` questions, as rows of ``K`` sparse matrices.

    Attributes:
        ptr: ``[B K + 1]`` the rows of question ``b`` and matrix ``i`` are ``row[ptr[b K + i]:ptr[b K + i + 1]]``.
        row: Rows of words.
        scale: ``[B, K]`` factors of their sums.
    """

    ptr: Array
    row: Array
    scale: Array

    @classmethod
    def of(cls, texts: Sequence[QuestionText]) -> "_WordRows":
        ptr = _ptr([size for text in texts for size in text.size])
        row = np.concatenate([text.row for text in texts]) if texts else ptr[:0]
        return cls(ptr, row, np.array([text.scale for text in texts]))


def one_thread() -> AbstractContextManager[Any]:
    """Keep operations of torch in this thread: its own threads wait actively, which takes long on a busy machine."""
    # Reading the number of threads sets it in a new thread; this must not happen inside the limit.
    return nullcontext() if torch.get_num_threads() == 1 else _openmp().limit(limits=1)


@lru_cache(maxsize=1)
def _openmp() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="openmp")


def _places(count: int, k: int) -> tuple[Array, Array]:
    """Room for a ranking, ``[B, k]`` tables and their scores."""
    return np.empty((count, k), np.int64), np.empty((count, k), np.float32)


def _part(queries: Queries, begin: int, end: int) -> Queries:
    return queries if end - begin == len(queries) else queries[begin:end]


def _rank(scores: Array, table: Array, score: Array) -> None:
    from joingr_pyg.kernels.joingr_plus import rank

    rank(scores, table, score)


def _ptr(sizes: Sequence[int]) -> Array:
    """Where parts of these sizes begin and end when they lie one after the other."""
    return np.cumsum([0, *sizes], dtype=np.int64)


def _by_row(weights: Mapping[Feature, float]) -> Array:
    """Weights of features in the order of their rows."""
    return np.array([weights.get(feature, 0.0) for feature in FEATURES], np.float32)


def _reals(*numbers: Tensor) -> tuple[np.float32, ...]:
    return tuple(np.float32(number.item()) for number in numbers)
