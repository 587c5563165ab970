from dataclasses import replace

import pytest

from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.joins.connecting import connecting_joins


def database(*joins: str, tables: str = "abcdefg") -> Database:
    """Tables of one letter, each with columns x and y; a join is written as ``"a.x b.x"``."""
    ends = [[end.split(".") for end in join.split()] for join in joins]
    return Database(
        "d",
        tuple(Table(name, (Column("x"), Column("y"))) for name in tables),
        tuple(ForeignKey(*left, *right) for left, right in ends),
    )


def connected(schema: Database, tables: str) -> list[str]:
    return [f"{join.table}{join.referenced_table}" for join in connecting_joins(schema, tables)]


CHAIN = database("a.x b.x", "b.x c.x", "c.x d.x", "e.x f.x")


@pytest.mark.parametrize(
    ("tables", "joins"),
    [("ab", ["ab"]), ("ac", ["ab", "bc"]), ("db", ["bc", "cd"]), ("a", []), ("", []), ("aacb", ["ab", "bc"])],
)
def test_the_way_leads_over_tables_between(tables: str, joins: list[str]) -> None:
    assert connected(CHAIN, tables) == joins


def test_what_no_joins_connect_stays_apart() -> None:
    assert connected(CHAIN, "acefg") == ["ab", "bc", "ef"]
    assert connected(database(), "abc") == []


def test_three_tables_meet_in_a_fourth() -> None:
    star = database("a.x d.x", "b.x d.x", "c.x d.x", "d.y e.x", "a.y f.x", "f.y g.x", "g.y b.y")
    assert connected(star, "abc") == ["ad", "bd", "cd"]


def test_all_joins_among_tables_are_told() -> None:
    joins = database("a.x b.x", "b.x c.x", "a.y b.y", "b.y b.x", "a.x c.y", "d.x d.y")
    assert connected(joins, "ab") == ["ab", "ab", "bb"]
    # A tree would do without one of the three.
    assert connected(joins, "abc") == ["ab", "bc", "ab", "bb", "ac"]
    assert connected(joins, "b") == ["bb"]


def test_a_declared_path_is_preferred_to_one_as_short_over_an_inferred_join() -> None:
    square = database("a.x b.x", "b.x d.x", "a.x c.x", "c.x d.x")
    first, *rest = square.foreign_keys
    doubtful = replace(square, foreign_keys=(replace(first, source="inferred", confidence=0.6), *rest))
    assert connected(square, "ad") == ["ab", "bd"]
    assert connected(doubtful, "ad") == ["ac", "cd"]
    # Beside a declared join of the same two tables it costs nothing.
    beside = replace(doubtful, foreign_keys=(*doubtful.foreign_keys, ForeignKey("a", "y", "b", "y")))
    assert connected(beside, "ad") == ["ab", "bd", "ab"]


def test_of_equally_short_ways_the_preferred_one_is_taken() -> None:
    square = database("a.x b.x", "b.x d.x", "a.x c.x", "c.x d.x", "b.y b.x")
    for kept in ([0, 1], [2, 3]):
        preferred = [square.joins[number] for number in kept]
        assert connecting_joins(square, "ad", preferred) == preferred
    # A longer way is not taken for it.
    longer = database("a.x b.x", "b.x c.x", "c.x d.x", "a.y d.y")
    assert connecting_joins(longer, "ad", longer.joins[:3]) == [longer.joins[3]]


def test_equally_short_ways_are_told_apart_the_same_way() -> None:
    square = database("a.x b.x", "b.x d.x", "a.x c.x", "c.x d.x")
    assert {tuple(connected(square, tables)) for tables in ("ad", "da")} == {("ab", "bd")}
