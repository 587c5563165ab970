"""The command behind a run, by hand."""

from collections.abc import Callable
from pathlib import Path

from joingr_pyg.runs.collect import Run, collect
from paper.results.commands import commands_of, overrides_of

MakeRun = Callable[..., Path]


def runs(*folders: Path) -> list[Run]:
    return list(collect(folders).runs)


def test_an_evaluation(make_run: MakeRun) -> None:
    # A sweep writes false as Python does.
    said = {"overrides": ["dataset=bird", "ks=[5,10]", "fold_groups=False", "method=vanilla"]}
    assert commands_of(runs(make_run("run", {"R@5": 0.5}, said=said))) == [
        "python evaluate.py method=vanilla dataset=bird ks=[5,10] fold_groups=false"
    ]


def test_seeds_of_a_training_are_one_sweep(make_run: MakeRun) -> None:
    folders = [
        make_run(
            str(seed), {"R@5": 0.5}, seed, said={"epochs": [20], "overrides": [f"seed={seed}", "experiment=beaver_cv"]}
        )
        for seed in (2, 0, 1)
    ]
    assert commands_of(runs(*folders)) == ["python train.py -m experiment=beaver_cv seed=0,1,2"]
    assert commands_of(runs(folders[0])) == ["python train.py experiment=beaver_cv seed=2"]
    assert commands_of(runs(folders[1])) == ["python train.py experiment=beaver_cv"]


def test_a_transfer_takes_two_commands_and_names_no_folder(make_run: MakeRun, tmp_path: Path) -> None:
    folders = [
        make_run(
            str(seed),
            {"R@5": 0.5},
            checkpoint=f"{tmp_path}/bird/{seed}/best.ckpt",
            said={
                "overrides": [f"checkpoint={tmp_path}/bird/{seed}/best.ckpt", "dataset=beaver"],
                "trained": {"dataset": "bird", "seed": seed, "overrides": [f"seed={seed}", "dataset=bird"]},
            },
        )
        for seed in (0, 1)
    ]
    assert commands_of(runs(*folders)) == [
        "python train.py -m dataset=bird seed=0,1",
        "python evaluate.py checkpoint=multirun/train/.../best.ckpt dataset=beaver",
    ]
    assert commands_of(runs(folders[0])) == [
        "python train.py dataset=bird",
        "python evaluate.py checkpoint=outputs/train/.../best.ckpt dataset=beaver",
    ]


def test_folders_of_this_machine_are_left_out_and_blanks_are_quoted(make_run: MakeRun) -> None:
    said = {"overrides": ["method=vanilla", "encoder.path=/home/me/models/bge", "encoder.name='two words'"]}
    assert commands_of(runs(make_run("run", {"R@5": 0.5}, said=said))) == [
        """python evaluate.py method=vanilla encoder.path=.../bge 'encoder.name='"'"'two words'"'"''"""
    ]


def test_runs_that_do_not_say_are_asked_what_hydra_left(make_run: MakeRun) -> None:
    folder = make_run("run", {"R@5": 0.5})
    assert overrides_of(*runs(folder)) == []
    (folder / ".hydra").mkdir()
    (folder / ".hydra" / "overrides.yaml").write_text("- method=bm25\n- paths.cache=there\n- +logger.x=1\n")
    assert overrides_of(*runs(folder)) == ["method=bm25"]
