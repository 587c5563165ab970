import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.joins.few_keys import declares_few_keys, with_inferred_joins

ORDERS = tuple(
    Table(f"{name}_order", (Column("id", "int"), Column("customer_id", "int")), ("id",))
    for name in ("old", "new", "next")
)
SHOP = Database("shop", (Table("customer", (Column("id", "int"), Column("name", "text")), ("id",)), *ORDERS))
KEYS = tuple(ForeignKey(order.name, "customer_id", "customer", "id") for order in ORDERS)


def shop(declared: int) -> Database:
    return Database("shop", SHOP.tables, KEYS[:declared])


def sources(database: Database) -> list[str]:
    return [join.source for join in database.joins]


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (0, ["inferred"] * 3),
        (1, ["declared", "inferred", "inferred"]),
        # One missing beside two that are declared: not more than half as many.
        (2, ["declared"] * 2),
        (3, ["declared"] * 3),
    ],
)
def test_by_default_joins_are_inferred_where_few_are_declared(declared: int, expected: list[str]) -> None:
    assert sources(with_inferred_joins(shop(declared))) == expected


def test_always_and_never() -> None:
    assert sources(with_inferred_joins(shop(2), True)) == ["declared", "declared", "inferred"]
    assert with_inferred_joins(SHOP, False) is SHOP


def test_doubtful_joins_do_not_make_keys_few() -> None:
    doubtful = ForeignKey("old_order", "customer_id", "customer", "id", source="inferred", confidence=0.4)
    assert not declares_few_keys(SHOP, (doubtful,))


def test_anything_else_is_refused() -> None:
    with pytest.raises(JoinGRError, match=r"'infer_joins' needs to be True, False or 'auto' \(got 'always'\)"):
        with_inferred_joins(SHOP, "always")  # type: ignore[arg-type]
