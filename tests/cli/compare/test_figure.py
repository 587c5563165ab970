import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.runs.collect import Run, collect

pytest.importorskip("matplotlib")

from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from joingr_pyg.cli.compare.figure import draw_heatmap, draw_lines

MakeRun = Callable[..., Path]


@pytest.fixture
def runs(make_run: MakeRun, tmp_path: Path) -> list[Run]:
    """Anchors 1 and 3 by hops 1, 2 and 5, two seeds apart by 0.02; one of the six is not there."""
    for anchors, hops, recall in ((1, 1, 0.1), (1, 2, 0.2), (1, 5, 0.3), (3, 1, 0.4), (3, 5, 0.5)):
        for seed, shift in ((0, -0.01), (1, 0.01)):
            given = {"model__anchors": anchors, "model__hops": hops}
            make_run(f"{anchors}-{hops}-{seed}", {"R@5": recall + shift, "PR@5": 0.0}, seed, **given)
    return list(collect([tmp_path]).runs)


def bars(figure: Figure) -> dict[str, ErrorbarContainer]:
    return {bar.get_label(): bar for bar in figure.axes[0].containers if isinstance(bar, ErrorbarContainer)}


def rendered(figure: Figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=40)
    return file.getvalue()


def test_a_line_a_value_with_the_standard_deviation_over_seeds(runs: list[Run]) -> None:
    figure = draw_lines(runs, "model.hops", "R@5", ["model.anchors"])
    axes, drawn = figure.axes[0], bars(figure)
    assert list(drawn) == ["1", "3"]
    assert drawn["1"].lines[0].get_ydata().tolist() == pytest.approx([0.1, 0.2, 0.3])
    # A line skips what is not there.
    assert drawn["3"].lines[0].get_ydata().tolist() == pytest.approx([0.4, 0.5])
    assert drawn["3"].lines[0].get_xdata().tolist() == pytest.approx([1, 5], abs=0.1)
    (low, high) = drawn["3"].lines[2][0].get_segments()[0][:, 1]
    assert high - low == pytest.approx(2 * 0.02 / 2**0.5)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("model.hops", "R@5")
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "2", "5"]
    assert axes.get_title() == "demo, test, pooled, hashing-64, joingr, mean ± sd of 2 seeds"
    (legend,) = figure.legends
    assert (legend.get_title().get_text(), [text.get_text() for text in legend.get_texts()]) == (
        "model.anchors",
        ["1", "3"],
    )
    assert rendered(figure)


def test_names_stand_side_by_side_and_wide_ranges_are_logarithmic(make_run: MakeRun, tmp_path: Path) -> None:
    for number, (rate, norm) in enumerate([(1e-4, "none"), (1e-2, "layer"), (1e-3, "none"), (1e-3, "layer")]):
        make_run(str(number), {"R@5": number / 10}, optimization__lr=rate, model__norm=norm)
    runs = list(collect([tmp_path]).runs)
    figure = draw_lines(runs, "optimization.lr", "R@5", ["model.norm"])
    assert figure.axes[0].get_xscale() == "log"
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["0.0001", "0.001", "0.01"]
    # One seed has no error bars.
    assert bars(figure)["none"].has_yerr is False
    figure = draw_lines(runs, "model.norm", "R@5", ["optimization.lr"])
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["layer", "none"]
    assert bars(figure)["0.0001"].lines[0].get_xdata().tolist() == pytest.approx([1], abs=0.1)
    assert rendered(figure)


def test_every_cell_of_a_heat_map_names_its_value(runs: list[Run]) -> None:
    figure = draw_heatmap(runs, "model.anchors", "model.hops", "R@5")
    axes = figure.axes[0]
    (image,) = axes.images
    grid = image.get_array()
    assert grid.shape == (2, 3)
    assert grid[0].tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert bool(grid.mask[1, 1])
    texts = {text.get_position(): text for text in axes.texts}
    assert {place: text.get_text() for place, text in texts.items()} == {
        (0, 0): "0.100\n±0.014",
        (1, 0): "0.200\n±0.014",
        (2, 0): "0.300\n±0.014",
        (0, 1): "0.400\n±0.014",
        (2, 1): "0.500\n±0.014",
    }
    assert (texts[2, 1].get_color(), texts[0, 0].get_color()) == ("white", "black")
    assert [place for place, text in texts.items() if text.get_fontweight() == "bold"] == [(2, 1)]
    assert (axes.get_ylabel(), axes.get_xlabel(), figure.axes[1].get_ylabel()) == ("model.anchors", "model.hops", "R@5")
    assert [text.get_text() for text in axes.get_yticklabels()] == ["1", "3"]
    assert "the colours span" not in axes.get_title()
    assert rendered(figure)


def test_a_heat_map_of_a_narrow_range_says_so(runs: list[Run]) -> None:
    """The colours always span the whole scale, also where values hardly differ."""
    narrow = [replace(run, metrics={"R@5": 0.8 + run.metrics["R@5"] / 50}) for run in runs]
    figure = draw_heatmap(narrow, "model.anchors", "model.hops", "R@5")
    assert figure.axes[0].get_title().splitlines()[-1] == "the colours span 0.008 alone"
    assert rendered(figure)


def test_a_flat_heat_map_is_readable(runs: list[Run]) -> None:
    figure = draw_heatmap(runs, "model.anchors", "model.hops", "PR@5")
    assert {text.get_color() for text in figure.axes[0].texts} == {"black"}
    assert rendered(figure)


def test_what_cannot_be_drawn_is_told(runs: list[Run]) -> None:
    with pytest.raises(JoinGRError, match=r"also differ by model.anchors"):
        draw_lines(runs, "model.hops", "R@5")
    with pytest.raises(JoinGRError, match=r"no parameter 'hops'"):
        draw_lines(runs, "hops", "R@5")
    with pytest.raises(JoinGRError, match=r"no metric 'R@7': choose from R@5, PR@5"):
        draw_heatmap(runs, "model.anchors", "model.hops", "R@7")
    with pytest.raises(JoinGRError, match=r"different parameters .*model.hops, model.hops"):
        draw_heatmap(runs, "model.hops", "model.hops", "R@5")


def test_seeds_can_be_an_axis_too(runs: list[Run]) -> None:
    runs = [run for run in runs if run.parameters["model.hops"] == 1]
    drawn = bars(draw_lines(runs, "seed", "R@5", ["model.anchors"]))
    assert drawn["1"].lines[0].get_ydata().tolist() == pytest.approx([0.09, 0.11])
    assert drawn["1"].has_yerr is False
