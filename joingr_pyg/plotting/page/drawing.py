"""The drawing of a page: circles, lines, and their sizes after each hop."""

from xml.etree.ElementTree import Element

from joingr_pyg.plotting.layout import LINE, Layout, PlacedJoin, PlacedTable, radius_of
from joingr_pyg.plotting.page.elements import element, numbers
from joingr_pyg.plotting.picture import Picture, PictureJoin, PictureTable

THINNEST, THICKEST = 1.2, 11.0
"""Widths of lines, in pixels: without any deposit, and with the largest one."""

FLOWS, FLOWS_AT_ALL = 0.08, 0.002
"""A join is shown to be walked in a hop if it carries these shares of the largest deposit in the hop, and in any."""


def drawing(picture: Picture, layout: Layout) -> Element:
    """The picture as SVG."""
    hops = range(picture.hops + 1)
    largest = max((table.deposit(hop) for table in picture.tables for hop in hops), default=0.0)
    widest = max((join.deposit(picture.hops) for join in picture.joins), default=0.0)
    strongest = [
        max((max(join.forward[hop], join.backward[hop]) for join in picture.joins), default=0.0)
        for hop in range(picture.hops)
    ]
    lines = [
        _join(number, join, placed, widest, strongest)
        for number, (join, placed) in enumerate(zip(picture.joins, layout.joins, strict=True))
    ]
    circles = [
        _table(number, table, placed, largest, picture.hops)
        for number, (table, placed) in enumerate(zip(picture.tables, layout.tables, strict=True))
    ]
    labels = [_label(number, placed) for number, placed in enumerate(layout.joins) if placed.label_at is not None]
    captions = [element("text", name, x=x, y=y, class_="database") for name, x, y in layout.captions]
    return element(
        "svg",
        *captions,
        element("g", *lines),
        element("g", *labels),
        element("g", *circles),
        viewBox=f"0 0 {layout.width:.0f} {layout.height:.0f}",
        width=round(layout.width * 1.1),
        role="group",
        aria_label="Tables and the joins that were walked",
    )


def _table(number: int, table: PictureTable, placed: PlacedTable, largest: float, hops: int) -> Element:
    radii = [radius_of(table.deposit(hop), largest) for hop in range(hops + 1)]
    ring = None
    if table.anchor is not None:
        # Walks that start with little are of little weight.
        strength = 0.3 + 0.7 * (table.anchor / largest) ** 0.5 if largest > 0 else 1.0
        ring = element("circle", r=radii[-1] + 4, class_="ring", stroke_opacity=strength)
    return element(
        "g",
        ring,
        element("circle", r=radii[-1], class_="dot"),
        None if table.place is None else element("text", str(table.place), class_="place", dy="0.36em"),
        element("text", placed.name, class_="name", y=placed.label_y - placed.y),
        class_="table found" if table.place is not None else "table",
        transform=f"translate({placed.x:.1f} {placed.y:.1f})",
        tabindex="0",
        data_card=f"table-{number}",
        data_table=number,
        data_radii=numbers(radii),
    )


def _join(number: int, join: PictureJoin, placed: PlacedJoin, widest: float, strongest: list[float]) -> Element:
    hops = len(join.forward)
    widths = [
        THINNEST + (THICKEST - THINNEST) * join.deposit(hop) / widest if widest > 0 else THINNEST + 1
        for hop in range(hops + 1)
    ]
    least = [max(FLOWS * most, FLOWS_AT_ALL * max(strongest)) for most in strongest]
    flows = [
        element("path", d=path, class_="flow", data_hops=" ".join(map(str, walked)))
        for path, way in ((placed.path(), join.forward), (placed.path(back=True), join.backward))
        if (walked := [hop + 1 for hop in range(hops) if way[hop] >= least[hop] > 0])
    ]
    return element(
        "g",
        element("path", d=placed.path(), class_="line", stroke_width=widths[-1]),
        *flows,
        element("path", d=placed.path(), class_="touch"),
        class_="join inferred" if join.inferred else "join",
        tabindex="0",
        data_card=f"join-{number}",
        data_ends=f"{join.ends[0]} {join.ends[1]}",
        data_widths=numbers(widths),
    )


def _label(number: int, placed: PlacedJoin) -> Element:
    """The joined columns."""
    assert placed.label_at is not None
    x, y = placed.label_at
    lines = [element("tspan", line, x=x, y=y + LINE * row) for row, line in enumerate(placed.label)]
    return element("text", *lines, class_="key", data_of=f"join-{number}")
