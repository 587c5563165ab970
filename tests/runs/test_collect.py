import json
from collections.abc import Callable
from pathlib import Path

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.runs.collect import Run, collect, differing, runs_as_json, select, shown, values
from joingr_pyg.runs.jobs import Job, write_job

MakeRun = Callable[..., Path]


def collected(*paths: Path) -> list[Run]:
    return list(collect(paths).runs)


def test_runs_are_found_at_any_depth_in_the_order_of_their_numbers(make_run: MakeRun, tmp_path: Path) -> None:
    for number in (10, 2, 0):
        make_run(f"sweep/{number}", {"R@5": number / 10}, model__hops=number)
    make_run("sweep/deeper/down", {"R@5": 0.9})
    (tmp_path / "sweep/0/fold_0").mkdir()
    runs = collected(tmp_path / "sweep")
    assert [run.place for run in runs] == ["sweep/deeper/down", "sweep/0", "sweep/2", "sweep/10"]
    assert [run.metrics for run in runs] == [{"R@5": 0.9}, {"R@5": 0.0}, {"R@5": 0.2}, {"R@5": 1.0}]


def test_a_run_that_is_named_twice_counts_once(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run("sweep/0", {"R@5": 0.5})
    assert len(collected(tmp_path, tmp_path / "sweep", folder, folder / "metrics.json")) == 1


def test_what_differs_is_read_from_the_configs(make_run: MakeRun, tmp_path: Path) -> None:
    make_run("model.hops=7/0", {"R@5": 0.5}, seed=0, model__hops=1, model__anchors=3)
    make_run("model.hops=7/1", {"R@5": 0.5}, seed=1, model__hops=2, model__anchors=3)
    runs = collected(tmp_path)
    # Neither places, which change nothing, nor fold_seed, which follows the seed.
    assert differing(runs) == ["model.hops", "seed"]
    assert values(runs, "model.hops") == [1, 2]
    assert differing(runs[:1]) == []
    assert "dataset.test" not in runs[0].parameters


def test_what_follows_from_a_group_is_left_out(make_run: MakeRun, tmp_path: Path) -> None:
    minilm = "joingr_pyg.encoders.MiniLMEncoder"
    make_run("0", {}, encoder="minilm", encoder__dim=384, encoder___target_=minilm)
    make_run("1", {}, encoder="hashing-64")
    make_run("2", {}, encoder="hashing-64", loss___target_="joingr_pyg.training.losses.EdgeLoss", loss__margin=0.2)
    for folder in tmp_path.iterdir():
        path = folder / "metrics.json"
        path.write_text(path.read_text().replace('"metrics": {}', '"metrics": {"R@5": 0.5}'))
    runs = collected(tmp_path)
    assert differing(runs) == ["encoder", "loss"]
    assert values(runs, "loss") == ["EdgeLoss", "TableLoss"]


def test_what_differs_within_a_group_is_kept(make_run: MakeRun, tmp_path: Path) -> None:
    make_run("0", {"R@5": 0.5}, dataset="beaver", dataset__source__strict=True)
    make_run("1", {"R@5": 0.5}, dataset="beaver")
    make_run("2", {"R@5": 0.5}, dataset="bird")
    assert differing(collected(tmp_path)) == ["dataset", "dataset.source.strict"]


def test_what_only_some_runs_have_counts_if_it_differs_among_them(make_run: MakeRun, tmp_path: Path) -> None:
    make_run("0", {"R@5": 0.5}, trainer__max_epochs=5)
    make_run("1", {"R@5": 0.5})
    assert differing(collected(tmp_path)) == []
    make_run("2", {"R@5": 0.5}, trainer__max_epochs=6)
    assert differing(collected(tmp_path)) == ["trainer.max_epochs"]


def test_jobs_without_results_are_noted(make_run: MakeRun, tmp_path: Path) -> None:
    done = make_run("sweep/0", {"R@5": 0.5})
    write_job(Job("a", 0, ("x=0",), "failed", "An earlier try.", folder=done))
    write_job(Job("a", 1, ("x=1",), "failed", "No gold joins.", folder=tmp_path / "sweep/1"))
    write_job(Job("a", 2, ("x=2",), folder=tmp_path / "sweep/2"))
    make_run("sweep/3", {})
    assert collect([tmp_path]).notes == (
        f"Not in the table: '{tmp_path / 'sweep/1'}' failed: No gold joins.",
        f"Not in the table: '{tmp_path / 'sweep/2'}' has not finished.",
        "Not in the table: 1 runs that only trained and measured nothing.",
    )


def test_collected_runs_are_read_again(make_run: MakeRun, tmp_path: Path) -> None:
    for number in range(3):
        make_run(f"sweep/{number}", {"R@5": number / 4}, seed=number, model__hops=number, spread={"R@5": 0.125})
    make_run("sweep/3", {"R@5": 0.5}, seed=3, model__hops=7)
    runs = collected(tmp_path / "sweep")
    content = runs_as_json(runs)
    assert content["common"]["model.anchors"] == 5
    assert content["runs"][1] == {
        "run": "sweep/1",
        "parameters": {"model.hops": 1, "seed": 1},
        "metrics": {"R@5": 0.25},
        "spread": {"R@5": 0.125},
    }
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(content))
    again = collected(path)
    assert [(dict(run.parameters), run.metrics, run.spread, run.place) for run in again] == [
        (dict(run.parameters), run.metrics, run.spread, run.place) for run in runs
    ]


def test_runs_are_selected_by_value(make_run: MakeRun, tmp_path: Path) -> None:
    for number in range(3):
        make_run(f"{number}", {"R@5": 0.5}, model__hops=number, model__rate=number / 2)
    runs = collected(tmp_path)
    assert [run.place.rpartition("/")[2] for run in select(runs, ["model.hops=1"])] == ["1"]
    assert len(select(runs, [])) == 3
    assert [run.parameters["model.hops"] for run in select(runs, ["model.rate=0.5", "model.hops=1"])] == [1]
    with pytest.raises(JoinGRError, match=r"No run has model.hops=7: of model.hops there are 0, 1, 2\."):
        select(runs, ["model.hops=7"])
    with pytest.raises(JoinGRError, match=r"no parameter 'hops'; what differs among them: model.hops, model.rate"):
        select(runs, ["hops=1"])
    with pytest.raises(JoinGRError, match=r"KEY=VALUE.*'model.hops'"):
        select(runs, ["model.hops"])


@pytest.mark.parametrize(("value", "text"), [(None, ""), (0.001, "0.001"), (3, "3"), ("a", "a"), (True, "True")])
def test_values_are_shown_as_people_write_them(value: object, text: str) -> None:
    assert shown(value) == text


def test_bad_input_is_one_sentence(make_run: MakeRun, tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"There is no '.*nowhere': name folders of runs"):
        collect([tmp_path / "nowhere"])
    with pytest.raises(
        JoinGRError, match=r"There is no finished run in '.*': a run leaves metrics.json in its folder\."
    ):
        collect([tmp_path])
    (make_run("cut", {"R@5": 0.5}) / "metrics.json").write_text('{"dataset"')
    with pytest.raises(JoinGRError, match=r"'.*cut/metrics.json' cannot be read as JSON"):
        collect([tmp_path])
    for foreign in ("[]", "{}", '{"metrics": 3}'):
        (tmp_path / "cut/metrics.json").write_text(foreign)
        with pytest.raises(JoinGRError, match=r"was not written by 'joingr train' or 'joingr evaluate'"):
            collect([tmp_path])
        (tmp_path / "other.json").write_text(foreign)
        with pytest.raises(JoinGRError, match=r"other.json' holds no runs: .*--each --json"):
            collect([tmp_path / "other.json"])


def test_seeds_of_a_trained_model_are_one_configuration_on_another_dataset(make_run: MakeRun, tmp_path: Path) -> None:
    for number, (dataset, seed) in enumerate([("bird", 1), ("bird", 2), ("spider", 1)]):
        folder = make_run(f"{number}", {"R@5": 0.5}, checkpoint=f"{dataset}/{seed}/best.ckpt")
        summary = json.loads((folder / "metrics.json").read_text())
        overrides = [f"dataset={dataset}", f"seed={seed}", "model.hops=3"]
        summary["trained"] = {"dataset": dataset, "seed": seed, "overrides": overrides}
        (folder / "metrics.json").write_text(json.dumps(summary))
    first, second, other = collected(tmp_path)
    assert (first.seed, second.seed, other.seed) == (1, 2, 1)
    assert first.configuration == second.configuration != other.configuration
    assert first.parameters["trained.overrides"] == "model.hops=3"
    assert first.folder == tmp_path / "0"
    assert first.summary["trained"]["seed"] == 1
