import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg.schema import Column, Database, ForeignKey, Table, read_schema_json, read_tables_json
from joingr_pyg.schema.joins.features import FEATURES
from joingr_pyg.schema.joins.inference import LEAST_CONFIDENCE, JoinModel, infer_joins
from joingr_pyg.schema.names.expansion import with_expanded_names


def table(name: str, columns: str, key: str = "id", kind: str = "bigint") -> Table:
    """A table of columns in one text, ``name:type`` where the type is another."""
    parts = [column.partition(":") for column in columns.split()]
    return Table(name, tuple(Column(column, own or kind) for column, _, own in parts), (key,) if key else ())


def inferred(tables: Sequence[Table], keys: Sequence[ForeignKey] = ()) -> set[str]:
    return {str(join) for join in infer_joins(Database("d", tuple(tables), tuple(keys)))}


CUSTOMERS = table("customers", "id name:text")


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        # The table and its key in the name, singular and plural, with a role before them, in any spelling.
        ([CUSTOMERS, table("orders", "id customer_id")], {"orders.customer_id = customers.id"}),
        ([CUSTOMERS, table("orders", "id buying_customer_id")], {"orders.buying_customer_id = customers.id"}),
        ([CUSTOMERS, table("Orders", "id CustomerID")], {"Orders.CustomerID = customers.id"}),
        (
            [
                table("category", "category_id title:text", "category_id"),
                table("item", "item_id category_id", "item_id"),
            ],
            {"item.category_id = category.category_id"},
        ),
        # Prefixes of families of tables, words for kinds of tables, and prefixes of columns.
        (
            [
                table("app_user", "id name:text"),
                table("app_group", "id name:text"),
                table("app_member", "id user_id group_id"),
            ],
            {"app_member.user_id = app_user.id", "app_member.group_id = app_group.id"},
        ),
        (
            [
                table("STORE", "S_STORE_SK S_NAME:text S_CITY:text", "S_STORE_SK"),
                table("SALES", "SS_ID SS_STORE_SK SS_PRICE:decimal", "SS_ID"),
            ],
            {"SALES.SS_STORE_SK = STORE.S_STORE_SK"},
        ),
        # Of two keys the one of the right type.
        (
            [
                table("account", "record_id id:varchar(36)", "record_id"),
                table("invoice", "record_id account_id:varchar(36) account_record_id", "record_id"),
            ],
            {"invoice.account_id = account.id", "invoice.account_record_id = account.record_id"},
        ),
        # A table alone says more where both columns are numbers, and less where it may be known by several numbers.
        (
            [table("pilot", "pilot_id name:text", "pilot_id"), table("flight", "id pilot co_name:text")],
            {"flight.pilot = pilot.pilot_id"},
        ),
        ([table("pilot", "pilot_id name:text", "pilot_id"), table("flight", "id pilot:varchar(9)")], set()),
        ([table("pilot", "id pilot_api_id pilot_fifa_id"), table("flight", "id first_pilot")], set()),
        # A table that declares no key has one by its name.
        (
            [table("player", "player_id name:text", ""), table("salary", "year player_id pay:decimal(8,2)", "")],
            {"salary.player_id = player.player_id"},
        ),
        # Plurals without an ending of their own, and people in a role.
        ([table("people", "id name:text"), table("visit", "id person_id")], {"visit.person_id = people.id"}),
        ([table("users", "id name:text"), table("visit", "id creator")], {"visit.creator = users.id"}),
        (
            [
                table("student", "id name:text"),
                table("faculty", "id name:text"),
                table("course", "id instructor", "id"),
            ],
            {"course.instructor = faculty.id"},
        ),
        # No reference.
        ([table("staff", "id phone_number:text"), table("guest", "id phone_number:text")], set()),
        ([CUSTOMERS, table("orders", "id customer_id:timestamp")], set()),
        ([CUSTOMERS, table("orders", "id name:text total")], set()),
        ([CUSTOMERS, table("products", "id name:text")], set()),
    ],
)
def test_joins_by_hand(tables: list[Table], expected: set[str]) -> None:
    assert inferred(tables) == expected


def test_a_position_refers_to_nothing() -> None:
    indexes = table("idxs", "id tab_id")
    assert infer_joins(Database("d", (indexes, table("cols", "id integer_idx")))) == ()
    (join,) = infer_joins(Database("d", (indexes, table("cols", "id integer_idx_id"))))
    assert str(join) == "cols.integer_idx_id = idxs.id"


def test_a_join_says_how_sure_it_is_and_why() -> None:
    (join,) = infer_joins(Database("d", (CUSTOMERS, table("orders", "id customer_id"))))
    assert join.source == "inferred"
    assert 0.8 < join.confidence < 1
    assert join.evidence == "its name is that of 'customers' and 'id'; 'id' is the primary key of 'customers'"


def test_a_column_that_has_a_declared_join_is_left_alone() -> None:
    orders = table("orders", "id customer_id")
    other = table("parties", "id")
    keys = [ForeignKey("orders", "customer_id", "parties", "id")]
    assert inferred([CUSTOMERS, orders, other], keys) == set()


def test_what_columns_of_the_same_name_are_declared_to_refer_to_counts() -> None:
    tables = [
        table("old_customer", "id"),
        table("web_customer", "id"),
        *(table(f"t{n}", "id customer_id") for n in "abc"),
    ]
    assert inferred(tables) == set()
    keys = [ForeignKey(f"t{n}", "customer_id", "web_customer", "id") for n in "ab"]
    (join,) = infer_joins(Database("d", tuple(tables), tuple(keys)))
    assert str(join) == "tc.customer_id = web_customer.id"
    assert join.evidence.startswith("2 columns of the same name are declared to refer to it")


def test_rows_and_opinions_count() -> None:
    database = Database("d", (CUSTOMERS, table("orders", "id customer_id")))
    (join,) = infer_joins(database)
    (surer,) = infer_joins(database, contained=lambda _: 1.0)
    assert surer.confidence > join.confidence
    assert surer.evidence == f"{join.evidence}; 100% of its values are there"
    assert infer_joins(database, contained=lambda _: 0.1) == ()
    (doubted,) = infer_joins(database, opinion=lambda _: 0.3)
    assert LEAST_CONFIDENCE < doubted.confidence < join.confidence
    assert doubted.evidence.endswith("a second opinion gives it a probability of 0.30")
    assert infer_joins(database, contained=lambda _: None, opinion=lambda _: None) == (join,)


def test_the_weights_are_of_features_that_exist() -> None:
    model = JoinModel.fitted()
    assert model.weights.shape == (len(FEATURES),)
    weights = dict(zip(FEATURES, model.weights, strict=True))
    assert weights["full:primary"] > 0 > weights["other:plain"]


NAMES = st.sampled_from(
    ["id", "user_id", "user", "users", "name", "a_b_id", "created_by", "", "x1", "Order No", "注文"]
)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(NAMES, st.lists(NAMES, min_size=1, max_size=5, unique=True)), max_size=5, unique_by=lambda t: t[0]
    )
)
def test_any_schema_has_valid_joins(schema: list[tuple[str, list[str]]]) -> None:
    tables = tuple(Table(name, tuple(map(Column, columns)), tuple(columns[:1])) for name, columns in schema)
    if not tables:
        return
    database = Database("d", tables)
    joins = infer_joins(database)
    replace(database, foreign_keys=joins)  # It is refused where a key names what does not exist.
    assert all(LEAST_CONFIDENCE <= join.confidence <= 1 and len(join.endpoints) == 2 for join in joins)
    assert len({(join.table, join.column) for join in joins}) == len(joins)


DATA = Path(os.environ["JOINGR_DATA"]) if "JOINGR_DATA" in os.environ else None
needs_data = pytest.mark.skipif(DATA is None, reason="JOINGR_DATA is not set")


def f1(databases: Sequence[Database]) -> float:
    """Of joined pairs of columns, with all declared keys hidden."""
    right = total = 0
    for database in databases:
        keys = {join.endpoints for join in database.joins}
        found = {join.endpoints for join in infer_joins(replace(database, foreign_keys=()))}
        right += len(keys & found)
        total += len(keys) + len(found)
    return 2 * right / total


@needs_data
def test_keys_of_spider_and_bird_that_the_weights_were_not_fitted_to() -> None:
    assert DATA is not None
    asked = {question["db_id"] for question in json.loads((DATA / "spider/dev.json").read_text(encoding="utf-8"))}
    assert f1([each for each in read_tables_json(DATA / "spider/tables.json") if each.name in asked]) >= 0.88
    bird = read_tables_json(DATA / "bird/dev/dev_tables.json")
    assert f1(bird) >= 0.71
    assert f1([each for each in bird if each.name != "european_football_2"]) >= 0.86


@needs_data
def test_undeclared_joins_that_questions_use() -> None:
    assert DATA is not None
    undeclared, right = 0, 0
    for path in sorted((DATA / "real_schemas").glob("*/schema.json")):
        database = with_expanded_names(read_schema_json(path)[0])
        declared = {join.endpoints for join in database.joins}
        lines = path.with_name("questions.jsonl").read_text(encoding="utf-8").splitlines()
        used = {
            frozenset((tuple(first), tuple(second)))
            for line in lines
            for first, second, *_ in json.loads(line).get("joins", ())
            if first != second
        }
        found = {join.endpoints for join in infer_joins(database)}
        undeclared += len(used - declared)
        right += len((used - declared) & found)
    assert undeclared == 101
    assert right >= 57
