import io

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg.datasets import Benchmark, Dropped, Question
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table


def saved_and_loaded(benchmark: Benchmark) -> Benchmark:
    """Save a benchmark as plain values and load it without executing code."""
    file = io.BytesIO()
    torch.save(benchmark.to_dict(), file)
    file.seek(0)
    return Benchmark.from_dict(torch.load(file, weights_only=True))


def test_unusual_names_survive_saving() -> None:
    names = ["Percent (%) Free", "Rep's Addr", "a.b", 'q"q', "名", "", "group", "trailing ", "new\nline"]
    table = Table("we ird", tuple(Column(name, "REAL", name.upper(), f"is {name}") for name in names), ("a.b", ""))
    database = Database("d b", (table,), (ForeignKey("we ird", "名", "we ird", ""),))
    question = Question(
        7, "哪个?", "d b", ("we ird",), ((("we ird", "名"), ("we ird", "")),), 'SELECT "" FROM "we ird"'
    )
    benchmark = Benchmark("b", "dev", (database,), (question,), (Dropped(3, "gone", "no such database"),))
    assert saved_and_loaded(benchmark) == benchmark
    assert saved_and_loaded(benchmark).databases[0].joins == database.joins


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(), min_size=1, max_size=4, unique=True), st.text(), st.booleans())
def test_any_benchmark_survives_conversion(columns: list[str], text: str, keyed: bool) -> None:
    table = Table(text, tuple(map(Column, columns)), tuple(columns[:1]) if keyed else (), text, text)
    benchmark = Benchmark(text, text, (Database(text, (table,)),), (Question(0, text, text, (text,)),))
    assert Benchmark.from_dict(benchmark.to_dict()) == benchmark


def test_gold_names_are_those_of_the_corpus() -> None:
    assert Question(0, "?", "shop", ("b", "a")).gold == (("shop", "b"), ("shop", "a"))


def test_two_databases_of_one_name_are_refused() -> None:
    database = Database("shop", (Table("a", (Column("id"),)),))
    with pytest.raises(JoinGRError, match="Benchmark 'b' lists database 'shop' twice"):
        Benchmark("b", "dev", (database, database), ())
