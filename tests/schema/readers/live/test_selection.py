"""Patterns of the tables to read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.readers.live.selection import Patterns, Selection, patterns


@pytest.mark.parametrize(
    ("include", "exclude", "chosen"),
    [
        (None, None, {"sales.orders", "sales.orders_bak", "hr.person", ".v1.2"}),
        (["sales.*"], ["*_bak"], {"sales.orders"}),
        ("ORD*", None, {"sales.orders", "sales.orders_bak"}),
        (["hr.*", "orders"], None, {"hr.person", "sales.orders"}),
        (["*"], ["sales.*"], {"hr.person", ".v1.2"}),
        (["v1.2"], None, {".v1.2"}),
        (["orders_ba[kx]"], None, {"sales.orders_bak"}),
        (None, ["person", "*.orders*"], {".v1.2"}),
    ],
)
def test_patterns_are_of_tables_or_of_schema_and_table(include: Patterns, exclude: Patterns, chosen: set[str]) -> None:
    tables = [("sales", "orders"), ("sales", "orders_bak"), ("hr", "person"), ("", "v1.2")]
    selection = Selection.of(include, exclude)
    assert {".".join(table) for table in tables if selection.chooses(*table)} == chosen


@given(st.text(), st.text())
def test_without_patterns_every_table_is_chosen(schema: str, table: str) -> None:
    assert Selection.of(None, []).chooses(schema, table)
    assert not Selection.of(None, ["*"]).chooses(schema, table)


def test_patterns_that_match_nothing_are_known() -> None:
    assert Selection.of(["a", "b*"], None).unused([("s", "bc")]) == ["a"]


@pytest.mark.parametrize("given", [[1], [""], {"a": "b"}, 7, [["a"]]])
def test_what_is_no_list_of_texts_is_refused(given: Patterns) -> None:
    with pytest.raises(JoinGRError, match=r"'include' needs to be a list of texts, as \['sales\.\*'\] \(got "):
        patterns("include", given)
