"""Columns compared with questions and phrases through compiled code and products in 8 bits."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from joingr_pyg.corpus import Corpus
from joingr_pyg.models.phrase_matches import CONTEXT, SHARPNESS, PhraseMatches
from joingr_pyg.nn.fused import share_out

Array = NDArray[Any]

SURE, LIKELY = 1.0, 1 / 3
"""Which part of the bound on errors of 8 bits is allowed for: all of it for questions, and for phrases what they take.

A third is some five deviations of errors that fall this way and that.
"""

COUNTS, COUNTS_WITHIN = 1 / 8192, 1 / 2048
"""The share of a phrase's choice, among all tables or those of a database, from which on a table's similarity is made
again in single precision."""

WORTH_A_THREAD = 1 << 18
"""Products of phrases and columns from which on a thread of its own gains more than it costs, measured."""

PRODUCTS_AT_ONCE = 1 << 24
"""Products of phrases and columns that are kept at once, 4 bytes each."""

Matcher = Callable[[int, int, Array], PhraseMatches[Array]]
"""Given what the questions ``begin:end`` say as a whole, ``[B, T]``, it tells what their phrases point at."""


class FusedColumns:
    """The columns of a corpus in 8 bits a number, of which a processor makes several times as many products.

    The products tell which columns of a table can be its best one. Only those, one or two of them, are compared in
    single precision.

    Args:
        corpus: The tables.
    """

    def __init__(self, corpus: Corpus) -> None:
        from joingr_pyg.models.column_kernel import encode

        vector = _floats(corpus.x)
        code, about = encode(vector)
        reach = np.maximum.reduceat(about[:, 1:], corpus.first_column, axis=0)
        self.num_columns, self.num_tables = corpus.num_columns, corpus.num_tables
        # The tables of a database lie together.
        self._first_table = np.append(np.flatnonzero(np.diff(corpus.database.numpy(), prepend=-1)), corpus.num_tables)
        self._code = torch.from_numpy(code).t()
        self._columns = (vector, about[:, 0].copy(), corpus.column_ptr.numpy().view(np.uint64), reach)

    def at_once(self, phrases: Sequence[Sequence[str]]) -> int:
        """How many questions with these phrases are to be compared together at most."""
        most = max(map(len, phrases), default=1)
        return max(1, PRODUCTS_AT_ONCE // (self.num_columns * max(most, 1)))

    def similarity(self, query: Tensor) -> Array:
        """``[B, T]`` what :meth:`~joingr_pyg.corpus.Corpus.best_similarity` is for ``[B, d]`` questions."""
        from joingr_pyg.models.column_kernel import refine

        *coded, best = room = self._room(query)
        self._compare(*room)
        refine(self._columns, tuple(coded), np.float32(SURE), np.ones(best.shape, bool), best)
        return best

    def phrase_matches(self, phrases: Sequence[Sequence[str]], encode: Callable[[list[str]], Tensor]) -> Matcher:
        """The function :func:`~joingr_pyg.models.phrase_matches.phrase_matches` of some questions, made ready.

        A phrase gives most tables next to nothing. Those whose shares are below :data:`COUNTS` and
        :data:`COUNTS_WITHIN` keep the similarity of their codes, and are off by about a hundredth of these.

        Args:
            phrases: Phrases of each of ``B`` questions.
            encode: Makes vectors ``[P, d]`` of phrases.
        """
        from joingr_pyg.models.column_kernel import phrase_matches, refine, want

        number: dict[str, int] = {}
        each = [number.setdefault(phrase, len(number)) for phrase in chain.from_iterable(phrases)]
        if not number:
            return lambda begin, end, whole: PhraseMatches(*np.zeros((3, *whole.shape), np.float32))
        phrase = np.array(each)
        ptr = np.zeros(len(phrases) + 1, np.int64)
        np.cumsum([len(some) for some in phrases], out=ptr[1:])
        *coded, best = room = self._room(encode(list(number)))

        def compare(begin: int, end: int) -> None:
            with one_thread():
                self._compare(*(part[begin:end] for part in room))

        share_out(compare, len(number), least=-(-WORTH_A_THREAD // self.num_columns))
        constants = np.array([SHARPNESS, CONTEXT, COUNTS, COUNTS_WITHIN], np.float32)

        def matches(begin: int, end: int, whole: Array) -> PhraseMatches[Array]:
            # Of its own: what another thread refines must not change what this one sees.
            similarity, wanted = best.copy(), np.zeros(best.shape, bool)
            asked = (whole, ptr[begin : end + 1], phrase, constants, similarity, self._first_table)
            want(*asked, wanted)
            refine(self._columns, tuple(coded), np.float32(LIKELY), wanted, similarity)
            found = PhraseMatches(*np.empty((3, *whole.shape), np.float32))
            phrase_matches(*asked, found)
            return found

        return matches

    def _room(self, vectors: Tensor) -> tuple[Array, Array, Array, Array]:
        """Vectors, and room for what :meth:`_compare` writes: similarities come last."""
        return (
            _floats(vectors),
            np.empty((len(vectors), 3), np.float32),
            np.empty((len(vectors), self.num_columns), np.int32),
            np.empty((len(vectors), self.num_tables), np.float32),
        )

    def _compare(self, vector: Array, about: Array, product: Array, best: Array) -> None:
        """Write what is known of the codes of vectors, products with those of columns, and similarities by these."""
        from joingr_pyg.models.column_kernel import encode, rough_similarities

        code, about[:] = encode(vector)
        torch._int_mm(torch.from_numpy(code), self._code, out=torch.from_numpy(product))
        rough_similarities(self._columns, (vector, about, product), best)


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


def _floats(vectors: Tensor) -> Array:
    return vectors.detach().float().contiguous().numpy()
