"""What is drawn of an answer."""

from collections.abc import Sequence

import pytest

from joingr_pyg import RetrievalResult, RetrievedTable
from joingr_pyg.plotting.picture import Picture
from joingr_pyg.retrieval.picture import FOUND, OTHERS, picture_of
from joingr_pyg.retrieval.walk import AnswerWalk, JoinDeposit
from joingr_pyg.schema import Column, Database, ForeignKey, Table

COLUMNS = (Column("id"), Column("up_id"), Column("other_id"))


def chain(length: int, source: str = "declared") -> Database:
    """Tables t0, t1, ... of which each refers to the one before; t1 refers to itself too."""
    keys = [ForeignKey(f"t{n}", "up_id", f"t{n - 1}", "id", source=source) for n in range(1, length)]  # type: ignore[arg-type]
    keys.append(ForeignKey("t1", "other_id", "t1", "id"))
    return Database("db", tuple(Table(f"t{n}", COLUMNS, description=f"about {n}") for n in range(length)), tuple(keys))


def found(*numbers: int) -> tuple[RetrievedTable, ...]:
    return tuple(RetrievedTable("db", f"t{n}", -float(n), "id", 0.5, (), False, (), f"why {n}") for n in numbers)


def answer(
    numbers: Sequence[int],
    deposits: Sequence[tuple[int, int, int, float]] = (),
    length: int = 6,
    source: str = "declared",
) -> RetrievalResult:
    """An answer with a walk of two hops from t0; deposits are (frontier, neighbor, hop, deposit)."""
    laid = tuple(
        JoinDeposit("db", f"t{a}", f"t{b}", f"t{max(a, b)}.up_id = t{min(a, b)}.id", hop, deposit)
        for a, b, hop, deposit in deposits
    )
    walk = AnswerWalk(2, {("db", "t0"): 0.9}, laid, length)
    return RetrievalResult("?", found(*numbers), (chain(length, source),), lambda: walk)


def names(picture: Picture) -> list[str]:
    return [table.name[1] for table in picture.tables]


def test_found_tables_come_first_then_what_connects_them_then_where_most_was_laid() -> None:
    shown = picture_of(answer([3, 0], [(0, 1, 1, 0.5), (3, 4, 1, 0.2), (4, 5, 2, 0.1)]))
    assert names(shown) == ["t3", "t0", "t1", "t2", "t4", "t5"]
    assert [table.place for table in shown.tables] == [1, 2, None, None, None, None]
    assert [table.name[1] for table in shown.listed] == ["t3", "t0"]
    assert shown.tables[0].reason == "why 3"
    assert shown.tables[2].reason.endswith("it connects them")
    assert shown.tables[4].reason.endswith("the walk touched it")
    assert shown.tables[0].description == "about 3"
    assert (shown.tables[1].anchor, shown.tables[0].anchor) == (0.9, None)
    assert (shown.hops, shown.num_tables, shown.num_touched, shown.drawn_share) == (2, 6, 5, pytest.approx(1))


def test_deposits_of_tables_and_joins_hop_by_hop_in_both_directions() -> None:
    shown = picture_of(answer([0, 1], [(0, 1, 1, 0.5), (1, 0, 2, 0.25)]))
    assert [table.deposits for table in shown.tables] == [(0.5, 0.25), (0.5, 0.25)]
    join = next(join for join in shown.joins if join.ends == (0, 1))
    assert (join.forward, join.backward) == ((0.5, 0.0), (0.0, 0.25))
    assert [join.deposit(hop) for hop in range(3)] == [0.0, 0.5, 0.75]
    assert [shown.tables[0].deposit(hop) for hop in range(3)] == [0.9, 0.5, 0.75]
    assert [shown.tables[1].deposit(hop) for hop in range(3)] == [0.0, 0.5, 0.75]


def test_joins_of_a_table_with_itself_and_inferred_ones() -> None:
    shown = picture_of(answer([0, 1], source="inferred"))
    kinds = {join.ends: join.inferred for join in shown.joins}
    assert kinds == {(0, 1): True, (1, 1): False}


def test_composite_keys_are_one_line() -> None:
    tables = tuple(Table(name, (Column("a"), Column("b"))) for name in ("x", "y"))
    keys = tuple(ForeignKey("x", column, "y", column) for column in ("a", "b"))
    tables_found = tuple(RetrievedTable("db", name, 0.0, "a", 0.0, (), False, (), "") for name in ("x", "y"))
    (join,) = picture_of(RetrievalResult("?", tables_found, (Database("db", tables, keys),))).joins
    assert [str(key) for key in join.keys] == ["x.a = y.a", "x.b = y.b"]


def test_of_a_large_walk_only_a_part_is_drawn() -> None:
    length = 100
    deposits = [(n, n + 1, 1, 1.0 - n / 200) for n in range(length - 1)]
    shown = picture_of(answer([0], deposits, length))
    assert len(shown.tables) == 1 + OTHERS
    assert (shown.num_tables, shown.num_touched) == (length, length)
    assert 0 < shown.drawn_share < 0.2
    shown = picture_of(answer(range(length), deposits, length))
    assert len(shown.tables) == FOUND
    assert len(shown.listed) == length
    assert all(max(join.ends) < FOUND for join in shown.joins)


def test_tables_with_next_to_nothing_are_left_out() -> None:
    assert names(picture_of(answer([0], [(0, 1, 1, 1.0), (1, 2, 2, 0.001)]))) == ["t0", "t1"]


def test_an_answer_without_a_walk_shows_its_tables_and_joins() -> None:
    shown = picture_of(RetrievalResult("?", found(1, 0), (chain(3),)))
    assert names(shown) == ["t1", "t0"]
    assert (shown.hops, shown.num_tables, shown.num_touched) == (0, 3, 0)
    assert [join.ends for join in shown.joins] == [(0, 1), (0, 0)]
    assert picture_of(RetrievalResult("?", (), (chain(3),))).tables == ()
