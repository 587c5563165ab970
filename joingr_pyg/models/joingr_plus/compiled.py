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
from joingr_pyg.models.joingr_plus.explanation import CompiledExplainedRanking
from joingr_pyg.models.joingr_plus.features import (
    ALL_NAMED_FROM,
    COMPUTED,
    CONTEXT,
    EPSILON,
    FEATURES,
    RERANK_INPUTS,
    Feature,
)
from joingr_pyg.models.joingr_plus.prior import TablePrior
from joingr_pyg.models.joingr_plus.question_texts import QuestionText, QuestionTexts
from joingr_pyg.models.joingr_plus.reranker import MESSAGE_SLACK, CandidateReranker
from joingr_pyg.models.joingr_plus.scored import ScoredTables
from joingr_pyg.models.memory import QuestionMemory
from joingr_pyg.models.phrase_matches import CONTEXT_WEIGHT, SHARPNESS
from joingr_pyg.models.retriever import Ranking
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
        self._num_anchors = min(num_anchors, corpus.num_tables)
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
        self._rerank = None if reranker is None else _rerank_arguments(reranker, graph)

    def rank(self, queries: Queries, k: int) -> Ranking:
        table, score = _places(len(queries), k)
        at_once = max(1, PHRASE_NUMBERS_AT_ONCE // (PHRASES_PER_QUESTION * len(self._constant)))
        if len(queries) > at_once:
            parts = [self.rank(part, k) for part in queries.split(at_once)]
            return Ranking(*map(torch.cat, zip(*parts, strict=True)))
        texts = self._texts(queries)

        def part(begin: int, end: int) -> None:
            scored = self._score(_part(queries, begin, end), texts[begin:end])
            _rank(scored.scores, table[begin:end], score[begin:end])

        columns, tables = self._vectors.shape[1], len(self._constant)
        most = max(1, NUMBERS_AT_ONCE // (columns + len(FEATURES) * tables))
        parallel_for(part, len(queries), smallest=-(-PRODUCTS_WORTH_A_THREAD // columns), largest=most)
        return Ranking(torch.from_numpy(table), torch.from_numpy(score))

    def explained(self, queries: Queries, k: int) -> ExplainedRanking:
        table, score = _places(len(queries), k)
        texts = self._texts(queries)
        scored = self._score(queries, texts)
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

    def _score(self, queries: Queries, texts: Sequence[QuestionText]) -> ScoredTables:
        """Score all tables for some questions, in this thread: the steps of :meth:`JoinGRPlus.forward`."""
        # Importing numba takes half a second.
        from joingr_pyg.kernels import joingr_plus as kernel
        from joingr_pyg.kernels.phrases import match_phrases
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
            similarity = np.concatenate([text.similarity for text in texts])
            matches = value[Feature.PHRASE], value[Feature.PHRASE_WITHIN], value[Feature.PHRASE_SHARE]
            match_phrases(context, ptr, similarity, *PHRASE_FACTORS, self._first_table, *matches)
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
        kernel.choose_seeds(prior, self._sharpness, seed, seed_deposit)
        if self._walk is not None:
            potential = common @ self._table_factor + self._constant
            kernel.add_weighted(self._potential_weight, features, potential)
            self._walk.add(edge_potential, potential, seed, seed_deposit, deposits)

        # Fusion and reranking; reranking changes the scores in place.
        kernel.fuse(prior, *self._fusion, deposits, scores)
        if self._rerank is not None:
            written = value[Feature.DATABASE_SHARE], value[Feature.ALL_NAMED], scores
            kernel.rerank(*self._rerank, features, value[Feature.NAMED], *written)
        return ScoredTables(value, columns, context, seed, seed_deposit, edge_potential, potential)


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


def _rerank_arguments(reranker: CandidateReranker, graph: CandidateGraph) -> tuple[Any, ...]:
    """Arguments of the compiled reranker; its first layer standardises the inputs."""
    weight = reranker.input.weight / reranker.deviation
    bias = reranker.input.bias - weight @ reranker.mean
    layers = (
        *(weight.t(), bias, reranker.message.weight.t()),
        *(reranker.hidden.weight.t(), reranker.hidden.bias, reranker.out.weight[0]),
    )
    return (
        min(reranker.candidates, len(graph.database)),
        (graph.database.numpy(), *(part.numpy() for part in graph.neighbors)),
        np.array([feature.row for feature, _ in RERANK_INPUTS], np.int64),
        np.array([scale.behind_best for _, scale in RERANK_INPUTS]),
        (*(layer.contiguous().numpy() for layer in layers), *_reals(reranker.out.bias)),
        np.array([ALL_NAMED_FROM, MESSAGE_SLACK], np.float32),
    )
