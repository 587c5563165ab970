"""The picture of an answer as a figure of matplotlib."""

from textwrap import fill
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, PathPatch
from matplotlib.path import Path

from joingr_pyg.plotting.layout import KEY, LINE, NAME, lay_out
from joingr_pyg.plotting.picture import Picture
from joingr_pyg.terminal import terminal_text

FOUND, OTHER, JOIN, ANCHOR, INK, SOFT = "#1f6fb2", "#c3cedb", "#a9bdd3", "#d9750b", "#1b2430", "#5d6b7e"
DPI = 100
POINTS = 72 / DPI
"""Points of a pixel."""

THINNEST, THICKEST = 1.0, 10.0


def draw_picture(picture: Picture) -> Figure:
    """Draw an answer and its walk.

    Returns:
        The figure. The area of a circle is the largest deposit at a table, its number the place of a table that was
        found, a ring an anchor; the width of a line is the deposit on a join, dashed where the join is inferred.
    """
    layout = lay_out(picture)
    title = fill(terminal_text(picture.question), max(int(layout.width / 8), 40))
    head, foot = 22.0 * (title.count("\n") + 1) + 10, 34.0
    width, height = max(layout.width, 420.0), layout.height + head + foot
    figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    left = (layout.width - width) / 2
    axes.set_xlim(left, left + width)
    axes.set_ylim(layout.height + foot, -head)
    axes.text(left + width / 2, -head + 8, title, ha="center", va="top", fontsize=12, color=INK, parse_math=False)

    def text(x: float, y: float, written: str, size: float, color: str, **more: Any) -> None:
        box = {"boxstyle": "square,pad=0.08", "fc": "white", "ec": "none", "alpha": 0.75}
        axes.text(x, y, written, fontsize=size * POINTS, color=color, parse_math=False, va="baseline", bbox=box, **more)

    widest = max((join.deposit(picture.hops) for join in picture.joins), default=0.0)
    for join, line in zip(picture.joins, layout.joins, strict=True):
        curve = [Path.MOVETO, *[Path.CURVE3 if len(line.points) == 3 else Path.CURVE4] * (len(line.points) - 1)]
        share = join.deposit(picture.hops) / widest if widest > 0 else 0.1
        axes.add_patch(
            PathPatch(
                Path(line.points, curve),
                facecolor="none",
                edgecolor=JOIN,
                linewidth=(THINNEST + (THICKEST - THINNEST) * share) * POINTS,
                linestyle=(0, (3, 2)) if join.inferred else "solid",
                zorder=1,
            )
        )
        if line.label_at is not None:
            x, y = line.label_at
            for row, label in enumerate(line.label):
                text(x, y + row * LINE, label, KEY * 0.9, SOFT, ha="center", zorder=2)
    for table, placed in zip(picture.tables, layout.tables, strict=True):
        found = table.place is not None
        if table.anchor is not None:
            ring = Circle((placed.x, placed.y), placed.radius + 4, fill=False, ec=ANCHOR, lw=1.8, zorder=3)
            axes.add_patch(ring)
        axes.add_patch(
            Circle((placed.x, placed.y), placed.radius, fc=FOUND if found else OTHER, ec="white", lw=1, zorder=4)
        )
        if found:
            style: dict[str, Any] = {
                "ha": "center",
                "va": "center_baseline",
                "fontsize": 12 * POINTS,
                "fontweight": "bold",
            }
            axes.text(placed.x, placed.y, str(table.place), color="white", zorder=5, **style)
        text(placed.x, placed.label_y, placed.name, NAME * 0.95, INK if found else SOFT, ha="center", zorder=5)
    for caption, x, y in layout.captions:
        text(x, y, caption, 12, SOFT, ha="left", fontweight="bold")
    figure.legend(handles=_handles(picture), loc="lower center", ncols=5, frameon=False, fontsize=8.5)
    return figure


def _handles(picture: Picture) -> list[Line2D]:
    """The signs that the picture has, for its legend."""
    handles = []
    if any(table.place is not None for table in picture.tables):
        handles.append(Line2D([], [], marker="o", ls="", ms=9, mfc=FOUND, mec="white", label="found"))
    if any(table.place is None for table in picture.tables):
        handles.append(Line2D([], [], marker="o", ls="", ms=9, mfc=OTHER, mec="white", label="not found, on the way"))
    if any(table.anchor is not None for table in picture.tables):
        handles.append(Line2D([], [], marker="o", ls="", ms=9, mfc="none", mec=ANCHOR, mew=2, label="anchor"))
    if picture.joins and picture.hops:
        handles.append(Line2D([], [], color=JOIN, lw=4, label="deposit on a join"))
    if any(join.inferred for join in picture.joins):
        handles.append(Line2D([], [], color=JOIN, lw=2, ls="--", label="inferred join"))
    return handles
