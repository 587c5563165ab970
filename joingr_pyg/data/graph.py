"""From a database schema and its embeddings to a ``HeteroData`` join graph (Algorithm 1)."""

from collections import defaultdict
from itertools import combinations

import torch
from torch import Tensor
from torch.nn.functional import normalize
from torch_geometric.data import HeteroData

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database
from joingr_pyg.schema.descriptors import table_documents, table_titles
from joingr_pyg.schema.names.readable import is_internal

INTRA = ("column", "intra", "column")
JOIN = ("column", "join", "column")
OWNER = ("column", "of", "table")


def join_graph(database: Database, columns: Tensor, joins: Tensor, tables: Tensor | None = None) -> HeteroData:
    """Build the join graph of one database (section 3.1, Algorithm 1).

    Every edge is stored once: an ``intra`` edge from the non-key to the key column (between two keys in declaration
    order), a ``join`` edge from the referencing to the referenced column. ``torch_geometric.transforms.ToUndirected``
    adds the other directions for layers that need them. Every edge type exists in every graph, so graphs batch in
    any order.

    Args:
        database: The schema, ``T`` tables with ``C`` columns and ``J`` distinct joins.
        columns: ``[C, d]`` embeddings of the column descriptors, in table then column order.
        joins: ``[J, d]`` embeddings of the join descriptors, in the order of :attr:`Database.joins`.
        tables: ``[T, d]`` embeddings of the table descriptors; where not given, the normalised means of columns.

    Returns:
        A graph with ``data["column"]`` (``x`` ``[C, d]``, ``is_key`` ``[C]``, ``name``), ``data["table"]`` (``x``
        ``[T, d]``, ``name``, ``title``: its readable name, ``document``: its words, ``internal`` ``[T]``: kept by
        SQLite for itself), the edge types ``intra``, ``join`` (with ``edge_attr`` ``[J, d]`` and ``confidence``
        ``[J]``: the probability that the two are joined, by the key that is surest of it) and ``of`` (column to its
        table), and ``data.database``.

    Raises:
        JoinGRError: If the number of embeddings does not match the schema.
    """
    position = {
        (table.name, column): i for i, (table, column) in enumerate((t, c) for t in database for c in t.column_names)
    }
    for what, vectors, count in (
        ("columns", columns, len(position)),
        ("joins", joins, len(database.joins)),
        ("tables", tables, len(database.tables)),
    ):
        if vectors is not None and vectors.size(0) != count:
            raise JoinGRError(
                f"Database {database.name!r} has {count} {what}, but {vectors.size(0)} embeddings were given for them."
            )
    owners = torch.tensor([owner for owner, table in enumerate(database) for _ in table.columns])
    if tables is None:
        sums = columns.new_zeros(len(database.tables), columns.size(1)).index_add(0, owners, columns)
        tables = normalize(sums)

    intra: list[tuple[int, int]] = []
    for table in database:
        keys = [position[table.name, c] for c in table.column_names if (table.name, c) in database.keys]
        others = [position[table.name, c] for c in table.column_names if (table.name, c) not in database.keys]
        intra += [(other, key) for other in others for key in keys]
        intra += combinations(keys, 2)
    ends = [
        (position[key.table, key.column], position[key.referenced_table, key.referenced_column])
        for key in database.joins
    ]

    confidence: dict[frozenset[tuple[str, str]], float] = defaultdict(float)
    for key in database.foreign_keys:
        confidence[key.endpoints] = max(confidence[key.endpoints], key.confidence)

    data = HeteroData()
    data.database = database.name
    data["column"].x = columns
    data["column"].is_key = torch.tensor([name in database.keys for name in position])
    data["column"].name = [column for _, column in position]
    data["table"].x = tables
    data["table"].name = [table.name for table in database]
    data["table"].title = table_titles(database)
    data["table"].document = table_documents(database)
    data["table"].internal = torch.tensor([is_internal(table.name) for table in database])
    data[OWNER].edge_index = torch.stack([torch.arange(len(owners)), owners])
    data[INTRA].edge_index = _edge_index(intra)
    data[JOIN].edge_index = _edge_index(ends)
    data[JOIN].edge_attr = joins
    data[JOIN].confidence = torch.tensor([confidence[key.endpoints] for key in database.joins], dtype=torch.float)
    return data


def count_edges(data: HeteroData) -> dict[str, int]:
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


def _edge_index(pairs: list[tuple[int, int]]) -> Tensor:
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).t().contiguous()
