"""The join graph of a database schema as ``HeteroData`` (Algorithm 1)."""

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import normalize

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database
from joingr_pyg.schema.descriptors import table_documents, table_summaries, table_titles
from joingr_pyg.schema.names.readable import is_internal

if TYPE_CHECKING:
    from torch_geometric.data import HeteroData

INTRA = ("column", "intra", "column")
JOIN = ("column", "join", "column")
OWNER = ("column", "of", "table")
TABLE_JOIN = ("table", "join", "table")


class SchemaTensors(NamedTuple):
    """The tables, columns and joins of one database as tensors: the part of its join graph that retrieval needs.

    Attributes:
        database: Name of the database.
        columns: ``C`` names of columns, in table then column order.
        x: ``[C, d]`` embeddings of columns.
        owner: ``[C]`` table of each column.
        tables: ``T`` names of tables.
        table_x: ``[T, d]`` embeddings of tables.
        summary_x: ``[T, d]`` embeddings of the summaries of tables.
        titles: ``T`` readable names of tables.
        documents: ``T`` texts with the words of each table.
        summaries: ``T`` summaries of tables: name and description.
        internal: ``[T]`` whether a table is an internal table of SQLite.
        join_index: ``[2, J]`` joined columns, referencing then referenced.
        edge_attr: ``[J, d]`` embeddings of joins.
        confidence: ``[J]`` probability that the two columns are joined.
    """

    database: str
    columns: list[str]
    x: Tensor
    owner: Tensor
    tables: list[str]
    table_x: Tensor
    summary_x: Tensor
    titles: list[str]
    documents: list[str]
    summaries: list[str]
    internal: Tensor
    join_index: Tensor
    edge_attr: Tensor
    confidence: Tensor

    @classmethod
    def of_graph(cls, graph: "HeteroData") -> "SchemaTensors":
        """The tensors of a graph made by :func:`join_graph`."""
        column, table, join = graph["column"], graph["table"], graph[JOIN]
        # Graphs stored by earlier versions have declared joins only, and no confidence.
        confidence = join.confidence if "confidence" in join else torch.ones(join.edge_index.size(1))
        return cls(
            *(graph.database, column.name, column.x, graph[OWNER].edge_index[1]),
            *(table.name, table.x, table.summary_x, table.title, table.document, table.summary, table.internal),
            *(join.edge_index, join.edge_attr, confidence),
        )


def schema_tensors(
    database: Database,
    columns: Tensor,
    joins: Tensor,
    tables: Tensor | None = None,
    summaries: Tensor | None = None,
) -> SchemaTensors:
    """Convert one database to tensors. Arguments and errors are those of :func:`join_graph`."""
    position = _positions(database)
    for what, vectors, count in (
        ("columns", columns, len(position)),
        ("joins", joins, len(database.joins)),
        ("tables", tables, len(database.tables)),
        ("summaries", summaries, len(database.tables)),
    ):
        if vectors is not None and vectors.size(0) != count:
            raise JoinGRError(
                f"Database {database.name!r} has {count} {what}, but {vectors.size(0)} embeddings were given for them."
            )
    owner = torch.tensor([number for number, table in enumerate(database) for _ in table.columns], dtype=torch.long)
    if tables is None:
        sums = columns.new_zeros(len(database.tables), columns.size(1)).index_add(0, owner, columns)
        tables = normalize(sums)
    ends = [
        (position[key.table, key.column], position[key.referenced_table, key.referenced_column])
        for key in database.joins
    ]
    confidence: dict[frozenset[tuple[str, str]], float] = defaultdict(float)
    for key in database.foreign_keys:
        confidence[key.endpoints] = max(confidence[key.endpoints], key.confidence)
    return SchemaTensors(
        database=database.name,
        columns=[column for _, column in position],
        x=columns,
        owner=owner,
        tables=[table.name for table in database],
        table_x=tables,
        summary_x=tables if summaries is None else summaries,
        titles=table_titles(database),
        documents=table_documents(database),
        summaries=table_summaries(database),
        internal=torch.tensor([is_internal(table.name) for table in database]),
        join_index=_edge_index(ends),
        edge_attr=joins,
        confidence=torch.tensor([confidence[key.endpoints] for key in database.joins], dtype=torch.float),
    )


def join_graph(
    database: Database,
    columns: Tensor,
    joins: Tensor,
    tables: Tensor | None = None,
    summaries: Tensor | None = None,
) -> "HeteroData":
    """Build the join graph of one database (section 3.1, Algorithm 1).

    Each edge is stored once: an ``intra`` edge from the non-key to the key column (between two keys in declaration
    order), and a ``join`` edge from the referencing to the referenced column.
    ``torch_geometric.transforms.ToUndirected`` adds the reverse edges for layers that need them. All graphs have all
    edge types, so they can be batched.

    Args:
        database: The schema, ``T`` tables with ``C`` columns and ``J`` distinct joins.
        columns: ``[C, d]`` embeddings of the column descriptors, in table then column order.
        joins: ``[J, d]`` embeddings of the join descriptors, in the order of :attr:`Database.joins`.
        tables: ``[T, d]`` embeddings of the table descriptors. The default is the normalised mean of the columns.
        summaries: ``[T, d]`` embeddings of the summaries of tables. The default is ``tables``.

    Returns:
        A graph with

        - ``data["column"]``: ``x`` ``[C, d]``, ``is_key`` ``[C]``, ``name``;
        - ``data["table"]``: ``x`` ``[T, d]``, ``summary_x`` ``[T, d]``, ``name``, ``title`` (readable name),
          ``document`` (words of the table), ``summary`` (name and description), ``internal`` ``[T]`` (an internal table
          of SQLite);
        - the edge types ``intra``, ``join`` (with ``edge_attr`` ``[J, d]`` and ``confidence`` ``[J]``, the highest
          confidence of the foreign keys on these columns) and ``of`` (from a column to its table);
        - the edge type ``join`` between tables, the same joins in the same order, which walks go along;
        - ``data.database``, the name of the database.

    Raises:
        JoinGRError: If the number of embeddings does not match the schema.
    """
    # Imported here since importing PyG is slow, and retrieval does not need it.
    from torch_geometric.data import HeteroData

    tensors = schema_tensors(database, columns, joins, tables, summaries)
    position = _positions(database)
    intra: list[tuple[int, int]] = []
    for table in database:
        keys = [position[table.name, c] for c in table.column_names if (table.name, c) in database.keys]
        non_keys = [position[table.name, c] for c in table.column_names if (table.name, c) not in database.keys]
        intra += [(non_key, key) for non_key in non_keys for key in keys]
        intra += combinations(keys, 2)

    data = HeteroData()
    data.database = tensors.database
    data["column"].x = tensors.x
    data["column"].is_key = torch.tensor([name in database.keys for name in position])
    data["column"].name = tensors.columns
    data["table"].x = tensors.table_x
    data["table"].summary_x = tensors.summary_x
    data["table"].name = tensors.tables
    data["table"].title = tensors.titles
    data["table"].document = tensors.documents
    data["table"].summary = tensors.summaries
    data["table"].internal = tensors.internal
    data[OWNER].edge_index = torch.stack([torch.arange(len(tensors.owner)), tensors.owner])
    data[INTRA].edge_index = _edge_index(intra)
    data[JOIN].edge_index = tensors.join_index
    data[JOIN].edge_attr = tensors.edge_attr
    data[JOIN].confidence = tensors.confidence
    data[TABLE_JOIN].edge_index = tensors.owner[tensors.join_index]
    data[TABLE_JOIN].edge_attr = tensors.edge_attr
    data[TABLE_JOIN].confidence = tensors.confidence
    return data


def count_edges(data: "HeteroData") -> dict[str, int]:
    """Count the edges of a graph as the paper's Table 1 does.

    Returns:
        ``intra`` (pairs of a key and a non-key column), ``key_key`` (pairs of key columns) and ``join``.
    """
    both_keys = data["column"].is_key[data[INTRA].edge_index].all(dim=0)
    return {
        "intra": int((~both_keys).sum()),
        "key_key": int(both_keys.sum()),
        "join": data[JOIN].edge_index.size(1),
    }


def _positions(database: Database) -> dict[tuple[str, str], int]:
    """The number of each column, by ``(table, column)``."""
    names = ((table.name, column) for table in database for column in table.column_names)
    return {name: number for number, name in enumerate(names)}


def _edge_index(pairs: list[tuple[int, int]]) -> Tensor:
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).t().contiguous()
