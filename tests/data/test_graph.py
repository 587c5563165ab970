import json
from collections.abc import Callable
from itertools import chain
from math import comb
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import Batch, HeteroData
from torch_geometric.transforms import ToUndirected

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.graph import INTRA, JOIN, OWNER, TABLE_JOIN, count_edges, join_graph
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import build_graphs
from joingr_pyg.encoders import Encoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import heuristic
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.readers.beaver import read_beaver_tables
from joingr_pyg.schema.readers.tables_json import read_tables_json


def table(name: str, columns: str, primary_key: str = "") -> Table:
    return Table(name, tuple(map(Column, columns.split())), tuple(primary_key.split()))


def graph(database: Database, dim: int = 2) -> HeteroData:
    """The join graph with the position of each column and join as its embedding."""
    columns = sum(len(table.columns) for table in database)
    return join_graph(database, numbered(columns, dim), -numbered(len(database.joins), dim))


def numbered(count: int, dim: int) -> Tensor:
    return torch.arange(count).float().unsqueeze(1).expand(count, dim)


def pairs(data: HeteroData, kind: tuple[str, str, str]) -> list[tuple[int, ...]]:
    return [tuple(pair) for pair in data[kind].edge_index.t().tolist()]


# Columns are numbered in this order:
#   author  0 id*  1 name   2 born
#   book    3 isbn*  4 shelf*  5 title  6 author  7 editor  8 sequel_of
#   note    9 text
LIBRARY = Database(
    "library",
    (
        table("author", "id name born", "id"),
        table("book", "isbn shelf title author editor sequel_of", "isbn shelf"),
        table("note", "text"),
    ),
    (
        ForeignKey("book", "author", "author", "id"),
        ForeignKey("book", "editor", "author", "id"),
        ForeignKey("author", "id", "book", "author"),  # the first key again, in the other direction
        ForeignKey("book", "sequel_of", "book", "isbn"),
        ForeignKey("book", "editor", "author", "id"),
        ForeignKey("note", "text", "note", "text"),  # a column with itself: no join, no key
    ),
)


def test_non_key_columns_point_at_the_keys_of_their_table_and_keys_pair_up() -> None:
    assert pairs(graph(LIBRARY), INTRA) == [
        *[(1, 0), (2, 0)],
        *[(5, 3), (5, 4), (5, 6), (5, 7), (5, 8)],
        *[(3, 4), (3, 6), (3, 7), (3, 8), (4, 6), (4, 7), (4, 8), (6, 7), (6, 8), (7, 8)],
    ]


def test_joins_are_one_edge_per_pair_from_the_referencing_column() -> None:
    """Parallel joins of two tables are separate edges; repeated and reversed keys are one edge; self-joins count."""
    assert pairs(graph(LIBRARY), JOIN) == [(6, 0), (7, 0), (8, 3)]


def test_the_same_joins_lead_from_table_to_table() -> None:
    data = graph(LIBRARY)
    assert pairs(data, TABLE_JOIN) == [(1, 0), (1, 0), (1, 1)]
    assert torch.equal(data[TABLE_JOIN].edge_attr, data[JOIN].edge_attr)
    assert torch.equal(data[TABLE_JOIN].confidence, data[JOIN].confidence)


def test_the_key_flag_is_that_of_primary_keys_and_ends_of_joins() -> None:
    assert graph(LIBRARY)["column"].is_key.tolist() == [True, False, False, True, True, False, True, True, True, False]


def test_key_pairs_are_counted_separately() -> None:
    assert count_edges(graph(LIBRARY)) == {"intra": 7, "key_key": 10, "join": 3}


def test_names_vectors_and_owners_follow_the_schema() -> None:
    data = graph(LIBRARY)
    assert data.database == "library"
    assert data["table"].name == ["author", "book", "note"]
    assert data["table"].num_nodes == 3
    assert data["table"].internal.tolist() == [False, False, False]
    assert data["column"].name == [
        "id",
        "name",
        "born",
        "isbn",
        "shelf",
        "title",
        "author",
        "editor",
        "sequel_of",
        "text",
    ]
    assert data["column"].x[:, 0].tolist() == list(range(10))
    assert data[JOIN].edge_attr[:, 1].tolist() == [0, -1, -2]
    assert pairs(data, OWNER) == list(enumerate([0, 0, 0, 1, 1, 1, 1, 1, 1, 2]))
    assert data.validate()


def test_without_keys_there_are_columns_and_no_edges() -> None:
    """A schema without declared keys still has all tables and columns."""
    data = graph(Database("world", (table("city", "ID CountryCode"), table("countrylanguage", "CountryCode Language"))))
    for kind in (INTRA, JOIN, TABLE_JOIN):
        assert data[kind].edge_index.shape == (2, 0)
        assert data[kind].edge_index.dtype == torch.long
    assert data[JOIN].edge_attr.shape == (0, 2)
    assert count_edges(data) == {"intra": 0, "key_key": 0, "join": 0}
    assert data["column"].num_nodes == 4


def test_the_confidence_of_a_join_is_the_highest_of_its_keys() -> None:
    keys = (
        ForeignKey("book", "author", "person", "id", source="inferred", confidence=0.5),
        ForeignKey("person", "id", "book", "author", source="mined", confidence=0.75),
        ForeignKey("book", "editor", "person", "id"),
        ForeignKey("book", "editor", "person", "id", source="inferred", confidence=0.25),
    )
    data = graph(Database("d", (table("person", "id"), table("book", "author editor")), keys))
    assert data[JOIN].confidence.tolist() == [0.75, 1.0]
    assert graph(Database("d", (table("person", "id"),)))[JOIN].confidence.shape == (0,)


def test_columns_of_two_tables_may_have_the_same_name() -> None:
    database = Database("d", (table("a", "id b"), table("b", "id b")), (ForeignKey("a", "b", "b", "id"),))
    assert pairs(graph(database), JOIN) == [(1, 2)]
    assert pairs(graph(database), INTRA) == [(0, 1), (3, 2)]


def test_sqlite_s_own_table_is_marked() -> None:
    data = graph(Database("d", (table("a", "id"), table("sqlite_sequence", "name seq"))))
    assert data["table"].internal.tolist() == [False, True]
    assert data["column"].num_nodes == 3


@pytest.mark.parametrize(
    ("columns", "joins", "message"),
    [
        (9, 3, "Database 'library' has 10 columns, but 9 embeddings"),
        (10, 4, "Database 'library' has 3 joins, but 4 embeddings"),
    ],
)
def test_a_wrong_number_of_embeddings_is_refused(columns: int, joins: int, message: str) -> None:
    with pytest.raises(JoinGRError, match=message):
        join_graph(LIBRARY, torch.zeros(columns, 2), torch.zeros(joins, 2))


@st.composite
def databases(draw: st.DrawFn) -> Database:
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    tables = [
        Table(
            f"t{number}",
            tuple(Column(f"c{column}") for column in range(size)),
            tuple(f"c{column}" for column in range(size) if draw(st.booleans())),
        )
        for number, size in enumerate(sizes)
    ]
    ends = st.sampled_from([(table.name, name) for table in tables for name in table.column_names])
    keys = draw(st.lists(st.builds(lambda a, b: ForeignKey(*a, *b), ends, ends), max_size=8))
    return Database("d", tuple(tables), tuple(keys))


@settings(max_examples=50, deadline=None)
@given(databases())
def test_every_pair_with_a_key_is_one_intra_edge(database: Database) -> None:
    data = graph(database)
    owner = data[OWNER].edge_index[1]
    key = data["column"].is_key
    sizes = [(sum(key[owner == t].tolist()), int((owner == t).sum())) for t in range(len(database.tables))]
    counts = count_edges(data)
    assert counts["intra"] == sum(keys * (size - keys) for keys, size in sizes)
    assert counts["key_key"] == sum(comb(keys, 2) for keys, _ in sizes)
    edges = data[INTRA].edge_index
    assert (owner[edges[0]] == owner[edges[1]]).all()
    assert key[edges[1]].all()
    assert len({frozenset(pair) for pair in pairs(data, INTRA)}) == edges.size(1)
    assert key[data[JOIN].edge_index].all()
    assert len({frozenset(pair) for pair in pairs(data, JOIN)}) == counts["join"] == len(database.joins)


LINKED = Database(
    "linked",
    (table("a", "id x", "id"), table("b", "id a_id", "id"), table("c", "b_id y")),
    (ForeignKey("b", "a_id", "a", "id"), ForeignKey("c", "b_id", "b", "id")),
)
LOOSE = Database("loose", (table("city", "ID CountryCode"), table("language", "CountryCode Name")))


def test_graphs_with_and_without_joins_batch_in_any_order_to_the_same_scores(encoder: Encoder) -> None:
    linked, loose = build_graphs((LINKED, LOOSE), encoder)
    query = encoder.encode_queries(["the id of a", "name of a language of a city"])
    scores_by_table = []
    for graphs in ([linked, loose], [loose, linked]):
        batch = Batch.from_data_list(graphs)
        assert set(batch.edge_types) == {INTRA, JOIN, OWNER, TABLE_JOIN}
        assert count_edges(batch) == {"intra": 2, "key_key": 1, "join": 2}
        corpus = Corpus.from_graphs(graphs)
        ranking = heuristic(anchors=2).index(corpus).rank(Queries(query), 5)
        scores_by_table.append(
            [
                {corpus.tables[t]: s for t, s in zip(*row, strict=True)}
                for row in zip(ranking.table.tolist(), ranking.score.tolist(), strict=True)
            ]
        )
    assert scores_by_table[0] == scores_by_table[1]
    assert all(len(scores) == 5 for scores in scores_by_table[0])


def test_to_undirected_adds_reverse_edges() -> None:
    data = ToUndirected()(graph(LIBRARY))
    assert {(6, 0), (0, 6), (8, 3), (3, 8)} <= set(pairs(data, JOIN))
    assert data[JOIN].edge_index.size(1) == 6


def as_the_paper_counts(database: Database) -> Database:
    """Keys are the primary keys of a single column and the ends of joins between two tables."""
    return Database(
        database.name,
        tuple(
            Table(table.name, table.columns, table.primary_key if len(table.primary_key) == 1 else ())
            for table in database
        ),
        tuple(key for key in database.foreign_keys if key.table != key.referenced_table),
    )


def spider_dev(root: Path) -> list[Database]:
    used = {question["db_id"] for question in json.loads((root / "spider" / "dev.json").read_text())}
    return [database for database in read_tables_json(root / "spider" / "tables.json") if database.name in used]


REAL: dict[str, tuple[Callable[[Path], list[Database]], tuple[int, ...]]] = {
    "BIRD dev": (lambda root: [*read_tables_json(root / "bird/dev/dev_tables.json")], (11, 75, 798, 3345, 428, 102)),
    "BEAVER dw": (
        lambda root: [
            database
            for database in read_beaver_tables(root / "beaver/dev_tables.json", root / "beaver/dw_join_keys.json")
            if database.name == "dw"
        ],
        (1, 97, 1530, 3536, 464, 197),
    ),
    "Spider dev": (spider_dev, (20, 81, 441, 492, 64, 64)),
    "Spider": (lambda root: [*read_tables_json(root / "spider/tables.json")], (166, 876, 4503, 4756, 879, 842)),
    "Spider as the paper counts": (
        lambda root: [as_the_paper_counts(database) for database in read_tables_json(root / "spider/tables.json")],
        (166, 876, 4503, 4704, 866, 835),
    ),
}


@pytest.mark.parametrize("name", REAL)
def test_the_counts_of_table_1(benchmarks: Path, name: str) -> None:
    """Databases, tables, nodes, intra edges, pairs of keys, join edges."""
    read, expected = REAL[name]
    schemas = read(benchmarks)
    counts = [count_edges(graph(database, dim=1)) for database in schemas]
    tables = list(chain.from_iterable(schemas))
    assert (
        len(schemas),
        len(tables),
        sum(len(table.columns) for table in tables),
        *(sum(count[kind] for count in counts) for kind in ("intra", "key_key", "join")),
    ) == expected


def test_bird_joins_one_table_with_itself(benchmarks: Path) -> None:
    schemas = read_tables_json(benchmarks / "bird/dev/dev_tables.json")
    corpus = Corpus.from_graphs([graph(database, dim=1) for database in schemas])
    tail, head = corpus.edge_index
    assert (int((tail == head).sum()), int((tail != head).sum())) == (1, 101)
