"""``python -m paper figures``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from joingr_pyg.runs.collect import collect
from paper.__main__ import main
from paper.figures.command import over_anchors, over_hops

MakeRun = Callable[..., Path]
METRICS = {"R@5": 0.5, "R@15": 0.5}
TABLES = "a b c d e f g h i j k l m n o"


def beaver(make_run: MakeRun, place: str, ranked: str = TABLES, seed: int = 0, **given: Any) -> Path:
    return make_run(place, METRICS, seed, dataset="beaver", encoder="minilm", questions=[("a c", ranked)], **given)


@pytest.fixture
def runs(make_run: MakeRun, tmp_path: Path) -> Path:
    beaver(make_run, "runs/vanilla", method="vanilla")
    for anchors in (1, 2):
        # Two seeds: one finds both tables among ten, the other one of two.
        for seed, ranked in enumerate((TABLES, "a x x x x x x x x x c")):
            sweep = {"overrides": [f"model.anchors={anchors}", "experiment=beaver_anchors_hops", "baselines=[]"]}
            trained = {"model__anchors": anchors, "model__hops": 5, "folds": 5, "fold_groups": False, "said": sweep}
            beaver(make_run, f"runs/{anchors}_{seed}", ranked, seed, **trained)
    grouped = {"folds": 5, "fold_groups": True, "said": {"overrides": ["experiment=beaver_cv", "fold_groups=true"]}}
    beaver(make_run, "runs/grouped", "x", **grouped)
    edge = {"folds": 5, "fold_groups": False, "said": {"overrides": ["experiment=beaver_cv", "loss=edge"]}}
    beaver(make_run, "runs/edge", "x", **edge)
    return tmp_path / "runs"


def test_what_can_be_drawn_is_and_the_rest_is_told(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "figures"
    assert main(["figures", str(runs), "--write", str(out)]) == 0
    printed = capsys.readouterr().out
    assert {path.name for path in out.iterdir()} == {"figure4_gold_tables.png", "figure6_anchors.png"}
    assert "Not drawn: figure5_by_gold_tables. It takes a model trained on bird" in printed
    assert "Not drawn: recall_over_hops" in printed
    assert main(["figures", str(runs), "--write", str(out), "--format", "svg"]) == 0
    assert (out / "figure6_anchors.svg").read_text().lstrip().startswith("<?xml")


def test_figure_six_counts_plain_runs_alone(runs: Path) -> None:
    (axes,) = over_anchors(collect([runs]).runs).axes
    vanilla, trained = (container.lines[0] for container in axes.containers)
    # Vanilla finds a with one table or two, and c with three.
    assert vanilla.get_ydata().tolist() == [0.5, 0.5, 1, 1, 1, 1, 1]
    assert (trained.get_xdata().tolist(), trained.get_ydata().tolist()) == ([1, 2], [0.75, 0.75])


def test_a_line_over_hops_for_each_number_of_anchors(make_run: MakeRun, runs: Path) -> None:
    said = {"overrides": ["model.anchors=2", "model.hops=1", "experiment=beaver_anchors_hops"]}
    more = {"model__anchors": 2, "model__hops": 1, "folds": 5, "fold_groups": False, "said": said}
    beaver(make_run, "runs/hops", "x", **more)
    (axes,) = over_hops(collect([runs]).runs).axes
    (line,) = axes.containers
    assert line.get_label() == "trained, 2 anchors"
    assert line.lines[0].get_ydata().tolist() == [0, 1]


def test_figure_five_takes_the_scorer_trained_on_bird(make_run: MakeRun, tmp_path: Path) -> None:
    questions = [("a", TABLES), ("a b", TABLES)]
    bird = {"said": {"overrides": ["dataset=bird"], "epochs": [1]}, "questions": questions}
    make_run("runs/bird", METRICS, dataset="bird", encoder="minilm", **bird)
    trained = {"trained": {"dataset": "bird", "seed": 0, "overrides": ["dataset=bird"]}}
    over = {"overrides": ["checkpoint=best.ckpt", "dataset=beaver"], **trained}
    beaver(make_run, "runs/beaver", said=over, checkpoint="best.ckpt")
    assert main(["figures", str(tmp_path / "runs"), "--write", str(tmp_path)]) == 0
    assert (tmp_path / "figure5_by_gold_tables.png").is_file()


def test_runs_that_suffice_for_nothing_are_refused(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run("run", METRICS, questions=[("a", "a")])
    assert main(["figures", str(tmp_path), "--write", str(tmp_path / "out")]) == 2
    assert "No figure can be drawn" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
