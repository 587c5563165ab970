import json
from pathlib import Path

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.joins.given import read_joins, with_given_joins

SHOP = Database(
    "shop",
    (
        Table("Customer", (Column("id"), Column("name")), ("id",)),
        Table("orders", (Column("id"), Column("customer"), Column("placed.by")), ("id",)),
    ),
    (ForeignKey("orders", "id", "Customer", "name"),),
)


def test_given_joins_refer_to_the_key() -> None:
    shop = with_given_joins(SHOP, [("customer.ID", "orders.customer"), ("orders.placed.by", "Customer.id")])
    assert [(str(join), join.source, join.confidence) for join in shop.joins[1:]] == [
        ("orders.customer = Customer.id", "given", 1.0),
        ("orders.placed.by = Customer.id", "given", 1.0),
    ]


def test_a_join_that_is_there_is_not_added() -> None:
    assert with_given_joins(SHOP, [("Customer.name", "orders.id")]) is SHOP
    twice = [("orders.customer", "Customer.id"), ("Customer.id", "orders.customer")]
    assert len(with_given_joins(SHOP, twice).joins) == 2


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("orders.custmer", "did you mean 'orders.customer'?"),
        ("Custommer.id", "did you mean 'Customer.id'?"),
        ("zzz", "write it as 'table.column'."),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(JoinGRError) as caught:
        with_given_joins(SHOP, [(name, "Customer.id")])
    assert str(caught.value) == f"Database 'shop' has no column {name!r}: {hint}"


def test_a_column_is_not_joined_to_itself() -> None:
    with pytest.raises(JoinGRError, match="joins a column to itself"):
        with_given_joins(SHOP, [("orders.id", "ORDERS.ID")])


def test_files_of_joins(tmp_path: Path) -> None:
    expected = (("a.x", "b.y"), ("c.z", "b.y"))
    (tmp_path / "joins.txt").write_text("# joins of the shop\na.x = b.y\n\nc.z=b.y\n")
    (tmp_path / "joins.json").write_text(json.dumps(expected))
    assert read_joins(tmp_path / "joins.txt") == expected
    assert read_joins(str(tmp_path / "joins.json")) == expected
    assert read_joins(expected) == expected
    assert read_joins(()) == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a.x\n", r"Join 1 of the joins file '.*' is no pair of columns"),
        ("a.x = b.y\na = b = c\n", r"Join 2 of the joins file '.*' is no pair of columns"),
        ("[[1, 2]]", r"Join 1 of the joins file '.*' is no pair of columns \(got \[1, 2\]\)"),
        ("[[", r"is no valid JSON"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "joins").write_text(text)
    with pytest.raises(JoinGRError, match=reason):
        read_joins(tmp_path / "joins")


def test_a_missing_file_and_what_is_no_pair_are_refused() -> None:
    with pytest.raises(JoinGRError, match=r"The joins file 'gone\.txt' cannot be read \(No such file or directory\)"):
        read_joins("gone.txt")
    with pytest.raises(JoinGRError, match=r"Join 1 is no pair of columns \(got 'a\.x = b\.y'\)"):
        read_joins(["a.x = b.y"])  # type: ignore[list-item]


def test_a_schema_that_has_lost_a_column_keeps_its_other_joins(caplog: pytest.LogCaptureFixture) -> None:
    shop = with_given_joins(SHOP, [("orders.gone", "Customer.id"), ("orders.customer", "Customer.id")], strict=False)
    assert [str(join) for join in shop.joins[1:]] == ["orders.customer = Customer.id"]
    assert "The join 'orders.gone' = 'Customer.id' is left out." in caplog.text
