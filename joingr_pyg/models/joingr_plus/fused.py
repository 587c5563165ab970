"""JoinGR+ without gradients: compiled code instead of tensor operations."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.fused_columns import FusedColumns, Matcher, one_thread
from joingr_pyg.models.joingr_plus.candidate_graph import CandidateGraph
from joingr_pyg.models.joingr_plus.constants import FLOOR, LEXICAL_SCALE, WHOLE
from joingr_pyg.models.joingr_plus.reranker import ALL, MEASURES, SLACK, CandidateReranker
from joingr_pyg.models.joingr_plus.signals import Signal
from joingr_pyg.models.postings import Postings
from joingr_pyg.models.retriever import Ranking
from joingr_pyg.nn.fused import share_out
from joingr_pyg.nn.potential_walk import FusedPotentialWalk
from joingr_pyg.phrases import phrases
from joingr_pyg.queries import Queries

if TYPE_CHECKING:
    from joingr_pyg.models.joingr_plus.model import JoinGRPlus

Array = NDArray[Any]

TEXTS_KEPT = 1 << 12
"""Questions whose words and phrases are kept."""

NUMBERS_AT_ONCE = 1 << 22
"""Signals of tables that a thread holds at once, 4 bytes each."""


WORTH_A_THREAD = 25_600
"""Products of questions and columns from which on a thread of its own gains more than it costs, measured."""


class Reading(NamedTuple):
    """What a question's text says.

    Attributes:
        phrases: Its phrases.
        row: Rows of its words, those of one kind of word match behind those of another, ...
        size: ... how many there are of each kind, ...
        scale: ... and what their sum is multiplied by.
    """

    phrases: Sequence[str]
    row: Array
    size: Sequence[int]
    scale: Sequence[float]


class FusedJoinGRPlus:
    """A :class:`JoinGRPlus` with the weights and memory of now, over the tables it is bound to, for the CPU.

    Rankings are those of the tensor path: scores differ by rounding and by what
    :class:`~joingr_pyg.models.fused_columns.FusedColumns` says of phrases. The words and phrases of up to
    :data:`TEXTS_KEPT` texts are kept, as encoders keep vectors.

    Args:
        model: The model. Later changes of its weights go unnoticed.
        columns: The columns of its corpus.
    """

    @torch.no_grad()
    def __init__(self, model: "JoinGRPlus", columns: FusedColumns) -> None:
        corpus, prior, memory = model.corpus, model.prior, model.memory
        self.model = model
        self.voters = memory.voters
        self._readings: dict[str, Reading] = {}
        self._matches: dict[Signal, Postings] = {}
        if model.words is not None:
            self._matches[Signal.WORDS] = model.words.postings
        if model.coverage is not None:
            self._matches |= {Signal.NAMED: model.coverage.parts, Signal.COVERED: model.coverage.held}
        self._columns = columns
        self._reads_phrases = prior.phrases is not None
        self._whole_weight, self._prior_weight = _by_signal(WHOLE), _by_signal(prior.weights())
        self._vote = (memory.voter.numpy(), memory.table.numpy(), *_reals(memory.temperature, memory.nothing))
        self._sharpness, prior_weight = _reals(model.log_sharpness.exp(), model.prior_weight)
        self._fusion = prior_weight, np.float32(FLOOR)
        potentials = model.linear_potentials()
        self._node_weight = _by_signal(potentials.weight)
        self._node, self._constant = potentials.table.t().numpy(), potentials.constant.numpy()
        self._walk = FusedPotentialWalk(model.walk, model.planner) if model.walks else None
        voters = memory.voters if prior.memory is not None and len(memory.voters) else corpus.table_x[:0]
        parts = [corpus.table_x, potentials.edge, potentials.common, voters]
        self._other = torch.cat(parts).t()
        self._ends = np.cumsum([0, *map(len, parts)])
        self._second_look = None if model.reranker is None else _second_look(model.reranker, model.candidate_graph)

    def rank(self, queries: Queries, k: int) -> Ranking:
        """Rank tables, as :meth:`JoinGRPlus.rank` does.

        Raises:
            JoinGRError: If ``k`` is below 1, or the questions come without texts or an encoder that it takes.
        """
        if k < 1:
            raise JoinGRError(f"K needs to be at least 1 (got {k}).")
        readings = [self._read(text) for text in self._texts(queries)]
        phrases_of = [reading.phrases for reading in readings]
        most = self._columns.at_once(phrases_of)
        if len(queries) > most:
            return Ranking(*map(torch.cat, zip(*(self.rank(part, k) for part in queries.split(most)), strict=True)))

        def encoded(texts: list[str]) -> Tensor:
            return queries.require_encoder(self.model.kind).encode_queries(texts)

        batch = _Batch(
            queries.vector.float(),
            _Words.of(readings),
            self._columns.phrase_matches(phrases_of, encoded),
        )
        # Importing numba takes half a second.
        from joingr_pyg.models.joingr_plus.kernel import rank

        table = np.empty((len(queries), k), np.int64)
        score = np.empty((len(queries), k), np.float32)

        def part(begin: int, end: int) -> None:
            with one_thread():
                scores = self._scores(batch, begin, end)
            rank(scores, table[begin:end], score[begin:end])

        most = max(1, NUMBERS_AT_ONCE // (len(Signal) * len(self._constant)))
        share_out(part, len(queries), most, least=-(-WORTH_A_THREAD // self._columns.num_columns))
        return Ranking(torch.from_numpy(table), torch.from_numpy(score))

    def _scores(self, batch: "_Batch", begin: int, end: int) -> Array:
        """``[end - begin, T]`` scores of the questions ``begin:end``."""
        from joingr_pyg.models.joingr_plus import kernel
        from joingr_pyg.models.postings_kernel import add_rows

        known = np.zeros((len(Signal), end - begin, len(self._constant)), np.float32)
        vector = batch.vector[begin:end]
        known[Signal.SIMILARITY] = self._columns.similarity(vector)
        products = (vector @ self._other).numpy()
        known[Signal.TABLE_SIMILARITY], edge, common, likeness = (
            products[:, first:last] for first, last in pairwise(self._ends)
        )
        ptr, row, scale = batch.words
        for kind, (signal, postings) in enumerate(self._matches.items()):
            add_rows(kind, ptr[begin * scale.shape[1] :], row, scale[begin:], postings.matrix, known[signal])
        if likeness.shape[1]:
            kernel.vote(np.ascontiguousarray(likeness), *self._vote, known[Signal.VOTES])
        whole = np.zeros_like(known[0])
        kernel.weigh(self._whole_weight, known, whole)
        known[Signal.PHRASE], known[Signal.PHRASE_WITHIN], known[Signal.PHRASE_SHARE] = batch.matcher(begin, end, whole)
        prior, walked, score = known[Signal.PRIOR], known[Signal.WALKED], known[Signal.SCORE]
        kernel.weigh(self._prior_weight, known, prior)
        if self._walk is not None:
            seed = np.empty((end - begin, min(self.model.anchors, prior.shape[1])), np.int64)
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

    def _texts(self, queries: Queries) -> Sequence[str]:
        if self._matches or self._reads_phrases:
            return queries.require_text(self.model.kind)
        return [""] * len(queries)

    def _read(self, text: str) -> Reading:
        reading = self._readings.get(text)
        if reading is None:
            if len(self._readings) >= TEXTS_KEPT:
                self._readings.clear()
            reading = self._readings[text] = self._read_anew(text)
        return reading

    def _read_anew(self, text: str) -> Reading:
        asked = self.model.asked(text) if self._matches else []
        scale = {Signal.WORDS: LEXICAL_SCALE, Signal.NAMED: 1.0}
        if self.model.coverage is not None:
            scale[Signal.COVERED] = 1 / self.model.coverage.total(asked)
        rows = [postings.rows(asked) for postings in self._matches.values()]
        return Reading(
            phrases(text) if self._reads_phrases else [],
            np.array([row for kind in rows for row in kind], np.int64),
            [len(kind) for kind in rows],
            [scale[signal] for signal in self._matches],
        )


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
        size = [each for reading in readings for each in reading.size]
        ptr = np.zeros(len(size) + 1, np.int64)
        np.cumsum(size, out=ptr[1:])
        row = np.concatenate([reading.row for reading in readings]) if readings else ptr[:0]
        return cls(ptr, row, np.array([reading.scale for reading in readings]))


class _Batch(NamedTuple):
    """What is known of ``B`` questions before they are looked at one by one.

    Attributes:
        vector: ``[B, d]`` their vectors.
        words: Their words.
        matcher: What phrases point at.
    """

    vector: Tensor
    words: _Words
    matcher: Matcher


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
