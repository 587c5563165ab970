"""Values of another kind than a retriever takes are one sentence each."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGR, JoinGRPlus
from joingr_pyg.models.checkpoint import load_checkpoint

DDL = "CREATE TABLE a (id INT PRIMARY KEY, n TEXT); CREATE TABLE b (id INT, a_id INT REFERENCES a);"


@pytest.fixture(scope="module")
def retriever() -> TableRetriever:
    return TableRetriever.from_ddl(DDL, CachedEncoder(HashingEncoder(dim=16)))


Call = Callable[[TableRetriever], Any]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda it: it.retrieve_batch(5), r"'questions' needs to be a list of questions \(got 5\): put it in brackets"),
        (lambda it: it.retrieve_batch(b"who"), r"'questions' needs to be a list of questions \(got b'who'\)"),
        (lambda it: it.forget(None), r"'questions' needs to be a list of questions \(got None\)"),
        (lambda it: it.remember(["who?"], 5), r"'tables' needs to be a list of lists of tables.*\(got 5\)"),
        (lambda it: it.remember(["who?"], [5]), r"Each of 1 questions needs a list of its tables"),
        (lambda it: it.joins_between(5), r"'tables' needs to be a list of tables \(got 5\)"),
        (lambda it: it.save(None), r"'path' needs to be the path of a file or folder \(got None\)"),
        (lambda it: it.save("a\0b"), r"'path' needs to be a path, which has no zero byte"),
        (lambda it: TableRetriever.load(5), r"'path' needs to be the path of a file or folder \(got 5\)"),
        (lambda it: load_checkpoint(None), r"'path' needs to be the path of a file or folder \(got None\)"),
        (lambda it: TableRetriever.from_ddl(DDL, HashingEncoder), r"'encoder' needs to be an encoder, such as MiniLM"),
        (lambda it: TableRetriever.from_ddl(DDL, "minilm"), r"'encoder' needs to be an encoder.*\(got 'minilm'\)"),
        (lambda it: TableRetriever.from_ddl(DDL, it.encoder, model="joingr"), r"'model' needs to be a model, such as"),
        (lambda it: TableRetriever.from_ddl(DDL, it.encoder, joins=5), r"'joins' needs to be a list of pairs"),
        (
            lambda it: TableRetriever.from_ddl(DDL, it.encoder, expand_names="yes"),
            r"'expand_names' needs to be true or",
        ),
        (lambda it: TableRetriever("schema.sql", it.encoder), r"'databases' needs to be a list of schemas"),
        (lambda it: TableRetriever(["shop"], it.encoder), r"'databases' needs to be a list of schemas.*got 'shop'"),
        (lambda it: it.refresh(5), r"'databases' needs to be a list of schemas \(got 5\)"),
    ],
)
def test_other_kinds_of_values_are_refused(retriever: TableRetriever, call: Call, message: str) -> None:
    with pytest.raises(JoinGRError, match=message) as error:
        call(retriever)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("model", [JoinGR, JoinGRPlus])
def test_a_model_of_another_encoder_is_refused(retriever: TableRetriever, model: Any) -> None:
    message = r"The model takes vectors of 32 numbers, and those of encoder 'hashing-16' have 16: use the encoder"
    with pytest.raises(JoinGRError, match=message):
        TableRetriever.from_ddl(DDL, retriever.encoder, model=model(32))


def test_a_single_schema_and_a_generator_are_lists(retriever: TableRetriever) -> None:
    alone = TableRetriever(retriever.databases[0], retriever.encoder)
    (answer,) = alone.retrieve_batch(question for question in ["Which a?"])
    assert answer.to_dict() == retriever.retrieve("Which a?").to_dict()


def test_any_number_of_tables_may_be_asked_for(retriever: TableRetriever) -> None:
    assert [table.table for table in retriever.retrieve("Which a?", k=10**30)] == ["a", "b"]


def test_a_path_object_is_a_path(retriever: TableRetriever, tmp_path: Path) -> None:
    retriever.save(tmp_path / "saved")
    assert TableRetriever.load(tmp_path / "saved").retrieve("Which a?").to_dict()["tables"]
