"""A restricted retriever answers exactly as one whose schemas never had the other tables."""

import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg import TableRetriever
from joingr_pyg.datasets.demo import read_demo
from joingr_pyg.encoders import CachedEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGRPlus, TrainableRetriever, heuristic
from joingr_pyg.models.joingr_plus.model import UNTRAINED, untrained
from joingr_pyg.retrieval.restriction import KEPT, KEPT_SHARE
from joingr_pyg.retrieval.value_evidence import ValueEvidence
from joingr_pyg.schema import Column, Database, ForeignKey, Table, TableName
from joingr_pyg.schema.names.glossary import Words
from joingr_pyg.schema.preparation import Preparation
from joingr_pyg.text.value_index import ValueColumn, ValueIndex

NAMES = ["customer", "orders", "order_item", "product", "supplier", "invoice", "payment", "warehouse", "employee"]
FIELDS = ["name", "town", "placed_on", "amount", "status", "cust_nbr"]
QUESTIONS = [
    "Which customers of Oslo ordered a product twice?",
    "Total amount of payments per employee and warehouse",
    "the supplier named Radiohead",
    "weather tomorrow",
]
VALUES = ["Oslo", "Radiohead", "open", "Kid A"]

WORDS = Words(
    "test",
    abbreviations={"NBR": "number"},
    tables={name: f"all about each {name}" for name in NAMES},
    columns={name: {"status": f"state of the {name}"} for name in NAMES},
)


def trained_like() -> TrainableRetriever:
    torch.manual_seed(0)
    model = JoinGRPlus(64, candidates=6).requires_grad_(False)
    model.calibration = UNTRAINED
    return model


MODELS: dict[str, Callable[[], TrainableRetriever]] = {
    "untrained": untrained,
    "heuristic": heuristic,
    "trained": trained_like,
}


@st.composite
def databases(draw: st.DrawFn, name: str) -> Database:
    """A schema with some declared keys, and some that only names tell."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=7, unique=True))
    tables, keys = [], []
    for table in names:
        others = [other for other in names if other != table]
        referred = draw(st.lists(st.sampled_from(others), max_size=3, unique=True))
        fields = draw(st.lists(st.sampled_from(FIELDS), max_size=4, unique=True))
        columns = ["id", *fields, *(f"{other}_id" for other in referred)]
        tables.append(Table(table, tuple(Column(column, "int") for column in columns), ("id",)))
        declared = draw(st.lists(st.sampled_from(referred), unique=True)) if referred else []
        keys += [ForeignKey(table, f"{other}_id", other, "id") for other in declared]
    return Database(name, tuple(tables), tuple(keys))


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Database], set[TableName], Preparation, list[tuple[str, list[TableName]]]]:
    """Schemas, the tables that are allowed, how schemas are prepared, and answered questions."""
    schemas = [draw(databases(name)) for name in draw(st.sampled_from([["shop"], ["shop", "crm"]]))]
    every = [(schema.name, table.name) for schema in schemas for table in schema]
    allowed = draw(st.sets(st.sampled_from(every), min_size=1))
    words = draw(st.sampled_from([None, WORDS]))
    preparation = Preparation(draw(st.booleans()), words, (), draw(st.sampled_from([True, False, "auto"])))
    needed = st.lists(st.sampled_from(every), min_size=1, max_size=3, unique=True)
    return schemas, allowed, preparation, draw(st.lists(st.tuples(st.sampled_from(QUESTIONS), needed), max_size=4))


def without_others(schema: Database, allowed: set[TableName]) -> Database:
    """The schema as its reader would return it if there were no other tables; written apart from the package."""
    tables = tuple(table for table in schema.tables if (schema.name, table.name) in allowed)
    keys = tuple(
        key
        for key in schema.foreign_keys
        if all((schema.name, table) in allowed for table in (key.table, key.referenced_table))
    )
    return Database(schema.name, tables, keys)


def value_columns(schemas: Sequence[Database]) -> Iterator[tuple[ValueColumn, list[str]]]:
    for schema in schemas:
        for table in schema:
            for column in table.columns:
                if column.name in ("name", "town", "status"):
                    yield ValueColumn(schema.name, table.name, column.name), VALUES[len(table.name) % 3 :]


def made(
    schemas: Sequence[Database],
    preparation: Preparation,
    answered: Sequence[tuple[str, Sequence[TableName]]],
    encoder: CachedEncoder,
    model: TrainableRetriever,
    values: Path,
) -> TableRetriever:
    retriever = TableRetriever(preparation(schemas), encoder, model, preparation=preparation)
    retriever._values = ValueEvidence(ValueIndex.write(values, value_columns(schemas)), retriever.databases)
    if isinstance(model, JoinGRPlus) and answered:
        retriever.remember(*map(list, zip(*answered, strict=True)))
    return retriever


def answers(retriever: TableRetriever, question: str, **options: Any) -> list[object]:
    """All that an answer says."""
    calibrated = retriever.model.calibration is not None
    results = [retriever.retrieve(question, k, **options) for k in (1, 3, 20, *([None] if calibrated else []))]
    return [
        each
        for result in results
        for each in (
            result.to_dict(),
            result.to_ddl(),
            result.to_ddl(matching_columns=True),
            result.joins,
            result.to_html(),
            repr(result.walk_source()) if result.walk_source is not None else None,
        )
    ]


@pytest.mark.parametrize("kind", MODELS)
@given(case=cases(), question=st.sampled_from(QUESTIONS))
@settings(max_examples=12)
def test_answers_are_those_of_schemas_without_the_other_tables(
    kind: str,
    encoder: CachedEncoder,
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[list[Database], set[TableName], Preparation, list[tuple[str, list[TableName]]]],
    question: str,
) -> None:
    schemas, allowed, preparation, answered = case
    folder = tmp_path_factory.getbasetemp()
    whole = made(schemas, preparation, answered, encoder, MODELS[kind](), folder / "whole.sqlite")
    reduced = made(
        [without_others(schema, allowed) for schema in schemas if schema.name in {name for name, _ in allowed}],
        preparation,
        [(text, needed) for text, needed in answered if set(needed) <= allowed],
        encoder,
        MODELS[kind](),
        folder / "reduced.sqlite",
    )
    before = answers(whole, question)
    expected = answers(reduced, question)
    assert answers(whole, question, allowed=sorted(allowed)) == expected
    assert answers(whole, question, allowed=lambda *table: table in allowed) == expected
    restricted = whole.restricted(sorted(allowed))
    assert restricted.databases == reduced.databases
    assert answers(restricted, question) == expected
    assert answers(whole, question) == before


FORBIDDEN = "zyxsalary"


@pytest.fixture
def staff(encoder: CachedEncoder) -> TableRetriever:
    """A schema in which a table that is not for everyone lies between others."""
    return TableRetriever.from_ddl(
        f"""
        CREATE TABLE person (person_id INT PRIMARY KEY, full_name TEXT, town TEXT);
        CREATE TABLE {FORBIDDEN} ({FORBIDDEN}_id INT PRIMARY KEY, person_id INT REFERENCES person,
            {FORBIDDEN}_grade INT, contract_id INT REFERENCES contract);
        CREATE TABLE contract (contract_id INT PRIMARY KEY, title TEXT);
        CREATE TABLE office (office_id INT PRIMARY KEY, person_id INT REFERENCES person);
        """,
        encoder,
    ).remember([f"{FORBIDDEN} of each person", "offices of persons"], [[FORBIDDEN, "person"], ["office", "person"]])


def others(database: str, table: str) -> bool:
    return table != FORBIDDEN


def said_by(action: Callable[[], object]) -> str:
    """What an action answers, or the sentence that refuses it."""
    try:
        return repr(action())
    except JoinGRError as error:
        return f"{type(error).__name__}: {error}"


def test_nothing_that_can_be_asked_tells_of_a_forbidden_table(
    staff: TableRetriever, encoder: CachedEncoder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    (schema,) = staff.databases
    reduced = TableRetriever(
        [without_others(schema, {(schema.name, name) for name in ("person", "contract", "office")})],
        encoder,
        preparation=staff.preparation,
    ).remember(["offices of persons"], [["office", "person"]])
    ways: list[Callable[[TableRetriever], object]] = [
        lambda asked: asked.retrieve(f"{FORBIDDEN} grade of each person", 9).to_dict(),
        lambda asked: asked.retrieve(f"{FORBIDDEN}_id of a person's contract", None).to_dict(),
        lambda asked: asked.retrieve("person and contract", 9).to_ddl(),
        lambda asked: asked.retrieve("who", allowed=[FORBIDDEN]),
        lambda asked: asked.retrieve("who", allowed=[f"{FORBIDDEN[:3]}*"]),
        lambda asked: asked.retrieve("who", databases=[FORBIDDEN]),
        lambda asked: asked.joins_between(["person", "contract"]),
        lambda asked: asked.joins_between(["person", FORBIDDEN]),
        lambda asked: asked.joins_between([FORBIDDEN[:-1]]),
        lambda asked: asked.remember(["who"], [[FORBIDDEN]]),
        lambda asked: asked.forget([f"{FORBIDDEN} of each person"]),
        lambda asked: asked.refresh(),
        lambda asked: [asked.databases, asked.corpus.tables, asked.preparation],
    ]
    for way in ways:
        said = said_by(lambda way=way: way(staff.restricted(others)))
        assert said == said_by(lambda way=way: way(reduced))
    result = staff.retrieve("what does a person earn in which contract?", 9, allowed=others)
    staff.restricted(others).save(tmp_path / "saved")
    written = b"".join(path.read_bytes() for path in (tmp_path / "saved").iterdir())
    for text in (result.to_json(), result.to_ddl(), repr(result), caplog.text, written.decode(errors="replace")):
        assert FORBIDDEN not in text
    assert [str(join) for join in result.joins] == ["office.person_id = person.person_id"]


def test_without_the_restriction_the_way_leads_over_the_table(staff: TableRetriever) -> None:
    found = staff.retrieve("person and contract", 9)
    assert FORBIDDEN in [table.table for table in found]
    assert staff.joins_between(["person", "contract"]) == [
        f"{FORBIDDEN}.person_id = person.person_id",
        f"{FORBIDDEN}.contract_id = contract.contract_id",
    ]
    assert staff.restricted(others).joins_between(["person", "contract"]) == []


def test_preparation_says_nothing_of_forbidden_tables(encoder: CachedEncoder, tmp_path: Path) -> None:
    words = {
        "provenance": "test",
        "tables": {"PERSON": "people", FORBIDDEN: "what they earn"},
        "columns": {FORBIDDEN.upper(): {"person_id": "who earns it"}, "person": {"full_name": "their name"}},
        "joins": {
            f"{FORBIDDEN}.person_id = person.person_id": "who earns",
            "office.person_id = person.person_id": "sits",
        },
    }
    (tmp_path / "words.json").write_text(json.dumps(words))
    retriever = TableRetriever.from_ddl(
        f"CREATE TABLE person (person_id INT, full_name TEXT); CREATE TABLE {FORBIDDEN} (person_id INT);"
        "CREATE TABLE office (person_id INT)",
        encoder,
        words=tmp_path / "words.json",
        joins=[(f"{FORBIDDEN}.person_id", "office.person_id"), ("person.full_name", "office.person_id")],
    )
    left = retriever.restricted(others).preparation
    assert left == Preparation(
        True,
        Words(
            "test",
            {},
            {"PERSON": "people"},
            {"person": {"full_name": "their name"}},
            {"office.person_id = person.person_id": "sits"},
        ),
        (("person.full_name", "office.person_id"),),
        "auto",
    )
    assert FORBIDDEN not in repr(left)


def test_what_changes_later_counts(staff: TableRetriever, encoder: CachedEncoder) -> None:
    question = "furniture of the rooms"

    def scores(**options: Any) -> dict[str, float]:
        return {table.table: table.score for table in staff.retrieve(question, 9, **options)}

    first = scores(allowed=others)
    assert scores(allowed=others) == first
    staff.remember([question], [["contract"]])
    assert scores(allowed=others)["contract"] > first["contract"]
    staff.forget([question])
    assert scores(allowed=others) == first
    staff.model.load_state_dict(staff.model.state_dict() | {"prior_weight": torch.tensor(1.0)})
    assert scores(allowed=others) != first
    assert scores(allowed=others) == {
        table.table: table.score for table in staff.restricted(others).retrieve(question, 9)
    }
    size = len(staff.retrieve(question, None, allowed=others))
    staff.model.calibration = replace(UNTRAINED, bias=-20.0)
    assert len(staff.retrieve(question, None, allowed=others)) == 1 < size
    schema = staff.databases[0]
    staff.refresh([replace(schema, tables=schema.tables[:2], foreign_keys=())])
    assert set(scores(allowed=others)) == {"person"}


def test_a_restricted_retriever_stands_alone(staff: TableRetriever) -> None:
    restricted = staff.restricted(others)
    before = staff.retrieve("rooms", 9, allowed=others)
    restricted.remember(["rooms"], [["contract"]])
    assert restricted.retrieve("rooms")[0].table == "contract"
    assert staff.retrieve("rooms", 9, allowed=others) == before
    assert len(staff.model.memory) == 2
    assert len(restricted.model.memory) == 2


def test_restrictions_of_restrictions_and_of_saved_retrievers(staff: TableRetriever, tmp_path: Path) -> None:
    question = "offices of persons"
    expected = staff.retrieve(question, 9, allowed=["person", "office"])
    assert staff.restricted(others).retrieve(question, 9, allowed=["person", "office"]) == expected
    assert staff.retrieve_batch([question, "x"], 9, allowed=["person", "office"])[0] == expected
    staff.save(tmp_path / "saved")
    assert TableRetriever.load(tmp_path / "saved").retrieve(question, 9, allowed=["person", "office"]) == expected
    assert pickle.loads(pickle.dumps(staff)).retrieve(question, 9, allowed=["person", "office"]) == expected


def test_databases_restrict_too(encoder: CachedEncoder) -> None:
    schemas = read_demo("test").databases
    every = TableRetriever(schemas, encoder)
    alone = TableRetriever([schemas[1]], encoder)
    question = "Which branches lend most books?"
    assert every.retrieve(question, databases=schemas[1].name) == alone.retrieve(question)
    assert every.retrieve(question, databases=[schema.name for schema in schemas]) == every.retrieve(question)
    with pytest.raises(JoinGRError, match="did you mean 'observatory'"):
        every.retrieve(question, databases=["observatori"])


def test_few_restricted_retrievers_are_kept(encoder: CachedEncoder) -> None:
    retriever = TableRetriever(read_demo("test").databases, encoder)
    names = [name for _, name in retriever.corpus.tables]
    for name in names[: KEPT + 4]:
        retriever.retrieve("who", allowed=[name])
    assert len(retriever._restricted) == KEPT
    for left_out in names[:8]:
        retriever.retrieve("who", allowed=lambda _, name, left_out=left_out: name != left_out)
    assert len(retriever._restricted) == KEPT_SHARE
