import io
from collections.abc import Callable

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models import JoinGR, heuristic

pytest.importorskip("matplotlib")
pytest.importorskip("networkx")

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from joingr_pyg.data.queries import Queries
from joingr_pyg.plotting.walk import EDGE, GOLD, OTHER, draw_walk

# From t0 a chain of parallel joins to t1 and one join on to t2 and t3; t4 is joined with nothing.
JOINS = [(0, 1), (0, 1), (1, 2), (2, 3)]
QUESTION = torch.tensor([[1.0, 0.0]])


@pytest.fixture
def model(make_corpus: Callable[..., Corpus]) -> JoinGR:
    corpus = make_corpus([[[1.0, 0.0]], [[0.0, 1.0]], [[0.28, 0.96]], [[0.6, 0.8]], [[0.96, 0.28]]], JOINS)
    return heuristic(anchors=1, hops=2).index(corpus)


def drawn(figure: Figure) -> tuple[Axes, PathCollection, LineCollection | None, dict[str, tuple[float, float]]]:
    (axes,) = figure.axes
    (nodes,) = [each for each in axes.collections if isinstance(each, PathCollection)]
    edges = next((each for each in axes.collections if isinstance(each, LineCollection)), None)
    return axes, nodes, edges, {text.get_text(): text.xy for text in axes.texts}


def test_tables_that_the_walk_reached_are_drawn_with_what_it_laid(model: JoinGR) -> None:
    # Hop 1: t0 lays 1/4 on each of two joins. Hop 2: t1 lays 1/12 on each of three joins, two of them back to t0.
    figure = draw_walk(model, Queries(QUESTION, ("Which one?",)), gold=[("db", "t2")])
    axes, nodes, edges, labels = drawn(figure)
    assert axes.get_title() == "Which one?"
    # t1 has 2/4 + 3/12, t0 2/4 + 2/12, t2 1/12; t3 is a hop too far.
    assert list(labels) == ["2. t0", "1. t1", "3. t2"]
    assert nodes.get_sizes().tolist() == pytest.approx(
        [200 + 1800 * (2 / 3) / (3 / 4), 2000, 200 + 1800 * (1 / 12) / (3 / 4)]
    )
    assert [to_hex(color) for color in nodes.get_facecolor()] == [OTHER, OTHER, GOLD]
    assert [to_hex(color) for color in nodes.get_edgecolor()] == ["#000000", "#ffffff", "#ffffff"]
    # Parallel joins are one line.
    assert edges is not None
    assert list(edges.get_linewidths()) == pytest.approx([0.4 + 7, 0.4 + 7 * (1 / 12) / (2 / 3)])
    assert {to_hex(color) for color in edges.get_edgecolor()} == {EDGE}
    assert {text.get_text() for text in axes.get_legend().get_texts()} == {
        "anchor",
        "needed by the gold SQL",
        "deposit on a join",
    }


def test_gold_is_drawn_always(model: JoinGR) -> None:
    gold = [("db", "t4"), ("db", "t3")]
    _, nodes, edges, labels = drawn(draw_walk(model, Queries(QUESTION, ("?",)), gold, most=1))
    assert list(labels) == ["1. t1", "5. t3", "4. t4"]  # t4 is the more similar of the two that are not reached
    assert [to_hex(color) for color in nodes.get_facecolor()] == [OTHER, GOLD, GOLD]
    assert edges is None or len(edges.get_segments()) == 0
    model.unreached = "drop"
    assert list(drawn(draw_walk(model, Queries(QUESTION, ("?",)), gold, most=1))[3]) == ["1. t1", "t3", "t4"]


def test_no_two_tables_share_a_place(model: JoinGR) -> None:
    gold = [("db", f"t{each}") for each in range(5)]
    places = list(drawn(draw_walk(model, Queries(QUESTION, ("?",)), gold))[3].values())
    assert len(places) == 5
    distances = torch.pdist(torch.tensor(places, dtype=torch.double))
    assert distances.min() > 0.3


def test_a_name_stands_below_its_node(model: JoinGR) -> None:
    axes, nodes, _, _ = drawn(draw_walk(model, Queries(QUESTION, ("?",))))
    for text, size in zip(axes.texts, nodes.get_sizes(), strict=True):
        x, down = text.get_position()
        assert (x, text.get_va()) == (0, "top")
        assert -down > (size / torch.pi) ** 0.5  # The radius in points.


@pytest.mark.parametrize("question", ["Is $\\frac{1}{2 more than $5?", "哪个部门预算最高？", "word " * 300])
@pytest.mark.filterwarnings("ignore:Glyph .* missing")
def test_any_question_is_a_title(model: JoinGR, question: str) -> None:
    figure = draw_walk(model, Queries(QUESTION, (question,)), [("db", "t2")])
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=40)
    assert file.getvalue().startswith(b"\x89PNG")
    assert " ".join(drawn(figure)[0].get_title().split()) == question.strip()


def test_a_walk_that_lays_nothing_is_an_empty_picture(model: JoinGR) -> None:
    figure = draw_walk(model, Queries(-QUESTION, ("?",)))
    assert list(figure.axes[0].texts) == []
    figure.savefig(io.BytesIO(), format="png", dpi=20)
