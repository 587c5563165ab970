"""The retrieval pool: the disjoint union of the join graphs of all databases, as tensors."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, compress
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from joingr_pyg.data.graph import SchemaTensors
from joingr_pyg.data.growing_rows import GrowingRows
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import TableName

if TYPE_CHECKING:
    from torch_geometric.data import HeteroData

PAIRS_AT_ONCE = 1 << 15
"""Columns compared at once by :meth:`Corpus.similarity_of`; this bounds its memory."""

SAMPLED_TABLES = 100
"""Tables whose median similarity stands for that of all tables of a large corpus."""


@dataclass(frozen=True, eq=False)
class WalkGraph:
    """What walks read of some databases: ``T`` tables, ``N`` columns, ``J`` joins, with vectors in single precision.

    Attributes:
        table: ``[T]`` numbers of the tables in the corpus.
        edge_index: ``[2, J]`` tables that each join connects.
        edge_attr: ``[J, d]`` join embeddings.
        edge_weight: ``[J]`` confidence in each join.
        x: ``[N, d]`` column embeddings.
        first_column: ``[T + 1]`` the columns of table ``t`` are ``first_column[t]:first_column[t + 1]``.
    """

    table: np.ndarray
    edge_index: Tensor
    edge_attr: Tensor
    edge_weight: Tensor
    x: Tensor
    first_column: np.ndarray


@dataclass(frozen=True, eq=False)
class Corpus:
    """The tables among which retrieval chooses: ``T`` tables, ``N`` columns, ``J`` join edges.

    Attributes:
        tables: ``T`` names ``(database, table)``. The position of a table is its number everywhere.
        columns: ``N`` column names.
        x: ``[N, d]`` column embeddings.
        owner: ``[N]`` table of each column, ascending.
        join_index: ``[2, J]`` joined columns, referencing then referenced.
        edge_attr: ``[J, d]`` join embeddings.
        edge_weight: ``[J]`` confidence in each join, above 0 and at most 1.
        table_x: ``[T, d]`` table embeddings.
        summary_x: ``[T, d]`` embeddings of the summaries of tables.
        titles: ``T`` readable names.
        documents: ``T`` texts with the words of each table, for lexical matching.
        summaries: ``T`` summaries of tables: name and description.
    """

    tables: tuple[TableName, ...]
    columns: tuple[str, ...]
    x: Tensor
    owner: Tensor
    join_index: Tensor
    edge_attr: Tensor
    edge_weight: Tensor
    table_x: Tensor
    summary_x: Tensor
    titles: tuple[str, ...]
    documents: tuple[str, ...]
    summaries: tuple[str, ...]
    _rows: dict[str, GrowingRows] = field(default_factory=lambda: defaultdict(GrowingRows), repr=False)

    @classmethod
    def from_graphs(cls, graphs: Sequence["HeteroData"]) -> "Corpus":
        """Pool join graphs made by :func:`joingr_pyg.data.graph.join_graph`, without SQLite's internal tables.

        Raises:
            JoinGRError: If there is no table, or two databases share a name.
        """
        return cls.from_tensors([SchemaTensors.of_graph(graph) for graph in graphs])

    @classmethod
    def from_tensors(cls, schemas: Sequence[SchemaTensors]) -> "Corpus":
        """Pool the tensors of schemas. Result and errors are those of :meth:`from_graphs`."""
        if not schemas or all(schema.internal.all() for schema in schemas):
            raise JoinGRError("A corpus needs at least one database with a table.")
        _require_distinct([schema.database for schema in schemas])
        parts = [_pooled(schema) for schema in schemas]
        tables, columns = [part.tables for part in parts], [part.columns for part in parts]
        return cls(
            tables=tuple(chain.from_iterable(tables)),
            columns=tuple(chain.from_iterable(columns)),
            x=torch.cat([part.x for part in parts]),
            owner=_concatenate_indices([part.owner for part in parts], tables),
            join_index=_concatenate_indices([part.join_index for part in parts], columns),
            edge_attr=torch.cat([part.edge_attr for part in parts]),
            edge_weight=torch.cat([part.edge_weight for part in parts]),
            table_x=torch.cat([part.table_x for part in parts]),
            summary_x=torch.cat([part.summary_x for part in parts]),
            titles=tuple(chain.from_iterable(part.titles for part in parts)),
            documents=tuple(chain.from_iterable(part.documents for part in parts)),
            summaries=tuple(chain.from_iterable(part.summaries for part in parts)),
        )

    def extended(self, graphs: Sequence["HeteroData"]) -> "Corpus":
        """A corpus with further databases. Existing tables keep their numbers.

        Both corpora share memory: new embeddings are written after the existing ones. If there is no space left, as in
        the first call, all embeddings are copied to a buffer that is half as large again.

        Raises:
            JoinGRError: If there is no table to add, or a database of that name exists.
        """
        return self.joined(Corpus.from_graphs(graphs))

    def joined(self, more: "Corpus") -> "Corpus":
        """A corpus with the databases of another one behind its own, as :meth:`extended` makes it.

        Raises:
            JoinGRError: If a database is in both.
        """
        databases = (dict.fromkeys(name for name, _ in corpus.tables) for corpus in (self, more))
        _require_distinct(list(chain.from_iterable(databases)))
        return Corpus(
            tables=self.tables + more.tables,
            columns=self.columns + more.columns,
            x=self._rows["x"].append(self.x, more.x),
            owner=torch.cat([self.owner, more.owner + self.num_tables]),
            join_index=torch.cat([self.join_index, more.join_index + self.num_columns], dim=1),
            edge_attr=self._rows["edge_attr"].append(self.edge_attr, more.edge_attr),
            edge_weight=torch.cat([self.edge_weight, more.edge_weight]),
            table_x=self._rows["table_x"].append(self.table_x, more.table_x),
            summary_x=self._rows["summary_x"].append(self.summary_x, more.summary_x),
            titles=self.titles + more.titles,
            documents=self.documents + more.documents,
            summaries=self.summaries + more.summaries,
            _rows=self._rows,
        )

    @property
    def num_tables(self) -> int:
        return len(self.tables)

    @property
    def num_columns(self) -> int:
        return self.x.size(0)

    @property
    def in_half_precision(self) -> bool:
        """Whether vectors are in half precision; they may lie on disk then, and are never copied as a whole."""
        return self.x.dtype == torch.float16

    @cached_property
    def edge_index(self) -> Tensor:
        """``[2, J]`` tables that each join edge connects. An edge within one table is a self-loop."""
        return self.owner[self.join_index]

    @cached_property
    def table_number(self) -> dict[TableName, int]:
        """The number of each table, by name."""
        return {name: number for number, name in enumerate(self.tables)}

    @cached_property
    def database(self) -> Tensor:
        """``[T]`` database number of each table. Databases are numbered in order of their first table."""
        number = {name: i for i, name in enumerate(dict.fromkeys(database for database, _ in self.tables))}
        return torch.tensor([number[database] for database, _ in self.tables], device=self.owner.device)

    @cached_property
    def database_ptr(self) -> np.ndarray:
        """``[D + 1]`` offsets: the tables of database ``d`` are ``database_ptr[d]:database_ptr[d + 1]``."""
        return np.append(np.flatnonzero(np.diff(self.database.cpu().numpy(), prepend=-1)), self.num_tables)

    @cached_property
    def _join_ptr(self) -> np.ndarray:
        """``[D + 1]`` offsets of the joins of each database, likewise."""
        database = self.database[self.edge_index[0]].cpu().numpy()
        return np.searchsorted(database, np.arange(len(self.database_ptr)))

    def tables_of(self, databases: np.ndarray) -> np.ndarray:
        """The numbers of the tables of some databases, database after database."""
        return _ranges(self.database_ptr, databases)

    def joins_of(self, databases: np.ndarray) -> np.ndarray:
        """The numbers of the joins of some databases, likewise."""
        return _ranges(self._join_ptr, databases)

    def walk_graph(self, databases: np.ndarray) -> "WalkGraph":
        """The tables and joins of some databases, numbered from 0, database after database.

        Only their own vectors are read, so that a corpus may lie on disk.

        Args:
            databases: Numbers of databases, ascending.
        """
        table, join = self.tables_of(databases), self.joins_of(databases)
        first, ptr = self.column_ptr.cpu().numpy(), np.append(0, np.cumsum(np.diff(self.database_ptr)[databases]))
        shift = ptr[:-1] - self.database_ptr[databases]
        ends = self.edge_index[:, join].cpu().numpy()
        shifts = shift.repeat(np.diff(self._join_ptr)[databases])
        column = _ranges(first, table)
        return WalkGraph(
            table=table,
            edge_index=torch.from_numpy(ends + shifts),
            edge_attr=self.edge_attr[join].float(),
            edge_weight=self.edge_weight[join],
            x=self.x[column].float(),
            first_column=np.append(0, np.cumsum(np.diff(first)[table])),
        )

    def join_name(self, edge: int) -> str:
        """A join in SQL notation: ``"a.x = b.y"``."""
        ends = (f"{self.tables[self.owner[c]][1]}.{self.columns[c]}" for c in self.join_index[:, edge].tolist())
        return " = ".join(ends)

    @cached_property
    def first_column(self) -> np.ndarray:
        """``[T]`` first column of each table. Each table has at least one column."""
        return np.flatnonzero(np.diff(self.owner.cpu().numpy(), prepend=-1))

    @cached_property
    def column_ptr(self) -> Tensor:
        """``[T + 1]`` offsets: the columns of table ``t`` are ``column_ptr[t]:column_ptr[t + 1]``."""
        first = torch.from_numpy(self.first_column).to(self.owner.device)
        return F.pad(first, (0, 1), value=self.num_columns)

    def similarity(self, query: Tensor) -> tuple[Tensor, Tensor]:
        r"""Semantic table scores and best columns (section 3.2.2).

        Args:
            query: ``[B, d]`` normalised question embeddings.

        Returns:
            ``[B, T]`` :math:`s(t|q) = \max_{v \in V(t)} \langle q, v \rangle`, and ``[B, T]`` the column of the
            maximum (the first one if several columns have it).
        """
        scores, best = self._similarity(query)
        # Argmax over ragged segments: the first column with the maximum of its table.
        owner = self.owner.cpu().numpy()
        candidates = np.where(scores == best[:, owner], np.arange(owner.size), owner.size)
        column = np.minimum.reduceat(candidates, self.first_column, axis=1)
        return torch.from_numpy(best).to(query.device), torch.from_numpy(column).to(query.device)

    def best_similarity(self, query: Tensor) -> Tensor:
        """The ``[B, T]`` scores of :meth:`similarity` for embeddings ``[B, d]``, without the best columns."""
        return torch.from_numpy(self._similarity(query)[1]).to(query.device)

    def _similarity(self, query: Tensor) -> tuple[np.ndarray, np.ndarray]:
        """``[B, N]`` cosines of columns, and ``[B, T]`` the maximum of each table."""
        scores = (query @ self.x.t()).cpu().numpy()
        return scores, np.maximum.reduceat(scores, self.first_column, axis=1)

    def median_similarity(self, query: Tensor) -> Tensor:
        """``[B]`` medians of :meth:`similarity` over at most :data:`SAMPLED_TABLES` evenly spaced tables."""
        x, first = self._sample
        scores = (query @ x.t().to(query)).cpu().numpy()
        return torch.from_numpy(np.maximum.reduceat(scores, first, axis=1)).median(dim=1).values

    @cached_property
    def _sample(self) -> tuple[Tensor, np.ndarray]:
        """Columns of evenly spaced tables, and the first column of each."""
        table = np.arange(0, self.num_tables, -(-self.num_tables // SAMPLED_TABLES))
        ptr = np.append(self.first_column, self.num_columns)
        column = np.concatenate([np.arange(ptr[number], ptr[number + 1]) for number in table])
        width = ptr[table + 1] - ptr[table]
        return self.x[torch.from_numpy(column)], width.cumsum() - width

    def similarity_of(self, query: Tensor, question: Tensor, table: Tensor) -> tuple[Tensor, Tensor]:
        """:meth:`similarity` for ``P`` pairs of a question and a table, at a cost linear in the number of pairs.

        Args:
            query: ``[B, d]`` normalised question embeddings.
            question: ``[P]`` question of each pair.
            table: ``[P]`` table of each pair.

        Returns:
            ``[P]`` similarities and ``[P]`` best columns.
        """
        first = self.column_ptr[table]
        width = self.column_ptr[table + 1] - first
        start = width.cumsum(0) - width
        pair = torch.arange(table.numel(), device=query.device).repeat_interleave(width)
        column = first[pair] + torch.arange(pair.numel(), device=query.device) - start[pair]
        if len(query) == 1:
            score = self.x[column].float() @ query[0]
        else:
            score = torch.cat(
                [
                    (query[question[pair[rows]]] * self.x[column[rows]].float()).sum(dim=1)
                    for rows in torch.arange(pair.numel(), device=query.device).split(PAIRS_AT_ONCE)
                ]
                or [query.new_zeros(0)]
            )
        best = score.new_full(table.shape, -torch.inf).scatter_reduce(0, pair, score, "amax")
        candidate = column.where(score == best[pair], self.num_columns)
        return best, candidate.new_full(table.shape, self.num_columns).scatter_reduce(0, pair, candidate, "amin")


def _pooled(schema: SchemaTensors) -> Corpus:
    """The corpus of one schema without internal tables; it may be empty."""
    kept = ~schema.internal
    column = kept[schema.owner]
    join = column[schema.join_index].all(dim=0)
    number = column.cumsum(0) - 1
    return Corpus(
        tables=tuple((schema.database, name) for name in compress(schema.tables, kept.tolist())),
        columns=tuple(compress(schema.columns, column.tolist())),
        x=_select(schema.x, column),
        owner=(kept.cumsum(0) - 1)[schema.owner[column]],
        join_index=number[schema.join_index[:, join]],
        edge_attr=_select(schema.edge_attr, join),
        edge_weight=schema.confidence[join],
        table_x=_select(schema.table_x, kept),
        summary_x=_select(schema.summary_x, kept),
        titles=tuple(compress(schema.titles, kept.tolist())),
        documents=tuple(compress(schema.documents, kept.tolist())),
        summaries=tuple(compress(schema.summaries, kept.tolist())),
    )


def _ranges(ptr: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The numbers ``ptr[n]`` to ``ptr[n + 1]`` for each of some ``n``, one after the other."""
    size = ptr[numbers + 1] - ptr[numbers]
    start = size.cumsum() - size
    return np.arange(size.sum()) + (ptr[numbers] - start).repeat(size)


def _select(vectors: Tensor, mask: Tensor) -> Tensor:
    # Without a copy if all rows are selected, which would double the memory of large corpora.
    return vectors if mask.all() else vectors[mask]


def _concatenate_indices(indices: Sequence[Tensor], items: Sequence[Sequence[object]]) -> Tensor:
    """Concatenate indices into lists of items, shifted to indices into the concatenated lists."""
    sizes, lengths = torch.tensor(
        [[len(part) for part in items], [index.size(-1) for index in indices]], device=indices[0].device
    )
    return torch.cat(list(indices), dim=-1) + (sizes.cumsum(0) - sizes).repeat_interleave(lengths)


def _require_distinct(databases: Sequence[str]) -> None:
    name, count = Counter(databases).most_common(1)[0]
    if count > 1:
        raise JoinGRError(f"Two databases of a corpus are named {name!r}: give them different names.")
