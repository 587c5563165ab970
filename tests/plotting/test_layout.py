"""Nothing of a picture covers anything else of it."""

from itertools import combinations

import pytest

from joingr_pyg.plotting.layout import (
    LARGEST,
    SMALLEST,
    Layout,
    _label_box,
    key_labels,
    lay_out,
    radius_of,
    shortened,
    text_width,
)
from joingr_pyg.plotting.picture import Picture, PictureJoin, PictureTable
from joingr_pyg.schema import ForeignKey


def table(number: int, database: str = "db", deposit: float = 0.0, name: str = "") -> PictureTable:
    return PictureTable((database, name or f"table_{number}"), "", None, None, "", "", 0.0, None, (deposit,))


def join(one: int, other: int, *columns: str) -> PictureJoin:
    keys = [ForeignKey(f"table_{one}", column, f"table_{other}", "id") for column in columns or ("key_id",)]
    return PictureJoin((one, other), tuple(keys), (0.1,), (0.0,))


def picture(tables: list[PictureTable], joins: list[PictureJoin]) -> Picture:
    return Picture("?", tuple(tables), (), tuple(joins), 1, len(tables), len(tables), 1.0)


STAR = picture([table(n, deposit=n / 30) for n in range(30)], [join(0, n) for n in range(1, 30)])
RING = picture([table(n) for n in range(12)], [join(n, n + 1) for n in range(11)] + [join(0, 11)])
PAIRS = picture([table(n, f"db{n % 3}") for n in range(9)], [join(n, n + 3) for n in range(6)])
DENSE = picture([table(n) for n in range(8)], [join(a, b) for a, b in combinations(range(8), 2)])
WIDE = picture([table(n, name=f"{'部门' * 6}{n}") for n in range(6)], [join(n, n + 1) for n in range(5)])
LOOP = picture([table(0)], [PictureJoin((0, 0), (ForeignKey("t", "boss_id", "t", "id"),), (0.0,), (0.0,))])
ALONE = picture([table(n) for n in range(20)], [])


@pytest.mark.parametrize("shown", [STAR, RING, PAIRS, DENSE, WIDE, LOOP, ALONE], ids=lambda _: "")
def test_circles_names_and_labels_lie_apart_and_on_the_page(shown: Picture) -> None:
    laid = lay_out(shown)
    boxes = [box for each in laid.tables for box in each.boxes]
    boxes += [_label_box(line.label, line.label_at) for line in laid.joins if line.label_at is not None]
    for one, other in combinations(boxes, 2):
        if one not in (circle := next((t.boxes for t in laid.tables if other in t.boxes), ())):
            assert not one.meets(other), (one, other, circle)
    for box in boxes:
        assert 0 <= box.left < box.right <= laid.width
        assert 0 <= box.top < box.bottom <= laid.height


@pytest.mark.parametrize("shown", [RING, PAIRS, LOOP], ids=lambda _: "")
def test_every_join_of_a_sparse_picture_has_its_label(shown: Picture) -> None:
    assert all(line.label_at is not None for line in lay_out(shown).joins)


def test_the_layout_is_the_same_every_time() -> None:
    assert lay_out(DENSE) == lay_out(DENSE)


def test_databases_have_captions_where_there_are_several() -> None:
    assert [name for name, _, _ in lay_out(PAIRS).captions] == ["db0", "db1", "db2"]
    assert lay_out(RING).captions == ()


def test_an_empty_picture_has_a_size() -> None:
    laid = lay_out(picture([], []))
    assert isinstance(laid, Layout)
    assert (laid.tables, laid.joins) == ((), ())
    assert laid.width > 0 < laid.height


def test_areas_grow_with_deposits() -> None:
    assert [radius_of(deposit, 4.0) for deposit in (0.0, 1.0, 4.0)] == [
        SMALLEST,
        SMALLEST + (LARGEST - SMALLEST) / 2,
        LARGEST,
    ]


def test_labels_name_the_columns_of_composite_keys_one_below_the_other() -> None:
    same = PictureJoin((0, 1), (ForeignKey("a", "region", "b", "region"),), (), ())
    assert key_labels(same) == ("region",)
    assert key_labels(join(0, 1, "x", "y")) == ("x → id", "y → id")
    assert key_labels(join(0, 1, "x", "y", "z", "u")) == ("x → id", "y → id", "and 2 more")


def test_long_names_lose_their_middle() -> None:
    assert shortened("short", 30) == "short"
    assert shortened("a" * 20 + "b" * 20, 11) == "aaaaa…bbbbb"
    assert shortened("\x1b[31m", 30) == r"\u001b[31m"
    assert text_width("部", 10) == 2 * text_width("a", 10)


def test_a_line_and_its_way_back() -> None:
    (line,) = lay_out(picture([table(0), table(1)], [join(0, 1)])).joins
    there, back = line.path(), line.path(back=True)
    assert there.startswith("M")
    assert there[1:].replace("Q", " ").split() == back[1:].replace("Q", " ").split()[::-1]
