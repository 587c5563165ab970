"""JoinGR+ without gradients: compiled code instead of tensor operations."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.backend import TensorBackend
from joingr_pyg.models.joingr_plus.candidate_graph import CandidateGraph
from joingr_pyg.models.joingr_plus.constants import FLOOR, WHOLE
from joingr_pyg.models.joingr_plus.reading import Reader, Reading
from joingr_pyg.models.joingr_plus.reranker import ALL, MEASURES, SLACK, CandidateReranker
from joingr_pyg.models.joingr_plus.signals import Signal
from joingr_pyg.models.phrase_matches import CONTEXT, SHARPNESS
from joingr_pyg.models.retriever import Ranking
from joingr_pyg.nn.compiled_potential_walk import CompiledPotentialWalk
from joingr_pyg.nn.threads import parallel_for

if TYPE_CHECKING:
    from joingr_pyg.models.joingr_plus.model import JoinGRPlus

Array = NDArray[Any]

PHRASES = np.float32(SHARPNESS), np.float32(CONTEXT)

NUMBERS_AT_ONCE = 1 << 22
"""Signals of tables, and similarities of columns, that a thread holds at once, 4 bytes each."""

PHRASES_READ = 1 << 24
"""Similarities of phrases and tables that are made before any of their questions is ranked, where each has ..."""

PHRASES_A_QUESTION = 16
"""... so many phrases: those of benchmarks have five to thirteen."""

WORTH_A_THREAD = 25_600
"""Products of questions and columns from which on a thread of its own gains more than it costs, measured."""


class FusedJoinGRPlus(TensorBackend):
    """A :class:`JoinGRPlus` with the weights and memory of now, over the tables it is bound to, for the CPU.

    Rankings are those of the tensor path: scores differ by rounding.

    Args:
        model: The model. Later changes of its weights go unnoticed.
        reader: Its reader of texts.
    """

    @torch.no_grad()
    def __init__(self, model: "JoinGRPlus", reader: Reader) -> None:
        corpus, prior, memory = model.corpus, model.prior, model.memory
        self.model: JoinGRPlus = model
        self.voters = memory.voters
        self._read = reader
        self._whole_weight, self._prior_weight = _by_signal(WHOLE), _by_signal(prior.weights())
        self._vote = (memory.voter.numpy(), memory.table.numpy(), *_reals(memory.temperature, memory.nothing))
        self._sharpness, prior_weight = _reals(model.log_sharpness.exp(), model.prior_weight)
        self._fusion = prior_weight, np.float32(FLOOR)
        potentials = model.linear_potentials()
        self._node_weight = _by_signal(potentials.weight)
        self._node, self._constant = potentials.table.t().numpy(), potentials.constant.numpy()
        self._walk = CompiledPotentialWalk(model.walk, model.planner) if model.walks else None
        voters = memory.voters if prior.memory is not None and len(memory.voters) else corpus.table_x[:0]
        parts = [corpus.x.float(), corpus.table_x, potentials.edge, potentials.common, voters]
        self._vectors = torch.cat(parts).t()
        self._ends = np.cumsum([0, *map(len, parts)])
        self._first_column = corpus.column_ptr.numpy()
        # The tables of a database lie together.
        self._first_table = np.append(np.flatnonzero(np.diff(corpus.database.numpy(), prepend=-1)), corpus.num_tables)
        self._second_look = None if model.reranker is None else _second_look(model.reranker, model.tables.graph)

    def rank(self, queries: Queries, k: int) -> Ranking:
        """Rank tables, as :meth:`JoinGRPlus.rank` does.

        Raises:
            JoinGRError: If ``k`` is below 1, or the questions come without texts or an encoder that it takes.
        """
        if k < 1:
            raise JoinGRError(f"K needs to be at least 1 (got {k}).")
        at_once = max(1, PHRASES_READ // (PHRASES_A_QUESTION * len(self._constant)))
        if len(queries) > at_once:
            parts = [self.rank(part, k) for part in queries.split(at_once)]
            return Ranking(*map(torch.cat, zip(*parts, strict=True)))
        readings, vector = self._read(queries), queries.vector.float()
        # Importing numba takes half a second.
        from joingr_pyg.kernels.joingr_plus import rank

        table = np.empty((len(queries), k), np.int64)
        score = np.empty((len(queries), k), np.float32)

        def part(begin: int, end: int) -> None:
            with one_thread():
                scores = self._scores(vector[begin:end], readings[begin:end])
            rank(scores, table[begin:end], score[begin:end])

        columns, tables = self._vectors.shape[1], len(self._constant)
        most = max(1, NUMBERS_AT_ONCE // (columns + len(Signal) * tables))
        parallel_for(part, len(queries), smallest=-(-WORTH_A_THREAD // columns), largest=most)
        return Ranking(torch.from_numpy(table), torch.from_numpy(score))

    def _scores(self, vector: Tensor, readings: Sequence[Reading]) -> Array:
        """``[B, T]`` scores of some questions."""
        from joingr_pyg.kernels import joingr_plus as kernel
        from joingr_pyg.kernels.phrases import match_phrases
        from joingr_pyg.kernels.postings import add_rows

        known = np.zeros((len(Signal), len(readings), len(self._constant)), np.float32)
        products = (vector @ self._vectors).numpy()
        columns, known[Signal.TABLE_SIMILARITY], edge, common, likeness = (
            products[:, first:last] for first, last in pairwise(self._ends)
        )
        kernel.best_columns(columns, self._first_column, known[Signal.SIMILARITY])
        words = _Words.of(readings)
        for kind, (signal, postings) in enumerate(self._read.matches.items()):
            add_rows(kind, *words, postings.matrix, known[signal])
        if likeness.shape[1]:
            kernel.vote(np.ascontiguousarray(likeness), *self._vote, known[Signal.VOTES])
        whole = np.zeros_like(known[0])
        kernel.weigh(self._whole_weight, known, whole)
        ptr = _ptr([len(reading.similarity) for reading in readings])
        if ptr[-1]:
            similarity = np.concatenate([reading.similarity for reading in readings])
            found = known[Signal.PHRASE], known[Signal.PHRASE_WITHIN], known[Signal.PHRASE_SHARE]
            match_phrases(whole, ptr, similarity, *PHRASES, self._first_table, *found)
        prior, walked, score = known[Signal.PRIOR], known[Signal.WALKED], known[Signal.SCORE]
        kernel.weigh(self._prior_weight, known, prior)
        if self._walk is not None:
            seed = np.empty((len(readings), min(self.model.anchors, prior.shape[1])), np.int64)
            deposit = np.empty(seed.shape, np.float32)
            kernel.choose_seeds(prior, self._sharpness, seed, deposit)
            potential = common @ self._node + self._constant
            kernel.weigh(self._node_weight, known, potential)
            self._walk.add(np.ascontiguousarray(edge), potential, seed, deposit, walked)
        kernel.fuse(prior, *self._fusion, walked, score)
        if self._second_look is not None:
            some = known[Signal.NAMED], known, known[Signal.SHARE], known[Signal.ALL_NAMED], score
            kernel.look_again(*self._second_look, *some)
        return score


class _Words(NamedTuple):
    """The words of ``B`` questions, for ``K`` kinds of word matches.

    Attributes:
        ptr: ``[B K + 1]`` the rows of question ``b`` and kind ``i`` are ``row[ptr[b K + i]:ptr[b K + i + 1]]``.
        row: Rows of words.
        scale: ``[B, K]`` what their sums are multiplied by.
    """

    ptr: Array
    row: Array
    scale: Array

    @classmethod
    def of(cls, readings: Sequence[Reading]) -> "_Words":
        ptr = _ptr([each for reading in readings for each in reading.size])
        row = np.concatenate([reading.row for reading in readings]) if readings else ptr[:0]
        return cls(ptr, row, np.array([reading.scale for reading in readings]))


def one_thread() -> AbstractContextManager[Any]:
    """Keep operations of torch in this thread.

    Its own threads wait for each other actively, and on a busy machine long.
    """
    # Asking sets the number of a new thread, which must not happen later.
    return nullcontext() if torch.get_num_threads() == 1 else _openmp().limit(limits=1)


@lru_cache(maxsize=1)
def _openmp() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="openmp")


def _ptr(sizes: Sequence[int]) -> Array:
    """Where parts of these sizes begin and end, one behind the other."""
    return np.cumsum([0, *sizes], dtype=np.int64)


def _by_signal(weights: Mapping[Signal, float]) -> Array:
    """Weights in the order of signals."""
    return np.array([weights.get(signal, 0.0) for signal in Signal], np.float32)


def _reals(*numbers: Tensor) -> tuple[np.float32, ...]:
    return tuple(np.float32(number.item()) for number in numbers)


def _second_look(reranker: CandidateReranker, graph: CandidateGraph) -> tuple[Any, ...]:
    """What the compiled second look goes by, with means and deviations of measures taken into the hidden layer."""
    weight = reranker.known.weight / reranker.deviation
    bias = reranker.known.bias - weight @ reranker.mean
    layers = (
        *(weight.t(), bias, reranker.message.weight.t()),
        *(reranker.hidden.weight.t(), reranker.hidden.bias, reranker.out.weight[0]),
    )
    return (
        min(reranker.candidates, len(graph.database)),
        (graph.database.numpy(), *(part.numpy() for part in graph.neighbors)),
        np.array([measure.signal for measure in MEASURES], np.int64),
        np.array([measure.behind for measure in MEASURES]),
        (*(layer.contiguous().numpy() for layer in layers), *_reals(reranker.out.bias)),
        np.array([ALL, SLACK], np.float32),
    )
