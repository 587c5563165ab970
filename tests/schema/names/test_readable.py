import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg.schema import Column, Database, Table
from joingr_pyg.schema.names.readable import find_column, is_internal, match, readable_name


@pytest.mark.parametrize(
    ("name", "names", "expected"),
    [
        ("a", ["A", "a"], "a"),  # the exact name wins over an earlier one that is merely alike
        ("ab", ["AB", "Ab"], "AB"),
        ("a", [" a"], None),
        ("", ["a", ""], ""),
        ("", [], None),
    ],
)
def test_match(name: str, names: list[str], expected: str | None) -> None:
    assert match(name, names) == expected


def test_match_uses_the_given_fold() -> None:
    assert match("id", ["Id "], fold=lambda name: name.strip().lower()) == "Id "


def test_internal_tables_are_those_sqlite_reserves() -> None:
    assert is_internal("sqlite_sequence")
    assert is_internal("SQLITE_STAT1")
    assert not is_internal("sqlite")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("A.X", ("a", "x")), ("a.b.c", ("a.b", "c")), ("A.B.C", ("a.b", "c")), ("a", None), ("a.c", None), (".x", None)],
)
def test_find_column(name: str, expected: tuple[str, str] | None) -> None:
    database = Database("d", (Table("a", (Column("x"),)), Table("a.b", (Column("c"),))))
    assert find_column(name, database) == expected


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("customer_id", "customer id"),
        ("customerId", "customer id"),
        ("CustomerID", "customer id"),
        ("IDNumber", "id number"),
        ("FCLT_BUILDING_KEY", "fclt building key"),
        ("line2Total", "line2 total"),
        ("Percent (%) Free", "percent (%) free"),
        ("a.b", "a.b"),
        ("__x__", "x"),
        ("名字", "名字"),
        ("Straße", "straße"),
        ("", "unnamed"),
        ("_ ", "unnamed"),
    ],
)
def test_readable_name(name: str, words: str) -> None:
    assert readable_name(name) == words


@settings(deadline=None)
@given(st.text(max_size=20))
def test_readable_name_is_stable_and_never_blank(name: str) -> None:
    words = readable_name(name)
    assert words.strip() == words != ""
    assert readable_name(words) == words
