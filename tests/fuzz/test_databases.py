"""Any database is answered from: names are those of the schema, scores are numbers, and saving changes nothing."""

import json
import tempfile
from html.parser import HTMLParser
from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.models import heuristic
from joingr_pyg.retrieval import RetrievalResult
from joingr_pyg.schema import Database
from joingr_pyg.schema.names.readable import is_internal
from joingr_pyg.schema.preparation import Preparation
from tests.fuzz.effort import inputs
from tests.fuzz.strategies import QUESTIONS, databases

MODELS = {"joingr_plus": lambda: None, "heuristic": heuristic}


def retriever_of(database: Database, model: str = "joingr_plus") -> TableRetriever:
    return TableRetriever([database], CachedEncoder(HashingEncoder(dim=32)), MODELS[model]())


def check_answer(result: RetrievalResult, database: Database, k: int) -> None:
    names = [table.table for table in result]
    competing = [table.name for table in database if not is_internal(table.name)]
    assert len(names) == len(set(names)) == min(k, len(competing))
    assert set(names) <= set(competing)
    scores = [table.score for table in result]
    assert all(map(isfinite, scores))
    assert scores == sorted(scores, reverse=True)
    for table in result:
        assert table.column in database[table.table].column_names
        assert -1.001 <= table.similarity <= 1.001
        assert set(table.joins) <= set(database.join_by_name)
        assert table.reason.strip()
    joins = {(key.table, key.column, key.referenced_table, key.referenced_column) for key in database.joins}
    for join in result.joins:
        assert (join.table, join.column, join.referenced_table, join.referenced_column) in joins
        assert 0 < join.confidence <= 1


@pytest.mark.parametrize("model", MODELS)
@inputs(40)
@given(database=databases(), question=QUESTIONS, k=st.integers(1, 8))
def test_an_answer_is_of_the_schema(model: str, database: Database, question: str, k: int) -> None:
    result = retriever_of(database, model).retrieve(question, k=k)
    check_answer(result, database, k)
    assert json.loads(result.to_json())["question"] == question
    HTMLParser().feed(result.to_html())
    result.to_html().encode()


@inputs(25)
@given(database=databases(), question=QUESTIONS)
def test_a_saved_retriever_answers_alike(database: Database, question: str) -> None:
    retriever = retriever_of(database)
    if not is_internal(database.tables[0].name):
        retriever.remember([question], [[database.tables[0].name]])
    with tempfile.TemporaryDirectory() as folder:
        retriever.save(f"{folder}/saved")
        loaded = TableRetriever.load(f"{folder}/saved", encoder=CachedEncoder(HashingEncoder(dim=32)))
    assert loaded.databases == retriever.databases
    assert loaded.retrieve(question, k=4).to_dict() == retriever.retrieve(question, k=4).to_dict()


@inputs(25)
@given(database=databases(), question=QUESTIONS)
def test_a_prepared_database_is_answered_from(database: Database, question: str) -> None:
    (prepared,) = Preparation(expand_names=True, infer_joins=True)([database])
    assert [table.name for table in prepared] == [table.name for table in database]
    check_answer(retriever_of(prepared).retrieve(question, k=5), prepared, 5)
