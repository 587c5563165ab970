"""The picture of an answer by matplotlib."""

import io

import pytest

pytest.importorskip("matplotlib")

from matplotlib.colors import to_hex
from matplotlib.patches import Circle, PathPatch

from joingr_pyg.plotting.figure import ANCHOR, FOUND, OTHER, draw_picture
from joingr_pyg.plotting.picture import Picture
from tests.plotting.page.test_document import PAIR, picture, table


def test_circles_lines_names_and_signs() -> None:
    figure = draw_picture(PAIR)
    (axes,) = figure.axes
    circles = [patch for patch in axes.patches if isinstance(patch, Circle)]
    assert [to_hex(each.get_facecolor()) for each in circles if each.get_fill()] == [FOUND, OTHER]
    assert [to_hex(each.get_edgecolor()) for each in circles if not each.get_fill()] == [ANCHOR, ANCHOR]
    (line,) = [patch for patch in axes.patches if isinstance(patch, PathPatch)]
    assert line.get_linestyle() == (0, (3, 2))
    assert {"orders", "customers", "1", "up_id → id", "Which ones?"} <= {text.get_text() for text in axes.texts}
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "found",
        "not found, on the way",
        "anchor",
        "deposit on a join",
        "inferred join",
    ]


@pytest.mark.parametrize(
    "shown",
    [picture(), picture(table("only", 1)), picture(table("$\\frac{1", 1), table("部门\x1b", 2), question="$x " * 90)],
)
@pytest.mark.filterwarnings("ignore:Glyph .* missing")
def test_any_answer_can_be_drawn(shown: Picture) -> None:
    file = io.BytesIO()
    draw_picture(shown).savefig(file, format="png", dpi=40)
    assert file.getvalue().startswith(b"\x89PNG")
