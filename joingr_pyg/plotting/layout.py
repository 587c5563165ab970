"""Where the tables, joins and labels of a picture lie, so that none covers another."""

import math
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from itertools import combinations

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from joingr_pyg.plotting.picture import Picture, PictureJoin
from joingr_pyg.terminal import terminal_text

Points = NDArray[np.float64]

SMALLEST, LARGEST = 9.0, 28.0
"""Radii of circles, in pixels: without any deposit, and with the largest one."""

NAME, KEY = 13.0, 10.5
"""Sizes of the letters of tables and of joined columns, in pixels."""

LINE = KEY + 2
"""Distance of the lines of a label."""

LETTER = 0.6
"""Width of a letter of the font, as a share of its size; wide for most, so that estimated widths are safe."""

LONGEST_NAME, LONGEST_KEY, MOST_KEYS = 30, 38, 3
EDGE = 132.0
"""Length of a join, in pixels, before circles and names make room for each other."""

GAP = 16.0
LOOP = 34.0
"""How far a join of a table with itself rises above the table, in pixels."""

WIDEST = 1000.0
LOOSER = (1.0, 1.12, 1.25, 1.4)
"""By which factors a picture is spread out, one after the other, until all labels of joins have a place."""


@dataclass(frozen=True)
class Box:
    """A rectangle, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box", gap: float = 0.0) -> bool:
        """Whether the two share a place, or come nearer than ``gap`` pixels."""
        return (
            self.left < other.right + gap
            and other.left < self.right + gap
            and self.top < other.bottom + gap
            and other.top < self.bottom + gap
        )


@dataclass(frozen=True)
class PlacedTable:
    """A circle with a name below it.

    Attributes:
        x: Centre of the circle.
        y: The same.
        radius: Its radius at the end of the walk.
        name: The name, shortened where it is long.
    """

    x: float
    y: float
    radius: float
    name: str

    @property
    def label_y(self) -> float:
        """The base line of the name."""
        return self.y + self.radius + NAME + 6

    @cached_property
    def boxes(self) -> tuple[Box, Box]:
        """The circle with its ring, and the name."""
        ring, half = self.radius + 5, text_width(self.name, NAME) / 2 + 2
        circle = Box(self.x - ring, self.y - ring, self.x + ring, self.y + ring)
        return circle, Box(self.x - half, self.label_y - NAME, self.x + half, self.label_y + 4)


@dataclass(frozen=True)
class PlacedJoin:
    """A line between two circles, or a loop at one.

    Attributes:
        points: The control points of a Bézier curve from the first end to the second one, three or four.
        label: The joined columns, a line each.
        label_at: The middle of the label's first line; ``None`` where it has no place that is free.
    """

    points: tuple[tuple[float, float], ...]
    label: tuple[str, ...]
    label_at: tuple[float, float] | None

    def path(self, back: bool = False) -> str:
        """The curve as the ``d`` of an SVG path, or the way back along it."""
        start, *others = (f"{x:.1f},{y:.1f}" for x, y in (self.points[::-1] if back else self.points))
        return f"M{start} {'Q' if len(others) == 2 else 'C'}{' '.join(others)}"


@dataclass(frozen=True)
class Layout:
    """A laid out picture, ``width`` times ``height`` pixels.

    Attributes:
        tables: A circle for each table of the picture.
        joins: A line for each join.
        captions: Name and place, left and base line, of each database; empty where there is only one.
    """

    width: float
    height: float
    tables: tuple[PlacedTable, ...]
    joins: tuple[PlacedJoin, ...]
    captions: tuple[tuple[str, float, float], ...]


def radius_of(deposit: float, largest: float) -> float:
    """The radius of a circle whose area grows with a deposit."""
    return SMALLEST + (LARGEST - SMALLEST) * math.sqrt(max(deposit, 0.0) / largest) if largest > 0 else SMALLEST + 5


def text_width(text: str, size: float) -> float:
    """About how wide a text is, in pixels, for letters of a size."""
    letters = sum(2.0 if unicodedata.east_asian_width(letter) in "WF" else 1.0 for letter in text)
    return letters * LETTER * size


def shortened(text: str, most: int) -> str:
    """A text without its middle where it is long, since names often differ in their end; control characters spelt."""
    text = terminal_text(text)
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[: most - 1 - half]}…{text[-half:]}"


def key_labels(join: PictureJoin) -> tuple[str, ...]:
    """The joined columns of two tables, a line each: referencing and referenced, or one name that both have."""
    lines = []
    for key in join.keys:
        same = key.column == key.referenced_column
        text = key.column if same else f"{key.column} → {key.referenced_column}"
        lines.append(shortened(text, LONGEST_KEY))
    more = len(lines) - MOST_KEYS
    return tuple(lines if more <= 0 else [*lines[: MOST_KEYS - 1], f"and {more + 1} more"])


def lay_out(picture: Picture) -> Layout:
    """Give every table, join and label of a picture its place."""
    largest = max((table.deposit(hop) for table in picture.tables for hop in range(picture.hops + 1)), default=0.0)
    sizes = [
        PlacedTable(
            0.0,
            0.0,
            radius_of(max(table.deposit(hop) for hop in range(picture.hops + 1)), largest),
            shortened(table.name[1], LONGEST_NAME),
        )
        for table in picture.tables
    ]
    best: Layout | None = None
    for factor in LOOSER:
        laid = _laid(picture, sizes, factor)
        if best is None or _missing(laid) < _missing(best):
            best = laid
        if not _missing(laid):
            break
    assert best is not None
    return best


def _missing(layout: Layout) -> int:
    return sum(join.label_at is None for join in layout.joins)


def _laid(picture: Picture, sizes: Sequence[PlacedTable], factor: float) -> Layout:
    """Every group of connected tables laid out by itself, groups side by side, databases below each other."""
    graph = nx.Graph()
    graph.add_nodes_from(range(len(sizes)))
    graph.add_edges_from(join.ends for join in picture.joins if join.ends[0] != join.ends[1])
    of_database: dict[str, list[list[int]]] = defaultdict(list)
    for group in sorted(nx.connected_components(graph), key=lambda group: (-len(group), min(group))):
        of_database[picture.tables[min(group)].name[0]].append(sorted(group))
    captions = []
    place: dict[int, tuple[float, float]] = {}
    looped = any(join.ends[0] == join.ends[1] for join in picture.joins)
    top, width = GAP + (LOOP if looped else 0.0), 0.0
    for database, groups in of_database.items():
        if picture.several_databases:
            captions.append((shortened(database, 60), GAP, top + NAME))
            top += 2 * NAME
        left, bottom = GAP, top
        for group in groups:
            points, extent = _group(graph.subgraph(group), group, sizes, factor)
            if left > GAP and left + extent[0] > WIDEST:
                left, top = GAP, bottom + GAP
            for node, (x, y) in zip(group, points, strict=True):
                place[node] = (left + x, top + y)
            left += extent[0] + 2 * GAP
            width, bottom = max(width, left), max(bottom, top + extent[1])
        top = bottom + 2 * GAP
    tables = tuple(PlacedTable(*place[node], size.radius, size.name) for node, size in enumerate(sizes))
    joins = _joins(picture.joins, tables)
    labels = [_label_box(join.label, join.label_at) for join in joins if join.label_at is not None]
    width = max([width - GAP, 240.0, *(box.right + 4 for box in labels)])
    return Layout(width, max(top - GAP, 120.0), tables, joins, tuple(captions))


def _group(
    graph: nx.Graph, nodes: Sequence[int], sizes: Sequence[PlacedTable], factor: float
) -> tuple[Points, tuple[float, float]]:
    """Places of connected tables, all above 0, and how wide and high they are with their names."""
    boxes = np.array([_extent(sizes[node]) for node in nodes])  # Left, up, right, down of the centre.
    if len(nodes) == 1:
        points = np.zeros((1, 2))
    elif len(nodes) == 2:  # Side by side, so that the columns have their place between them.
        points = np.array([[0.0, 0.0], [factor * 1.6 * EDGE, 0.0]])
    else:
        # Spread by path lengths, then turned so that the longer side lies across.
        laid = nx.kamada_kawai_layout(graph, weight=None, pos=nx.circular_layout(sorted(graph)))
        points = np.array([laid[node] for node in nodes])
        points -= points.mean(axis=0)
        _, _, axes = np.linalg.svd(points, full_matrices=False)
        points = points @ axes.T
        lengths = [np.linalg.norm(points[nodes.index(a)] - points[nodes.index(b)]) for a, b in graph.edges]
        points *= factor * EDGE / max(float(np.mean(lengths)), 1e-9)
        points[:, 0] *= 1.15
        points = _apart(points, boxes)
    shift = (points - boxes[:, :2]).min(axis=0)
    points = points - shift
    return points, tuple((points + boxes[:, 2:]).max(axis=0).tolist())


def _extent(size: PlacedTable) -> tuple[float, float, float, float]:
    """How far circle and name reach to the left, up, right and down of the centre."""
    circle, name = size.boxes
    half = max(circle.right, name.right)
    return half, -circle.top, half, name.bottom


def _apart(points: Points, boxes: Points) -> Points:
    """Push tables apart, each by half of what they overlap, along the side where that is less."""
    points = points.copy()
    for _ in range(300):
        moved = False
        for a, b in combinations(range(len(points)), 2):
            x = min(points[a, 0] + boxes[a, 2], points[b, 0] + boxes[b, 2]) - max(
                points[a, 0] - boxes[a, 0], points[b, 0] - boxes[b, 0]
            )
            y = min(points[a, 1] + boxes[a, 3], points[b, 1] + boxes[b, 3]) - max(
                points[a, 1] - boxes[a, 1], points[b, 1] - boxes[b, 1]
            )
            overlap = np.array([x + GAP, y + GAP])
            if (overlap > 0).all():
                side = int(overlap.argmin())
                push = (overlap[side] / 2 + 0.5) * (1 if points[a, side] >= points[b, side] else -1)
                points[a, side] += push
                points[b, side] -= push
                moved = True
        if not moved:
            break
    return points


def _joins(joins: Sequence[PictureJoin], tables: Sequence[PlacedTable]) -> tuple[PlacedJoin, ...]:
    """The lines of joins, with their labels where these cover nothing."""
    taken = [box for table in tables for box in table.boxes]
    placed: dict[int, PlacedJoin] = {}
    # Joins that carried most have the first choice.
    for number in sorted(range(len(joins)), key=lambda number: -joins[number].deposit(len(joins[number].forward))):
        join = joins[number]
        one, other = (tables[end] for end in join.ends)
        label = key_labels(join)
        if join.ends[0] == join.ends[1]:
            points, spots = _loop(one)
        else:
            points, spots = _line(one, other, tables)
        up = (len(label) - 1) * LINE / 2  # So that the middle of all its lines lies on the join.
        spots = [(x, y - up) for x, y in spots]
        at = next((spot for spot in spots if _is_free(_label_box(label, spot), taken)), None)
        if at is not None:
            taken.append(_label_box(label, at))
        placed[number] = PlacedJoin(points, label, at)
    return tuple(placed[number] for number in range(len(joins)))


def _is_free(box: Box, taken: Iterable[Box]) -> bool:
    return box.left >= 0 and box.top >= 0 and not any(box.meets(other, 2) for other in taken)


def _label_box(label: Sequence[str], at: tuple[float, float]) -> Box:
    """The place of a label whose first line has its middle at a point."""
    half = max(text_width(line, KEY) for line in label) / 2
    return Box(at[0] - half, at[1] - KEY, at[0] + half, at[1] - KEY + len(label) * LINE)


Spots = list[tuple[float, float]]
Curve = tuple[tuple[float, float], ...]


def _loop(table: PlacedTable) -> tuple[Curve, Spots]:
    """A loop at the upper right of a circle, and places for its label."""
    reach, edge = table.radius + 20, table.radius * 0.72
    curve = ((edge * 0.5, -edge), (reach * 0.6, -reach * 1.6), (reach * 1.7, -reach * 0.6), (edge, -edge * 0.4))
    spots = ((reach, -reach), (0, -reach - 14), (reach * 2.4, -reach * 0.4), (-reach * 2, -reach * 0.6))
    return tuple((table.x + x, table.y + y) for x, y in curve), [(table.x + x, table.y + y) for x, y in spots]


def _line(one: PlacedTable, other: PlacedTable, tables: Sequence[PlacedTable]) -> tuple[Curve, Spots]:
    """A line between two circles, bent where it would run through a third one, and places for its label."""
    start, end = np.array([one.x, one.y]), np.array([other.x, other.y])
    across = np.array([start[1] - end[1], end[0] - start[0]]) / max(float(np.linalg.norm(end - start)), 1e-9)
    others = [astuple(box) for table in tables if table is not one and table is not other for box in table.boxes]
    left, top, right, bottom = np.array(others).reshape(-1, 4).T

    def curve(bend: float, t: Iterable[float]) -> Points:
        middle = (start + end) / 2 + 2 * bend * across
        part = np.array(list(t))[:, None]
        return (1 - part) ** 2 * start + 2 * part * (1 - part) * middle + part**2 * end

    def crossed(bend: float) -> int:
        x, y = curve(bend, np.linspace(0.05, 0.95, 31)).T[:, :, None]
        return int(((left < x) & (x < right) & (top < y) & (y < bottom)).any(axis=0).sum())

    crossings = {0.0: crossed(0.0)}
    for bend in (26.0, -26.0, 48.0, -48.0):
        if min(crossings.values()):
            crossings[bend] = crossed(bend)
    bend = min(crossings, key=lambda bend: crossings[bend])
    middle = (start + end) / 2 + 2 * bend * across
    spots = curve(bend, [0.5 + side * step for step in np.arange(0, 0.34, 0.04) for side in (-1, 1)])
    # On the line, else beside it.
    spots = np.concatenate([spots, spots + 11 * across, spots - 11 * across])
    return tuple(map(tuple, np.array([start, middle, end]).tolist())), [(x, y + KEY / 3) for x, y in spots.tolist()]
