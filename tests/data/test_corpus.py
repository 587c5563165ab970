from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import HeteroData

from joingr_pyg.data import corpus as corpus_module
from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.embedding import embedded_corpus
from joingr_pyg.data.graph import JOIN, join_graph
from joingr_pyg.datasets.join_graphs import build_graphs
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.descriptors import descriptors

COLUMN, TEXT = Column("id"), Column("text")


def pool(*databases: Database) -> Corpus:
    """A corpus whose embeddings number the columns (0, 1, ...) and joins (-1, -2, ...) of each database."""
    graphs = []
    for database in databases:
        columns = sum(len(table.columns) for table in database)
        x = torch.arange(columns).float().unsqueeze(1)
        graphs.append(join_graph(database, x, -1 - torch.arange(len(database.joins)).float().unsqueeze(1)))
    return Corpus.from_graphs(graphs)


SHOP = Database(
    "shop",
    (Table("order", (COLUMN, TEXT)), Table("item", (COLUMN, Column("order"), Column("part_of")))),
    (ForeignKey("item", "order", "order", "id"), ForeignKey("item", "part_of", "item", "id")),
)
ZOO = Database(
    "zoo",
    (Table("cage", (COLUMN,)), Table("order", (TEXT, Column("cage")))),
    (ForeignKey("order", "cage", "cage", "id"),),
)


def test_tables_and_columns_of_all_databases_are_numbered() -> None:
    corpus = pool(SHOP, ZOO)
    assert corpus.tables == (("shop", "order"), ("shop", "item"), ("zoo", "cage"), ("zoo", "order"))
    assert corpus.columns == ("id", "text", "id", "order", "part_of", "id", "text", "cage")
    assert (corpus.num_tables, corpus.num_columns) == (4, 8)
    assert corpus.owner.tolist() == [0, 0, 1, 1, 1, 2, 3, 3]
    assert corpus.x.flatten().tolist() == [0, 1, 2, 3, 4, 0, 1, 2]
    assert corpus.join_index.tolist() == [[3, 4, 7], [0, 2, 5]]
    assert corpus.edge_attr.flatten().tolist() == [-1, -2, -1]
    assert corpus.edge_index.tolist() == [[1, 1, 3], [0, 1, 2]]
    assert corpus.table_number[("zoo", "order")] == 3
    assert corpus.join_name(0) == "item.order = order.id"
    assert corpus.join_name(2) == "order.cage = cage.id"


def test_internal_tables_of_sqlite_are_left_out() -> None:
    own = Table("sqlite_sequence", (Column("name"), Column("seq")))
    shop = Database(
        "shop",
        (own, SHOP["order"], internal_table(), SHOP["item"]),
        (ForeignKey("item", "id", "sqlite_stat1", "idx"), *SHOP.foreign_keys),
    )
    corpus = pool(shop, ZOO)
    assert corpus.tables == (("shop", "order"), ("shop", "item"), ("zoo", "cage"), ("zoo", "order"))
    assert corpus.columns == ("id", "text", "id", "order", "part_of", "id", "text", "cage")
    assert corpus.owner.tolist() == [0, 0, 1, 1, 1, 2, 3, 3]
    assert corpus.x.flatten().tolist() == [2, 3, 5, 6, 7, 0, 1, 2]
    assert [corpus.join_name(edge) for edge in range(3)] == [
        "item.order = order.id",
        "item.part_of = item.id",
        "order.cage = cage.id",
    ]
    assert corpus.edge_attr.flatten().tolist() == [-2, -3, -1]


def test_edge_weights_are_confidences() -> None:
    own = ForeignKey("item", "id", "sqlite_stat1", "idx", confidence=0.25)
    unsure = replace(SHOP.foreign_keys[0], source="inferred", confidence=0.5)
    shop = replace(SHOP, tables=(internal_table(), *SHOP.tables), foreign_keys=(own, unsure, SHOP.foreign_keys[1]))
    assert pool(shop, ZOO).edge_weight.tolist() == [0.5, 1.0, 1.0]
    assert pool(SHOP).edge_weight.tolist() == [1.0, 1.0]


def test_graphs_without_confidence_have_weight_one() -> None:
    old_graph = graph(SHOP)
    del old_graph[JOIN].confidence
    assert Corpus.from_graphs([old_graph]).edge_weight.tolist() == [1.0, 1.0]


def internal_table() -> Table:
    return Table("sqlite_stat1", (Column("idx"),))


@pytest.mark.parametrize("databases", [(), (Database("d", (internal_table(),)),)])
def test_a_corpus_without_tables_is_refused(databases: tuple[Database, ...]) -> None:
    with pytest.raises(JoinGRError, match="at least one database with a table"):
        pool(*databases)


def test_two_databases_of_one_name_are_refused() -> None:
    with pytest.raises(JoinGRError, match="Two databases of a corpus are named 'zoo'"):
        pool(ZOO, SHOP, ZOO)


def test_a_table_is_as_similar_as_its_best_column(make_corpus: Callable[..., Corpus]) -> None:
    corpus = make_corpus([[[1.0, 0.0], [0.0, 1.0]], [[-1.0, 0.0]], [[0.6, 0.8], [0.6, 0.8], [0.0, -1.0]]])
    similarity, column = corpus.similarity(torch.tensor([[1.0, 0.0], [0.0, 1.0], [-0.6, -0.8]]))
    expected = torch.tensor([[1.0, -1.0, 0.6], [1.0, 0.0, 0.8], [-0.6, 0.6, 0.8]])
    assert torch.allclose(similarity, expected)
    assert column.tolist() == [[0, 2, 3], [1, 2, 3], [0, 2, 5]]


def test_no_question_has_no_similarity(make_corpus: Callable[..., Corpus]) -> None:
    similarity, column = make_corpus([[[1.0]], [[0.0]]]).similarity(torch.empty(0, 1))
    assert similarity.shape == column.shape == (0, 2)


def brute_force(corpus: Corpus, query: Tensor) -> tuple[list[list[float]], list[list[int]]]:
    scores: list[list[float]] = []
    columns: list[list[int]] = []
    for vector in query:
        best: dict[int, tuple[float, int]] = {}
        for column, owner in enumerate(corpus.owner.tolist()):
            score = float(sum(vector * corpus.x[column]))
            if owner not in best or score > best[owner][0]:
                best[owner] = (score, column)
        scores.append([best[table][0] for table in range(corpus.num_tables)])
        columns.append([best[table][1] for table in range(corpus.num_tables)])
    return scores, columns


@settings(max_examples=50, deadline=None)
@given(sizes=st.lists(st.integers(1, 5), min_size=1, max_size=8), seed=st.integers(0, 2**16))
def test_similarity_equals_that_of_a_plain_loop(
    make_corpus: Callable[..., Corpus], sizes: list[int], seed: int
) -> None:
    random = np.random.default_rng(seed)
    # Small whole numbers: many exact ties.
    corpus = make_corpus([random.integers(-1, 2, (size, 2)).astype(float).tolist() for size in sizes])
    query = torch.from_numpy(random.integers(-1, 2, (3, 2))).float()
    similarity, column = corpus.similarity(query)
    scores, columns = brute_force(corpus, query)
    assert similarity.tolist() == scores
    assert column.tolist() == columns
    # Single pairs, in any order, have the same similarity.
    question, table = pairs(column, random)
    of_pairs, of_columns = corpus.similarity_of(query, question, table)
    assert of_pairs.tolist() == similarity[question, table].tolist()
    assert of_columns.tolist() == column[question, table].tolist()


def pairs(grid: Tensor, random: np.random.Generator) -> tuple[Tensor, Tensor]:
    question, table = torch.ones_like(grid).nonzero().t()
    some = torch.from_numpy(random.permutation(question.numel())[:9])
    return question[some], table[some]


def test_many_pairs_are_compared_in_chunks(make_corpus: Callable[..., Corpus], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_module, "PAIRS_AT_ONCE", 2)
    corpus = make_corpus([[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [[-1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]])
    query = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    similarity, column = corpus.similarity_of(query, torch.tensor([1, 0, 1, 0]), torch.tensor([2, 1, 0, 0]))
    assert similarity.tolist() == [1, -1, 1, 1]
    assert column.tolist() == [4, 3, 1, 0]
    nothing = torch.zeros(0, dtype=torch.long)
    assert [part.shape for part in corpus.similarity_of(query, nothing, nothing)] == [(0,), (0,)]


OWN = Database("own", (internal_table(), Table("kept", (COLUMN, TEXT)), Table("sqlite_sequence", (COLUMN,))))


def graph(database: Database) -> HeteroData:
    columns = sum(len(table.columns) for table in database)
    return join_graph(database, torch.randn(columns, 3), torch.randn(len(database.joins), 3))


def assert_equal(left: Corpus, right: Corpus) -> None:
    assert (left.tables, left.columns) == (right.tables, right.columns)
    for name in ("x", "owner", "join_index", "edge_attr", "edge_weight", "edge_index"):
        assert torch.equal(getattr(left, name), getattr(right, name)), name


@settings(deadline=None, max_examples=20)
@given(order=st.permutations([SHOP, ZOO, OWN, Database("lone", (Table("t", (COLUMN,)),))]), first=st.integers(1, 3))
def test_an_extended_corpus_equals_the_corpus_of_all_databases(order: list[Database], first: int) -> None:
    graphs = [graph(database) for database in order]
    corpus = Corpus.from_graphs(graphs[:first])
    alone = Corpus.from_graphs(graphs[:first])
    grown = corpus
    for further in graphs[first:]:
        grown = grown.extended([further])
    assert_equal(grown, Corpus.from_graphs(graphs))
    assert_equal(corpus, alone)


def test_extensions_share_memory_with_the_corpus() -> None:
    shops = [graph(replace(SHOP, name=f"shop{number}")) for number in range(20)]
    corpus = Corpus.from_graphs(shops[:5]).extended(shops[5:6])
    once, twice = corpus.extended(shops[6:7]), corpus.extended(shops[7:8])
    assert once.x.data_ptr() == corpus.x.data_ptr()
    assert once.edge_attr.data_ptr() == corpus.edge_attr.data_ptr()
    # The spare rows are used by the first extension, so the second one is copied.
    assert_equal(once, Corpus.from_graphs(shops[:7]))
    assert_equal(twice, Corpus.from_graphs([*shops[:6], shops[7]]))


def test_an_extension_needs_a_table_and_a_new_name() -> None:
    corpus = pool(SHOP)
    with pytest.raises(JoinGRError, match="Two databases of a corpus are named 'shop'"):
        corpus.extended([graph(ZOO), graph(SHOP)])
    with pytest.raises(JoinGRError, match="at least one database with a table"):
        corpus.extended([])


def test_adding_a_database_embeds_only_its_texts() -> None:
    class RecordingEncoder(HashingEncoder):
        def encode_documents(self, texts: Sequence[str]) -> Tensor:
            encoded.extend(texts)
            return super().encode_documents(texts)

    encoded: list[str] = []
    encoder = CachedEncoder(RecordingEncoder(dim=16))
    corpus = Corpus.from_graphs(build_graphs([SHOP], encoder))
    encoded.clear()
    grown = corpus.extended(build_graphs([ZOO], encoder))
    texts, known = ({text for part in descriptors([database]) for text in part} for database in (ZOO, SHOP))
    assert sorted(encoded) == sorted(texts - known)
    assert_equal(grown, Corpus.from_graphs(build_graphs([SHOP, ZOO], HashingEncoder(dim=16))))


def test_a_corpus_is_embedded_without_graphs(encoder: CachedEncoder) -> None:
    databases = [SHOP, OWN, ZOO]
    corpus, of_graphs = embedded_corpus(databases, encoder), Corpus.from_graphs(build_graphs(databases, encoder))
    assert_equal(corpus, of_graphs)
    assert torch.equal(corpus.table_x, of_graphs.table_x)
    assert torch.equal(corpus.summary_x, of_graphs.summary_x)
    assert (corpus.titles, corpus.documents) == (of_graphs.titles, of_graphs.documents)
    assert corpus.summaries == of_graphs.summaries
