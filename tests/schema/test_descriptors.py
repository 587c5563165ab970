from dataclasses import replace

import pytest

from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.descriptors import (
    column_descriptors,
    join_descriptors,
    split_table_descriptor,
    table_descriptors,
    table_documents,
)

SHOP = Database(
    "web_shop",
    (
        Table(
            "Orders",
            (
                Column("OrderID", "INTEGER"),
                Column("cust", "INTEGER", natural_name="Customer ID"),
                Column("total", "REAL", description="Sum of all items,\n in  euros."),
            ),
            primary_key=("OrderID",),
            natural_name="order",
        ),
        Table("CUSTOMER_MASTER", (Column("id"), Column("名", "TEXT"))),
    ),
    (
        ForeignKey("Orders", "cust", "CUSTOMER_MASTER", "id"),
        ForeignKey("CUSTOMER_MASTER", "id", "Orders", "cust"),
    ),
)


def test_column_descriptors() -> None:
    assert column_descriptors(SHOP) == [
        "The order id of a order in web shop. Column web_shop.Orders.OrderID, integer, key.",
        "The customer id of a order in web shop. Column web_shop.Orders.cust, integer, key.",
        "The total of a order in web shop. Sum of all items, in euros. Column web_shop.Orders.total, real.",
        "The id of a customer master in web shop. Column web_shop.CUSTOMER_MASTER.id, key.",
        "The 名 of a customer master in web shop. Column web_shop.CUSTOMER_MASTER.名, text.",
    ]


@pytest.mark.parametrize(
    ("description", "kept"),
    [("word " * 1000, " ".join(["word"] * 50)), ("预算" * 1000, "预算" * 125)],
    ids=["words", "script without spaces"],
)
def test_a_long_description_is_cut_and_keeps_the_name_behind_it(description: str, kept: str) -> None:
    column = Column("note", "TEXT", description=description)
    (text,) = column_descriptors(Database("d", (Table("t", (column,)),)))
    assert text == f"The note of a t in d. {kept}. Column d.t.note, text."


def test_one_text_for_a_join_in_the_direction_first_declared() -> None:
    assert join_descriptors(SHOP) == [
        "Join of web_shop.Orders.cust with web_shop.CUSTOMER_MASTER.id. "
        "The customer id of a order is the id of a customer master, which links order with customer master."
    ]


def test_table_descriptors_list_the_first_forty_columns() -> None:
    wide = Table("wide", tuple(Column(f"c{i}") for i in range(41)))
    assert table_descriptors(Database("web_shop", (*SHOP.tables, wide))) == [
        "table Orders in database web_shop; columns: order id, customer id, total",
        "table CUSTOMER_MASTER in database web_shop; columns: id, 名",
        f"table wide in database web_shop; columns: {', '.join(f'c{i}' for i in range(40))}",
    ]


DESCRIBED = Database(
    "web_shop",
    (
        replace(SHOP["Orders"], description="What was\n bought; columns: see below. "),
        replace(SHOP["CUSTOMER_MASTER"], description="word " * 1000),
    ),
    (replace(SHOP.foreign_keys[0], description="An order is\n placed by a customer."), SHOP.foreign_keys[1]),
)


def test_the_reason_that_a_join_comes_with_stands_in_place_of_what_its_names_tell() -> None:
    assert join_descriptors(DESCRIBED) == [
        "Join of web_shop.Orders.cust with web_shop.CUSTOMER_MASTER.id. An order is placed by a customer."
    ]


def test_a_table_s_description_stands_between_its_name_and_its_columns() -> None:
    first, second = table_descriptors(DESCRIBED)
    title = "table Orders in database web_shop: What was bought; columns: see below"
    assert first == f"{title}; columns: order id, customer id, total"
    assert split_table_descriptor(first) == (title, ["order id", "customer id", "total"])
    kept = " ".join(["word"] * 50)
    assert second == f"table CUSTOMER_MASTER in database web_shop: {kept}; columns: id, 名"


def test_a_document_holds_the_table_s_description_once() -> None:
    plain, described = table_documents(SHOP)[0], table_documents(DESCRIBED)[0]
    name = "order order order web shop "
    assert plain.startswith(f"{name}order id customer id total")
    assert described == plain.replace(name, f"{name}What was bought; columns: see below. ")
    assert table_documents(DESCRIBED)[1].count("word") == 40


def test_a_table_s_description_alters_no_text_of_its_columns() -> None:
    assert column_descriptors(DESCRIBED) == column_descriptors(SHOP)


def test_odd_names_stay_verbatim_in_the_canonical_name() -> None:
    table = Table("we ird", tuple(Column(name) for name in ("Percent (%) Free", "a.b", 'q"q', "", "group")))
    assert column_descriptors(Database("d", (table,))) == [
        "The percent (%) free of a we ird in d. Column d.we ird.Percent (%) Free.",
        "The a.b of a we ird in d. Column d.we ird.a.b.",
        'The q"q of a we ird in d. Column d.we ird.q"q.',
        "The unnamed of a we ird in d. Column d.we ird..",
        "The group of a we ird in d. Column d.we ird.group.",
    ]
