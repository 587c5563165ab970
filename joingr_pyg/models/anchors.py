"""Anchor tables by their nearest columns (section 3.2.2)."""

from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.errors import JoinGRError

if TYPE_CHECKING:
    import faiss


class TableHits(NamedTuple):
    """The most similar tables of ``B`` questions, best first, padded with number ``-1`` and score ``-inf``.

    Attributes:
        table: ``[B, k]`` table numbers.
        score: ``[B, k]`` similarities ``s(t|q)``.
        column: ``[B, k]`` best column of each table.
    """

    table: Tensor
    score: Tensor
    column: Tensor


KINDS = ("exact", "approximate")

EXACT_COLUMNS = 50_000
"""Maximum number of columns of an index that is exact by default; an exact search in them takes about 5 ms."""

PROBES = 48
"""Clusters searched per question. This finds 99 % of anchors among a million columns, and more among fewer columns."""

COLUMNS_AT_ONCE = 1 << 17
"""Columns converted to single precision at once."""

COLUMNS_PER_CLUSTER = 64
"""Columns sampled per cluster to train the clusters."""


class ColumnIndex:
    """A FAISS index over the columns of a corpus that returns tables.

    An ``"exact"`` index compares a question with all columns. An ``"approximate"`` index groups ``N`` columns into
    ``sqrt(N)`` clusters. A question is compared with the columns of the nearest clusters only, first with 8-bit
    quantised embeddings, and then the best of them exactly. It may miss a table, but its scores are exact.

    Args:
        corpus: The corpus to search.
        kind: ``"exact"`` or ``"approximate"``. The default is exact up to :data:`EXACT_COLUMNS` columns.
        probes: Clusters searched by an approximate index, at least 1.
        file: What :meth:`write` wrote for an approximate index of these columns, which is read from disk where it is
            searched; by default columns are indexed now.

    Raises:
        JoinGRError: If there is no such kind, ``probes`` is below 1, or the file is damaged or of other columns.
    """

    def __init__(
        self, corpus: Corpus, kind: str | None = None, probes: int = PROBES, file: str | Path | None = None
    ) -> None:
        if kind not in (None, *KINDS):
            raise JoinGRError(f"There is no index of kind {kind!r}: choose {' or '.join(map(repr, KINDS))}.")
        if probes < 1:
            raise JoinGRError(f"'probes' needs to be at least 1 (got {probes}).")
        self.kind = kind or ("exact" if corpus.num_columns <= EXACT_COLUMNS else "approximate")
        self.probes = probes
        self._bind(corpus)
        self._clusters: faiss.IndexIVF | None = None
        if self.kind == "approximate":
            self._clusters = _make_clusters(self._x) if file is None else _read_clusters(Path(file), self._x.shape)

    def write(self, file: str | Path) -> None:
        """Write an approximate index.

        Raises:
            JoinGRError: If the index is exact, or the file cannot be written.
        """
        if self._clusters is None:
            raise JoinGRError("An exact index has nothing to write: make an approximate one.")
        import faiss

        try:
            faiss.write_index(self._clusters, str(file))
        except RuntimeError as error:
            raise JoinGRError(f"The index {str(file)!r} cannot be written: free space, or choose another.") from error

    def extend(self, corpus: Corpus) -> None:
        """Bind the index to a corpus made by :meth:`Corpus.extended`; only the added columns are indexed.

        Clusters are not trained again. If most columns were added, a new index is more accurate.

        Raises:
            JoinGRError: If ``corpus`` is not an extension of the present corpus.
        """
        indexed = self.corpus.num_columns
        if corpus.tables[: self.corpus.num_tables] != self.corpus.tables or corpus.num_columns < indexed:
            raise JoinGRError("The corpus is not an extension of the indexed corpus: make a new index for it.")
        self._bind(corpus)
        if self._clusters is not None:
            self._clusters.add(self._x[indexed:].astype(np.float32, copy=False))

    def _bind(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._owner = corpus.owner.cpu().numpy()
        # Without a copy if the corpus is on the CPU and in single precision, or half precision, which may lie on disk.
        x = corpus.x.detach().cpu().numpy()
        self._x = x if corpus.in_half_precision else np.ascontiguousarray(x, dtype=np.float32)

    def search(self, query: Tensor, k: int, columns: int = 100) -> TableHits:
        """Find the ``k`` tables with the most similar column.

        Args:
            query: ``[B, d]`` normalised question embeddings.
            k: Number of tables, at least 1.
            columns: Number of nearest columns in the first search. It is doubled for questions whose result further
                columns could change, so that the result of an exact index is exact.

        Returns:
            The tables, ``k`` per question.

        Raises:
            JoinGRError: If ``k`` is below 1.
        """
        if k < 1:
            raise JoinGRError(f"K needs to be at least 1 (got {k}).")
        vectors = np.ascontiguousarray(query.detach().cpu().numpy(), dtype=np.float32)
        num_tables = min(k, self.corpus.num_tables)
        best = _no_hits(len(vectors), k)
        pending, width, probes = np.arange(len(vectors)), max(columns, k), self.probes
        while pending.size:
            width = min(width, self.corpus.num_columns)
            score, column = self._nearest(vectors[pending], width, probes)
            hits = self._tables(score, column, k)
            all_columns = width == self.corpus.num_columns
            exhausted = all_columns and (self._clusters is None or probes >= self._clusters.nlist)
            # Further columns may tie with the farthest one, so the last table must be strictly more similar than it.
            done = (hits[1][:, num_tables - 1] > score.min(axis=1)) | exhausted
            for result, new in zip(best, hits, strict=True):
                result[pending[done]] = new[done]
            pending, width, probes = pending[~done], 2 * width, 2 * probes
        return TableHits(*(torch.from_numpy(array).to(query.device) for array in best))

    def _nearest(self, vectors: np.ndarray, width: int, probes: int) -> tuple[np.ndarray, np.ndarray]:
        """Scores and numbers of the nearest columns, ``[B, width]`` each, padded with ``-inf`` and ``-1``."""
        if self._clusters is None:
            return self._nearest_of_all(vectors, width)
        # Importing faiss takes a tenth of a second, and JoinGR+ needs no index.
        import faiss

        parameters = faiss.SearchParametersIVF()
        parameters.nprobe = min(probes, self._clusters.nlist)
        _, column = self._clusters.search(vectors, width, params=parameters)
        # A loop instead of a batched product, which would spend more time on starting threads.
        score = [
            np.einsum("cd,d->c", self._x[near].astype(np.float32, copy=False), vector)
            for near, vector in zip(column, vectors, strict=True)
        ]
        return np.where(column < 0, -np.inf, np.stack(score)), column

    def _nearest_of_all(self, vectors: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
        """The nearest of all columns, block by block where they have to be converted."""
        import faiss

        block = COLUMNS_AT_ONCE if self._x.dtype == np.float16 else max(len(self._x), 1)
        scores, columns = [], []
        for first in range(0, len(self._x), block):
            x = self._x[first : first + block].astype(np.float32, copy=False)
            score, column = faiss.knn(vectors, x, min(width, len(x)), metric=faiss.METRIC_INNER_PRODUCT)
            scores.append(score)
            columns.append(column + first)
        if len(scores) == 1:
            return scores[0], columns[0]
        score, column = np.hstack(scores), np.hstack(columns)
        order = np.argsort(-score, axis=1, kind="stable")[:, :width]
        return np.take_along_axis(score, order, axis=1), np.take_along_axis(column, order, axis=1)

    def _tables(self, score: np.ndarray, column: np.ndarray, k: int) -> tuple[np.ndarray, ...]:
        """The best ``k`` tables of the columns of each row; ties are broken by table number, then column number."""
        rows, width = column.shape
        owner = np.where(column >= 0, self._owner[column], -1)
        row = np.repeat(np.arange(rows), width)
        order = np.lexsort((column.ravel(), owner.ravel(), -score.ravel(), row))
        key = (row * self.corpus.num_tables + owner.ravel())[order]
        order = order[np.sort(np.unique(key, return_index=True)[1])]
        order = order[owner.ravel()[order] >= 0]
        rank = np.arange(order.size) - np.searchsorted(row[order], row[order])
        order, rank = order[rank < k], rank[rank < k]
        hits = _no_hits(rows, k)
        for hit, values in zip(hits, (owner, score, column), strict=True):
            hit[row[order], rank] = values.ravel()[order]
        return hits


def _no_hits(rows: int, k: int) -> tuple[np.ndarray, ...]:
    """Arrays ``[rows, k]`` of tables, scores and columns, filled with padding."""
    shape = (rows, k)
    return np.full(shape, -1, np.int64), np.full(shape, -np.inf, np.float32), np.full(shape, -1, np.int64)


def _make_clusters(x: np.ndarray) -> "faiss.IndexIVF":
    import faiss

    count, size = x.shape
    clusters = max(1, isqrt(count))
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(size), size, clusters, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    index.cp.min_points_per_centroid = 1  # Otherwise FAISS prints warnings on small corpora.
    sample = np.random.default_rng(0).choice(count, min(count, COLUMNS_PER_CLUSTER * clusters), replace=False)
    index.train(x[np.sort(sample)].astype(np.float32, copy=False))
    for first in range(0, count, COLUMNS_AT_ONCE):
        index.add(x[first : first + COLUMNS_AT_ONCE].astype(np.float32, copy=False))
    return index


def _read_clusters(file: Path, shape: tuple[int, ...]) -> "faiss.IndexIVF":
    """The clusters of ``shape`` columns, whose codes stay on disk."""
    import faiss

    try:
        index: Any = faiss.read_index(str(file), faiss.IO_FLAG_MMAP)
    except RuntimeError as error:
        raise JoinGRError(f"The index {str(file)!r} is missing or damaged: write it again.") from error
    if (index.ntotal, index.d) != shape:
        raise JoinGRError(
            f"The index {str(file)!r} is of {index.ntotal} vectors of length {index.d}, not of {shape[0]} of length "
            f"{shape[1]}: write it again."
        )
    return index


def diverse_anchors(hits: TableHits, vectors: Tensor, k: int, weight: float) -> TableHits:
    r"""Choose anchors by maximal marginal relevance (the MMR weight of Appendix B).

    Each step chooses the table that maximises :math:`\lambda s(t|q) - (1 - \lambda) \max_{t'} \langle r_t, r_{t'}
    \rangle`, where :math:`t'` are the anchors chosen before.

    Args:
        hits: ``C`` candidates a question, more than ``k``.
        vectors: ``[B, C, d]`` embeddings of their best columns.
        k: Number of anchors.
        weight: :math:`\lambda` from 0 (only diversity) to 1 (only relevance).

    Returns:
        The anchors in the order of choice.
    """
    present = hits.table >= 0
    relevance = torch.where(present, weight * hits.score, -torch.inf)
    redundancy = torch.zeros_like(hits.score)
    chosen: list[Tensor] = []
    for step in range(min(k, hits.table.size(1))):
        pick = (relevance - (1 - weight) * redundancy).argmax(dim=1, keepdim=True)
        chosen.append(pick)
        relevance = relevance.scatter(1, pick, -torch.inf)
        overlap = (vectors @ vectors.gather(1, pick.unsqueeze(-1).expand(-1, -1, vectors.size(-1))).mT).squeeze(-1)
        redundancy = overlap if step == 0 else torch.maximum(redundancy, overlap)
    order = torch.cat(chosen, dim=1)
    # Steps beyond the number of candidates of a row are padding.
    padding = present.sum(dim=1, keepdim=True) <= torch.arange(order.size(1), device=order.device)
    table, score, column = (part.gather(1, order) for part in hits)
    return TableHits(
        table.masked_fill(padding, -1), score.masked_fill(padding, -torch.inf), column.masked_fill(padding, -1)
    )
