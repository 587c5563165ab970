"""Anchor tables by nearest columns (section 3.2.2)."""

from math import isqrt
from typing import NamedTuple

import faiss
import numpy as np
import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.errors import JoinGRError


class TableHits(NamedTuple):
    """Tables found for ``B`` questions, best first; absent ones at the end are ``-1`` with score ``-inf``.

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
"""Columns up to which an index is exact by default: comparing a question with all of them takes about 5 ms."""

PROBES = 48
"""Clusters that a question is compared with: 99 of 100 anchors among a million columns, and more among fewer."""

COLUMNS_A_CLUSTER = 64
"""Columns sampled for each cluster when clusters are made."""


class ColumnIndex:
    """A FAISS index over the columns of a corpus that answers with tables.

    ``"exact"`` compares a question with every column. ``"approximate"`` sorts columns into as many clusters as the
    square root of their number, and compares a question with those of the nearest clusters only, first in 8 bits a
    number, which is a quarter of the memory, then the best of them exactly: a table may be missed, but the scores of
    those found are exact as well.

    Args:
        corpus: The corpus to search.
        kind: ``"exact"`` or ``"approximate"``; by default exact up to :data:`EXACT_COLUMNS` columns.
        probes: Clusters that an approximate search compares with, at least 1.

    Raises:
        JoinGRError: If there is no such kind, or ``probes`` is below 1.
    """

    def __init__(self, corpus: Corpus, kind: str | None = None, probes: int = PROBES) -> None:
        if kind not in (None, *KINDS):
            raise JoinGRError(f"There is no index of kind {kind!r}: choose {' or '.join(map(repr, KINDS))}.")
        if probes < 1:
            raise JoinGRError(f"'probes' needs to be at least 1 (got {probes}).")
        self.kind = kind or ("exact" if corpus.num_columns <= EXACT_COLUMNS else "approximate")
        self.probes = probes
        self._bind(corpus)
        self._clusters = _clustered(self._x) if self.kind == "approximate" else None

    def extend(self, corpus: Corpus) -> None:
        """Go over to a corpus that :meth:`Corpus.extended` made of the present one; only what was added is indexed.

        Clusters stay as they are: once most columns are added ones, a new index finds more.

        Raises:
            JoinGRError: If ``corpus`` is no extension of the present one.
        """
        known = self.corpus.num_columns
        if corpus.tables[: self.corpus.num_tables] != self.corpus.tables or corpus.num_columns < known:
            raise JoinGRError("An index extends to extensions of its own corpus alone: make a new one of others.")
        self._bind(corpus)
        if self._clusters is not None:
            self._clusters.add(self._x[known:])

    def _bind(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._owner = corpus.owner.cpu().numpy()
        # The corpus's own memory, where it is on the CPU and in single precision.
        self._x = np.ascontiguousarray(corpus.x.detach().cpu().numpy(), dtype=np.float32)

    def search(self, query: Tensor, k: int, columns: int = 100) -> TableHits:
        """Find the ``k`` tables with the most similar column.

        Args:
            query: ``[B, d]`` normalised question embeddings.
            k: Number of tables, at least 1.
            columns: Nearest columns to look at first; doubled for the questions for which columns further away could
                matter, until they cannot or all columns were seen, so that an exact index's answer is exact.

        Raises:
            JoinGRError: If ``k`` is below 1.
        """
        if k < 1:
            raise JoinGRError(f"K needs to be at least 1 (got {k}).")
        vectors = np.ascontiguousarray(query.detach().cpu().numpy(), dtype=np.float32)
        wanted = min(k, self.corpus.num_tables)
        best = _no_hits(len(vectors), k)
        todo, width, probes = np.arange(len(vectors)), max(columns, k), self.probes
        while todo.size:
            width = min(width, self.corpus.num_columns)
            found = self._nearest(vectors[todo], width, probes)
            hits = self._tables(*found, k)
            seen_all = width == self.corpus.num_columns and (self._clusters is None or probes >= self._clusters.nlist)
            # Columns as near as the last one seen may be missing, and with them a table that a tie puts first.
            done = (hits[1][:, wanted - 1] > found[0].min(axis=1)) | seen_all
            for kept, new in zip(best, hits, strict=True):
                kept[todo[done]] = new[done]
            todo, width, probes = todo[~done], 2 * width, 2 * probes
        return TableHits(*(torch.from_numpy(a).to(query.device) for a in best))

    def _nearest(self, vectors: np.ndarray, width: int, probes: int) -> tuple[np.ndarray, np.ndarray]:
        """Scores and numbers of the nearest columns, ``[B, width]`` each; absent ones are ``-inf`` and ``-1``."""
        if self._clusters is None:
            return faiss.knn(vectors, self._x, width, metric=faiss.METRIC_INNER_PRODUCT)
        parameters = faiss.SearchParametersIVF()
        parameters.nprobe = min(probes, self._clusters.nlist)
        _, column = self._clusters.search(vectors, width, params=parameters)
        # No matrix product: the threads of one take longer to wake up than this takes.
        score = [np.einsum("cd,d->c", self._x[near], vector) for near, vector in zip(column, vectors, strict=True)]
        return np.where(column < 0, -np.inf, np.stack(score)), column

    def _tables(self, score: np.ndarray, column: np.ndarray, k: int) -> tuple[np.ndarray, ...]:
        """The best ``k`` tables among the columns of each row; equal scores go by table, then column number."""
        rows, width = column.shape
        owner = np.where(column >= 0, self._owner[column], -1)
        row = np.repeat(np.arange(rows), width)
        order = np.lexsort((column.ravel(), owner.ravel(), -score.ravel(), row))
        key = (row * self.corpus.num_tables + owner.ravel())[order]
        order = order[np.sort(np.unique(key, return_index=True)[1])]
        order = order[owner.ravel()[order] >= 0]
        place = np.arange(order.size) - np.searchsorted(row[order], row[order])
        order, place = order[place < k], place[place < k]
        hits = _no_hits(rows, k)
        for hit, values in zip(hits, (owner, score, column), strict=True):
            hit[row[order], place] = values.ravel()[order]
        return hits


def _no_hits(rows: int, k: int) -> tuple[np.ndarray, ...]:
    """Table, score and column of ``[rows, k]`` absent hits."""
    shape = (rows, k)
    return np.full(shape, -1, np.int64), np.full(shape, -np.inf, np.float32), np.full(shape, -1, np.int64)


def _clustered(x: np.ndarray) -> faiss.IndexIVF:
    count, size = x.shape
    clusters = max(1, isqrt(count))
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(size), size, clusters, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    index.cp.min_points_per_centroid = 1  # Otherwise FAISS prints warnings on small corpora.
    sample = np.random.default_rng(0).choice(count, min(count, COLUMNS_A_CLUSTER * clusters), replace=False)
    index.train(x[np.sort(sample)])
    index.add(x)
    return index


def diverse_anchors(hits: TableHits, corpus: Corpus, k: int, weight: float) -> TableHits:
    r"""Choose anchors by maximal marginal relevance (the MMR weight of Appendix B).

    The next anchor maximises :math:`\lambda s(t|q) - (1 - \lambda) \max_{t'} \langle r_t, r_{t'} \rangle` over the
    anchors :math:`t'` chosen before.

    Args:
        hits: Candidates, more than ``k``.
        corpus: The corpus they come from.
        k: Number of anchors.
        weight: :math:`\lambda` from 0 (diversity alone) to 1 (relevance alone).

    Returns:
        The chosen anchors in the order chosen.
    """
    present = hits.table >= 0
    vectors = corpus.x[hits.column.clamp(min=0)]
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
    # A row with fewer candidates than anchors repeats a spent one: its table is marked absent.
    spent = present.sum(dim=1, keepdim=True) <= torch.arange(order.size(1), device=order.device)
    table, score, column = (part.gather(1, order) for part in hits)
    return TableHits(table.masked_fill(spent, -1), score.masked_fill(spent, -torch.inf), column.masked_fill(spent, -1))
