from collections import Counter
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.readers.beaver import read_beaver_tables
from joingr_pyg.schema.readers.tables_json import read_tables_json
from joingr_pyg.testing.synthetic import (
    SHAPES,
    Shape,
    synthetic_corpus,
    synthetic_databases,
    synthetic_graphs,
    synthetic_questions,
    synthetic_vectors,
)

WAREHOUSE = 97


def test_a_shape_by_hand() -> None:
    a, b = Column("a"), Column("b")
    keys = (ForeignKey("t", "a", "u", "a"), ForeignKey("t", "b", "u", "a"), ForeignKey("u", "a", "t", "a"))
    one = Database("one", (Table("t", (a, b)), Table("u", (a,))), keys)
    two = Database("two", (Table("t", (a, b)),))
    # The third key is the first one the other way round: no join of its own.
    assert Shape.of([one, two]) == Shape({1: 1, 2: 1}, {1: 1, 2: 2}, {0: 2, 2: 1})


def test_the_shapes_are_those_of_the_benchmarks(benchmarks: Path) -> None:
    bird = [read_tables_json(benchmarks / f"bird/{split}/{split}_tables.json") for split in ("train", "dev")]
    beaver = read_beaver_tables(benchmarks / "beaver/dev_tables.json", benchmarks / "beaver/dw_join_keys.json")
    spider = read_tables_json(benchmarks / "spider/tables.json")
    warehouse = [database for database in beaver if database.name == "dw"]
    assert [Shape.of(databases) for databases in (spider, [*bird[0], *bird[1]], warehouse)] == list(SHAPES)


@settings(deadline=None, max_examples=20)
@given(num_tables=st.integers(1, 400), seed=st.integers(0, 2**16))
def test_the_number_of_tables(num_tables: int, seed: int) -> None:
    databases = synthetic_databases(num_tables, seed)
    assert sum(len(database.tables) for database in databases) == num_tables
    assert len({database.name for database in databases}) == len(databases)


def test_each_benchmark_fills_a_third() -> None:
    databases = synthetic_databases(6 * WAREHOUSE)
    warehouses = [database for database in databases if len(database.tables) == WAREHOUSE]
    assert len(warehouses) == 2
    for warehouse in warehouses:
        # All that was measured, in another order; a few foreign keys coincide.
        assert Counter(len(table.columns) for table in warehouse) == SHAPES[2].columns
        assert len(warehouse.foreign_keys) == 197
        assert 180 < len(warehouse.joins) <= 197
    others = [table for database in databases if database not in warehouses for table in database]
    assert sum(len(table.columns) for table in others) / len(others) == pytest.approx((5.1 + 7.3) / 2, abs=0.6)


def test_a_few_tables_draw_most_foreign_keys() -> None:
    drawn = Counter(
        int(join.referenced_table[1:]) * 4 // len(database.tables)
        for database in synthetic_databases(3000)
        if len(database.tables) == WAREHOUSE
        for join in database.joins
    )
    shares = [drawn[quarter] / drawn.total() for quarter in range(4)]
    assert shares == pytest.approx([0.5, 0.5 * (2**0.5 - 1), 0.5 * (3**0.5 - 2**0.5), 1 - 0.75**0.5], abs=0.05)


def test_foreign_keys_end_at_primary_keys_of_other_tables() -> None:
    for database in synthetic_databases(300):
        for key in database.foreign_keys:
            assert key.table != key.referenced_table
            assert database[key.referenced_table].primary_key == (key.referenced_column,)


def test_the_seed_decides_everything() -> None:
    assert synthetic_databases(100, 1) == synthetic_databases(100, 1) != synthetic_databases(100, 2)
    databases = synthetic_databases(100)
    vectors = [synthetic_vectors(databases, seed, dim=32)[0] for seed in (1, 1, 2)]
    assert torch.equal(vectors[0], vectors[1])
    assert not torch.allclose(vectors[0], vectors[2])


@pytest.mark.parametrize("num_tables", [0, -1])
def test_less_than_one_table_is_refused(num_tables: int) -> None:
    with pytest.raises(JoinGRError, match=f"at least 1 table \\(got {num_tables}\\)"):
        synthetic_corpus(num_tables)


def test_graphs_view_the_vectors_in_order() -> None:
    databases = synthetic_databases(50)
    columns, joins = synthetic_vectors(databases, dim=16)
    graphs = synthetic_graphs(databases, columns, joins)
    assert torch.equal(torch.cat([graph["column"].x for graph in graphs]), columns)
    assert torch.equal(torch.cat([graph["column", "join", "column"].edge_attr for graph in graphs]), joins)
    assert graphs[0]["column"].x.data_ptr() == columns.data_ptr()
    corpus = synthetic_corpus(50, dim=16)
    assert torch.equal(corpus.x, columns)
    assert corpus.num_tables == 50


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return synthetic_corpus(1500)


def test_vectors_are_normalised(corpus: Corpus) -> None:
    for vectors in (corpus.x, corpus.edge_attr, synthetic_questions(corpus, 20)):
        assert torch.allclose(vectors.norm(dim=1), torch.ones(len(vectors)), atol=1e-5)


def nearest(query: Tensor, corpus: Corpus, places: list[int]) -> list[float]:
    return (query @ corpus.x.t()).topk(max(places) + 1, dim=1).values.mean(dim=0)[places].tolist()


def test_vectors_resemble_real_ones(corpus: Corpus) -> None:
    """The figures of the docstring, measured on MiniLM vectors of Spider, BIRD and BEAVER."""
    columns = corpus.x[torch.randperm(corpus.num_columns, generator=torch.Generator().manual_seed(0))[:300]]
    assert nearest(columns, corpus, [1, 10, 100]) == pytest.approx([0.89, 0.74, 0.55], abs=0.03)
    assert nearest(synthetic_questions(corpus, 300), corpus, [0, 9, 99]) == pytest.approx([0.54, 0.41, 0.33], abs=0.03)


def test_a_join_is_nearest_to_its_own_tables(corpus: Corpus) -> None:
    ends = corpus.x[corpus.join_index]
    own = (ends * corpus.edge_attr).sum(dim=2).mean()
    strange = (ends * corpus.edge_attr.roll(len(corpus.edge_attr) // 2, dims=0)).sum(dim=2).mean()
    assert own > strange + 0.15
