from typing import Any

import pytest

from joingr_pyg.describing.answers import Answer, TableWords, ends, read_answer
from joingr_pyg.schema import Database


def read(shop: Database, *tables: Any, known: tuple[str, ...] = (), last: bool = False, **parts: Any) -> Answer:
    return read_answer({"tables": list(tables), **parts}, shop, [shop["ORD"], shop["ORD_LN"]], known, last=last)


LINE = {"table": "ORD_LN", "line": "item of an order"}


def test_a_good_answer_is_taken(shop: Database) -> None:
    order = {
        "table": "ord",
        "line": " purchase of a\ncustomer ",
        "columns": [{"column": "st_cd", "words": "open or paid"}, {"column": "ORD.ORD_KEY", "words": "its number"}],
        "joins": [{"join": "cust.cust_key = ord.cust_key", "words": "who ordered"}],
    }
    answer = read(shop, order, LINE, abbreviations=[{"abbreviation": "LN", "meaning": "line"}])
    assert answer.tables == [
        TableWords(
            "ORD",
            "purchase of a customer",
            {"ST_CD": "open or paid", "ORD_KEY": "its number"},
            {"ORD.CUST_KEY = CUST.CUST_KEY": "who ordered"},
        ),
        TableWords("ORD_LN", "item of an order"),
    ]
    assert answer.abbreviations == {"LN": "line"}
    assert answer.faults == {}


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ({"table": "ORDERS", "line": "x"}, "the table was missing"),
        ({"table": "ORD"}, "the line was blank"),
        ({"table": "ORD", "line": 5}, "the line was blank"),
        ({"table": "ORD", "line": "Item of an order."}, "the line was that of another table too"),
        ({"table": "ORD", "line": "Known of CUST."}, "the line was that of another table too"),
        ({"table": "ORD", "line": "word " * 23}, "the line had 23 words: write at most 22"),
        ("ORD", "the table was missing"),
    ],
)
def test_a_line_of_no_use_is_told_and_others_are_taken(entry: Any, fault: str, shop: Database) -> None:
    answer = read_answer({"tables": [LINE, entry]}, shop, [shop["ORD_LN"], shop["ORD"]], ["known of cust"])
    assert [table.table for table in answer.tables] == ["ORD_LN"]
    assert answer.faults["ORD"].startswith(fault)


@pytest.mark.parametrize("said", [None, [], "no", 1, {}, {"tables": None}, {"tables": {"ORD": "x"}}, {"tables": [[]]}])
def test_an_answer_of_another_shape_describes_nothing(said: Any, shop: Database) -> None:
    answer = read_answer(said, shop, [shop["ORD"]], [])
    assert (list(answer.tables), dict(answer.abbreviations)) == ([], {})
    assert answer.faults == {"ORD": "the table was missing"}


def test_a_line_that_stays_too_long_is_cut_off(shop: Database) -> None:
    answer = read(shop, LINE, {"table": "ORD", "line": "word, " * 30}, last=True)
    assert answer.tables[0].line == ("word, " * 22).strip(", ")


def test_malformed_columns_joins_and_abbreviations_are_left_out(shop: Database) -> None:
    order = {
        "table": "ORD",
        "line": "a purchase",
        "columns": [
            {"column": "GONE", "words": "x"},
            {"column": "ST_CD", "words": ""},
            {"column": "ORD_KEY", "words": "ord key"},
            {"words": "x"},
            "ST_CD",
            {"column": "CUST_KEY", "words": "one two three four five six seven eight nine"},
        ],
        "joins": [
            {"join": "ORD.ORD_KEY = ORD_LN.ORD_KEY", "words": "of another table"},
            {"join": 1, "words": "x"},
            None,
        ],
    }
    abbreviations = [
        {"abbreviation": "XYZ", "meaning": "in no name"},
        {"abbreviation": "QTY", "meaning": "the QTY"},
        {"abbreviation": "ORD", "meaning": " "},
        {"abbreviation": "ST_CD", "meaning": "state of an order"},
        {"abbreviation": "NAME", "meaning": "of a table that was not asked for"},
    ]
    answer = read(shop, order, abbreviations=abbreviations)
    assert answer.tables[0].columns == {"CUST_KEY": "one two three four five six seven eight"}
    assert answer.tables[0].joins == {}
    assert answer.abbreviations == {"ST_CD": "state of an order"}


def test_a_join_is_the_same_in_either_direction_and_any_case() -> None:
    assert ends("a.x = B.y") == ends(" b.Y= A.x ") != ends("a.x = b.z")
