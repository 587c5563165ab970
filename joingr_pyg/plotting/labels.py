"""Labels of an axis that do not lie on each other."""

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

GAP = 2
"""Least distance of labels, in points of the figure."""


def separate_labels(figure: Figure, axes: Axes) -> None:
    """Turn the labels of the horizontal axis where some would touch, and leave out those that still do."""
    if not _touching(figure, axes):
        return
    places, names = axes.get_xticks(), [label.get_text() for label in axes.get_xticklabels()]
    axes.set_xticks(places, names, rotation=45, horizontalalignment="right", rotation_mode="anchor")
    touching = _touching(figure, axes)
    names = ["" if number in touching else name for number, name in enumerate(names)]
    axes.set_xticks(places, names, rotation=45, horizontalalignment="right", rotation_mode="anchor")


def _touching(figure: Figure, axes: Axes) -> set[int]:
    """The numbers of the labels that touch one on their left that does not itself."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    boxes = [label.get_window_extent(renderer) for label in axes.get_xticklabels()]
    touching: set[int] = set()
    free = -float("inf")
    for number in sorted(range(len(boxes)), key=lambda number: boxes[number].x1):
        label, box = axes.get_xticklabels()[number], boxes[number]
        # Along the axis a turned line of text takes as much as it is high, divided by the sine of its angle of 45°.
        turned = label.get_rotation() != 0
        begin, end = (
            (box.x1, box.x1 + 1.42 * float(label.get_fontsize()) * figure.dpi / 72) if turned else (box.x0, box.x1)
        )
        if begin < free:
            touching.add(number)
        else:
            free = end + GAP * figure.dpi / 72
    return touching
