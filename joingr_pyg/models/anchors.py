"""Anchor tables by nearest columns (section 3.2.2)."""

from typing import NamedTuple

import faiss
import numpy as np
import torch
from torch import Tensor

from joingr_pyg.corpus import Corpus
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


class ColumnIndex:
    """A FAISS index over the columns of a corpus that answers with tables.

    Args:
        corpus: The corpus to search.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._owner = corpus.owner.cpu().numpy()
        self._index = faiss.IndexFlatIP(corpus.x.size(1))
        self._index.add(np.ascontiguousarray(corpus.x.cpu().numpy(), dtype=np.float32))

    def search(self, query: Tensor, k: int, columns: int = 100) -> TableHits:
        """Find the ``k`` tables with the most similar column.

        Args:
            query: ``[B, d]`` normalised question embeddings.
            k: Number of tables, at least 1.
            columns: Nearest columns to look at first; doubled for the questions for which columns further away could
                matter, until they cannot or all columns were seen, so the answer is exact.

        Raises:
            JoinGRError: If ``k`` is below 1.
        """
        if k < 1:
            raise JoinGRError(f"K needs to be at least 1 (got {k}).")
        vectors = np.ascontiguousarray(query.detach().cpu().numpy(), dtype=np.float32)
        wanted = min(k, self.corpus.num_tables)
        table = np.full((len(vectors), k), -1, np.int64)
        score = np.full((len(vectors), k), -np.inf, np.float32)
        column = np.full((len(vectors), k), -1, np.int64)
        todo, width = np.arange(len(vectors)), max(columns, k)
        while todo.size:
            width = min(width, self.corpus.num_columns)
            found = self._index.search(vectors[todo], width)
            hits = self._tables(*found, k)
            # Columns as near as the last one seen may be missing, and with them a table that a tie puts first.
            done = (hits[1][:, wanted - 1] > found[0][:, -1]) | (width == self.corpus.num_columns)
            for kept, new in zip((table, score, column), hits, strict=True):
                kept[todo[done]] = new[done]
            todo, width = todo[~done], 2 * width
        return TableHits(*(torch.from_numpy(a).to(query.device) for a in (table, score, column)))

    def _tables(self, score: np.ndarray, column: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
        hits = (
            np.full((rows, k), -1, np.int64),
            np.full((rows, k), -np.inf, np.float32),
            np.full((rows, k), -1, np.int64),
        )
        for hit, values in zip(hits, (owner, score, column), strict=True):
            hit[row[order], place] = values.ravel()[order]
        return hits


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
