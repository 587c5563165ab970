"""REaR: retrieve, expand, refine (Agarwal et al., 2025)."""

from typing import Self

import numpy as np
import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.encoders import PairScorer
from joingr_pyg.errors import require_at_least
from joingr_pyg.models.retriever import Ranking, Retriever, rank_dense
from joingr_pyg.progress import bar
from joingr_pyg.schema.descriptors import TABLE_COLUMNS
from joingr_pyg.schema.names.readable import readable_name


class Rear(Retriever):
    r"""Retrieves similar tables, expands them by joinable tables, and reranks.

    1. Retrieve the tables with the highest :math:`s(t|q)`.
    2. Expand: for each of them, add the most joinable tables. Joinability is the highest cosine between columns of the
       two tables, whether a join is declared or not.
    3. Refine: a cross-encoder scores the question with the text of each table, ``"table ... in database ...; columns:
       ..."``. A variant without a cross-encoder uses the cosine between the embeddings of the two instead.

    Tables that are neither retrieved nor added are ranked last, by :math:`s(t|q)`.

    Args:
        retrieved: Number of tables retrieved, at least 1.
        expansions: Number of tables added for each retrieved table, at least 0.
        refiner: The cross-encoder. ``None`` is the variant with the bi-encoder.

    Raises:
        JoinGRError: If an argument is out of range.
    """

    def __init__(self, retrieved: int = 15, expansions: int = 3, refiner: PairScorer | None = None) -> None:
        super().__init__()
        require_at_least(1, retrieved=retrieved)
        require_at_least(0, expansions=expansions)
        self.retrieved = retrieved
        self.expansions = expansions
        self.refiner = refiner

    def index(self, corpus: Corpus) -> Self:
        if self.refiner is not None:
            self.refiner.require()
        self._joinable: dict[int, np.ndarray] = {}
        return super().index(corpus)

    def rank(self, queries: Queries, k: int) -> Ranking:
        similarity, _ = self.corpus.similarity(queries.vector)
        texts = queries.text if self.refiner is None else queries.require_text("rear")
        hits = self.columns.search(queries.vector, self.retrieved).table.tolist()
        scores = torch.empty_like(similarity)
        shown = bar(
            "Refining (rear)", len(hits), "question", iterable=hits, **({} if self.refiner else {"disable": True})
        )
        for row, retrieved in enumerate(shown):
            pool = self.expand([table for table in retrieved if table >= 0])
            refined = self._refined_scores(texts[row] if texts else "", queries.vector[row], pool).to(scores)
            # Similarities are between -1 and 1, so these scores are at most the lowest of the pool minus 1.
            scores[row] = refined.min() - 2 + similarity[row]
            scores[row, pool] = refined
        return rank_dense(scores, k)

    def expand(self, tables: list[int]) -> list[int]:
        """The tables and those most joinable with each of them, without duplicates, ascending."""
        return sorted({*tables, *(int(other) for table in tables for other in self._most_joinable(table))})

    def _most_joinable(self, table: int) -> np.ndarray:
        """The ``expansions`` tables most joinable with a table; ties are broken by table number."""
        if table not in self._joinable:
            corpus = self.corpus
            columns = slice(*corpus.column_ptr[table : table + 2].tolist())
            cosine = (corpus.x[columns] @ corpus.x.t()).amax(dim=0).cpu().numpy()
            score = np.maximum.reduceat(cosine, corpus.first_column)
            score[table] = -np.inf
            count = min(self.expansions, corpus.num_tables - 1)
            self._joinable[table] = np.argsort(-score, kind="stable")[:count]
        return self._joinable[table]

    def _refined_scores(self, question: str, query: Tensor, pool: list[int]) -> Tensor:
        if self.refiner is None:
            return self.corpus.table_x[pool] @ query
        return self.refiner.score(question, [table_text(self.corpus, table) for table in pool])


def table_text(corpus: Corpus, table: int) -> str:
    """The text of a table for the cross-encoder: its name, its database and its first columns."""
    database, name = corpus.tables[table]
    first, last = corpus.column_ptr[table : table + 2].tolist()
    columns = corpus.columns[first : min(last, first + TABLE_COLUMNS)]
    return f"table {name} in database {database}; columns: {', '.join(map(readable_name, columns))}"
