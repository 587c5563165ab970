import csv
import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from hydra.utils import get_class

from joingr_pyg.cli import train
from joingr_pyg.datasets.demo import read_demo
from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.errors import JoinGRError

Command = Callable[..., Any]

SMALL = ("encoder=hashing", "encoder.dim=16")
QUICK = (*SMALL, "model.hidden_channels=8", "model.anchors=2", "model.hops=2", "trainer.max_epochs=2")
BEAVER = ("experiment=beaver_cv", *QUICK, "folds=2", "ks=[1,3]")
"""Five-fold cross-validation on BEAVER, made small."""

COUNTS = ["databases", "tables", "questions", "nodes", "intra", "key_key", "join"]
METRICS = ["P@5", "R@5", "PR@5", "P@15", "R@15", "PR@15"]


def weights(path: Path) -> dict[str, torch.Tensor]:
    return torch.load(path, weights_only=True)["state_dict"]


def same(first: Path, second: Path) -> bool:
    a, b = weights(first), weights(second)
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def counted(records: list[dict[str, Any]], k: int) -> dict[str, float]:
    """P, R and PR at K from what the ranked tables of every question say."""
    hits = [len(set(record["gold"]) & {hit["table"] for hit in record["ranked"][:k]}) for record in records]
    golds = [len(set(record["gold"])) for record in records]
    return {
        f"P@{k}": sum(hit / k for hit in hits) / len(records),
        f"R@{k}": sum(hit / gold for hit, gold in zip(hits, golds, strict=True)) / len(records),
        f"PR@{k}": sum(hit == gold for hit, gold in zip(hits, golds, strict=True)) / len(records),
    }


# The command as a person runs it.


def test_the_command_shows_a_comparison_and_nothing_else(tmp_path: Path) -> None:
    """From any folder, with nothing on standard error: no chatter of libraries, no bars where there is no terminal."""
    script = Path(__file__).parents[1] / "train.py"
    environment = {**os.environ, "JOINGR_CACHE": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1"}
    environment.pop("JOINGR_DATA", None)
    ended = subprocess.run(
        [sys.executable, str(script), *QUICK], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    (folder,) = (tmp_path / "outputs/train").iterdir()
    lines = ended.stdout.splitlines()
    assert lines[0].split() == ["demo", "test,", "pooled,", "hashing-16,", "seed", "0"]
    shown = [re.split(r"\s*[│┃]\s*", line.strip("│┃ ")) for line in lines if line.startswith(("│", "┃"))]
    assert shown[0] == ["method", *METRICS, "questions/s"]
    assert [row[0] for row in shown[1:]] == ["vanilla", "heuristic", "joingr"]
    assert lines[-1] == f"Results in {Path('outputs/train') / folder.name}" or lines[-1] == f"Results in {folder}"
    files = {path.name for path in folder.iterdir()}
    assert files == {
        *("best.ckpt", "last.ckpt", "metrics.csv"),
        *("metrics.json", "questions.jsonl"),
        *(".hydra", "train.log"),
    }
    assert (folder / "train.log").read_text() == ""
    assert not list((tmp_path / "cache").rglob("*.partial"))


def test_libraries_are_heard_where_they_warn_alone(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = HashingEncoder.encode_queries

    def noisy(self: HashingEncoder, texts: Sequence[str]) -> torch.Tensor:
        for name in ("a_library", "joingr_pyg.encoders.hashing"):
            logging.getLogger(name).info(f"{name} informs")
            logging.getLogger(name).warning(f"{name} warns")
        return encode(self, texts)

    monkeypatch.setattr(HashingEncoder, "encode_queries", noisy)
    lines = command("train.py", *QUICK, "encoder.dim=8", "trainer.max_epochs=1").stdout.splitlines()
    assert "a_library warns" in lines
    assert "a_library informs" not in lines
    assert {"joingr_pyg.encoders.hashing warns", "joingr_pyg.encoders.hashing informs"} <= set(lines)


# What a run leaves.


def test_metrics_json_has_the_keys_that_others_read(trained: Any) -> None:
    said = trained.metrics
    assert list(said)[:11] == [
        *("dataset", "split", "setting", "encoder", "method", "checkpoint", "seed"),
        *("graph", "questions", "metrics", "timing"),
    ]
    assert [said[key] for key in ("dataset", "split", "setting", "encoder", "method", "seed")] == [
        *("demo", "test", "pooled", "hashing-16", "joingr", 0)
    ]
    assert said["checkpoint"] == str(trained.folder / "best.ckpt")
    assert list(said["graph"]) == COUNTS
    assert list(said["questions"]) == ["total", "scored", "dropped"]
    assert list(said["metrics"]) == METRICS
    assert list(said["timing"]) == ["embedding", "training", "evaluation", "questions_per_second"]
    assert list(said["baselines"]) == ["vanilla", "heuristic"]
    assert all(list(metrics) == METRICS for metrics in said["baselines"].values())
    assert said["epochs"] == [2]
    assert said["kept_epochs"][0] in (1, 2)
    assert f"Kept epoch {said['kept_epochs'][0]} of 2: the lowest val/loss." in trained.stdout.splitlines()
    assert said["checkpoints"] == [said["checkpoint"]]
    assert said["config"]["model"]["anchors"] == 2


def test_metrics_json_counts_the_test_split(trained: Any) -> None:
    demo, said = read_demo("test"), trained.metrics
    tables = [table for database in demo.databases for table in database]
    assert said["graph"]["databases"] == len(demo.databases)
    assert said["graph"]["tables"] == len(tables)
    assert said["graph"]["nodes"] == sum(len(table.columns) for table in tables)
    assert said["graph"]["join"] == sum(len(database.joins) for database in demo.databases)
    assert said["graph"]["questions"] == said["questions"]["total"] == said["questions"]["scored"] == 180
    assert said["questions"]["dropped"] == []
    timing = said["timing"]
    assert all(timing[name] > 0 for name in ("embedding", "training", "evaluation"))
    assert timing["questions_per_second"] == pytest.approx(180 / timing["evaluation"], rel=1e-2)


def test_questions_jsonl_holds_every_question_with_its_ranking(trained: Any) -> None:
    records, demo = trained.questions, read_demo("test")
    assert [record["question"] for record in records] == [question.text for question in demo.questions]
    known = {f"{database.name}.{table.name}" for database in demo.databases for table in database}
    for record, question in zip(records, demo.questions, strict=True):
        assert list(record) == ["index", "question", "database", "gold", "ranked"]
        assert record["gold"] == [f"{question.database}.{table}" for table in question.gold_tables]
        tables, scores = zip(*((hit["table"], hit["score"]) for hit in record["ranked"]), strict=True)
        assert len(set(tables)) == len(tables) == 15
        assert set(tables) <= known
        assert list(scores) == sorted(scores, reverse=True)


@pytest.mark.parametrize("k", [5, 15])
def test_the_metrics_are_those_of_the_rankings(trained: Any, k: int) -> None:
    expected = counted(trained.questions, k)
    assert {name: trained.metrics["metrics"][name] for name in expected} == pytest.approx(expected)


def test_the_loss_of_training_goes_down(command: Command) -> None:
    ended = command("train.py", *QUICK, "model.dropout=0", "optimization.lr=0.01")
    with (ended.folder / "metrics.csv").open() as file:
        first, second = (float(row["train/loss"]) for row in csv.DictReader(file) if row["train/loss"])
    assert second < first


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(command: Command, trained: Any) -> None:
    again, other = command("train.py", *QUICK), command("train.py", *QUICK, "seed=1")
    for name in ("best.ckpt", "last.ckpt"):
        assert same(trained.folder / name, again.folder / name)
        assert not same(trained.folder / name, other.folder / name)
    assert again.metrics["metrics"] == trained.metrics["metrics"]
    assert again.questions == trained.questions


def test_a_resumed_run_ends_like_an_uninterrupted_one(command: Command, trained: Any) -> None:
    begun = command("train.py", *QUICK, "trainer.max_epochs=1")
    resumed = command("train.py", *QUICK, "resume=true", folder=begun.folder)
    assert (resumed.status, resumed.stderr) == (0, "")
    assert same(trained.folder / "last.ckpt", resumed.folder / "last.ckpt")
    assert resumed.metrics["metrics"] == trained.metrics["metrics"]
    elsewhere = command("train.py", *QUICK, "trainer.max_epochs=3", f"resume={trained.folder / 'last.ckpt'}")
    assert elsewhere.metrics["epochs"] == [3]


def test_per_database_the_tables_of_other_databases_do_not_compete(command: Command) -> None:
    ended = command("train.py", *QUICK, "trainer.max_epochs=1", "setting=per_database", "ks=[1,3]")
    assert ended.metrics["setting"] == "per_database"
    assert list(ended.metrics["metrics"]) == ["P@1", "R@1", "PR@1", "P@3", "R@3", "PR@3"]
    for record in ended.questions:
        assert {hit["table"].partition(".")[0] for hit in record["ranked"]} == {record["database"]}
        assert len(record["ranked"]) == 3
    assert ended.metrics["metrics"] == pytest.approx(counted(ended.questions, 1) | counted(ended.questions, 3))


def test_a_sweep_runs_a_job_a_value(command: Command, tmp_path: Path) -> None:
    options = ("trainer.max_epochs=1", "model.anchors=1,3", f"hydra.sweep.dir={tmp_path}", "hydra.verbose=false")
    ended = command("train.py", "-m", *(each for each in QUICK if "anchors" not in each), *options)
    assert (ended.status, ended.stderr) == (0, "")
    for job, anchors in (("0", 1), ("1", 3)):
        model = torch.load(tmp_path / job / "best.ckpt", weights_only=True)["joingr"]["model"]
        assert model["anchors"] == anchors
        assert (tmp_path / job / "metrics.json").is_file()


# BEAVER: cross-validation, and the loss on edges.


@pytest.fixture(scope="module")
def crossed(command: Command, beaver: Path) -> Any:
    return command("train.py", *BEAVER, f"paths.data={beaver}")


def test_a_cross_validation_tests_every_question_once(crossed: Any) -> None:
    assert (crossed.status, crossed.stderr) == (0, "")
    said = crossed.metrics
    assert [record["index"] for record in crossed.questions] == list(range(8))
    assert [said[key] for key in ("dataset", "split", "checkpoint", "epochs")] == ["beaver", "dev", None, [2, 2]]
    assert said["checkpoints"] == [str(crossed.folder / f"fold_{number}/last.ckpt") for number in (0, 1)]
    assert all(Path(path).is_file() for path in said["checkpoints"])
    assert len(said["folds"]) == 2
    for name, value in said["metrics"].items():
        first, second = (fold[name] for fold in said["folds"])
        assert value == pytest.approx((first + second) / 2)
        assert said["spread"][name] == pytest.approx(abs(first - second) / 2**0.5)
    # Folds of equal size: the mean over folds is the mean over questions.
    assert said["metrics"] == pytest.approx(counted(crossed.questions, 1) | counted(crossed.questions, 3))
    assert said["kept_epochs"] == [2, 2]
    assert "Kept epochs 2 of 2, 2 of 2: the last, as no question was held out to choose by." in crossed.stdout
    assert "2 folds" in crossed.stdout
    assert f"{said['metrics']['R@3']:.3f} ±{said['spread']['R@3']:.3f}" in crossed.stdout


def test_a_dropped_question_is_counted_with_its_reason(crossed: Any) -> None:
    assert crossed.metrics["questions"] == {
        "total": 9,
        "scored": 8,
        "dropped": [{"index": 8, "database": "dwh", "reason": "Its database 'dwh' is not in the schema file."}],
    }
    assert crossed.metrics["graph"] == dict(zip(COUNTS, [1, 6, 9, 17, 11, 3, 5], strict=True))
    assert "1 of 9 questions are dropped" in crossed.stdout


def test_folds_trained_at_the_same_time_are_the_same(command: Command, beaver: Path, crossed: Any) -> None:
    ended = command("train.py", *BEAVER, "fold_workers=2", f"paths.data={beaver}")
    assert ended.status == 0
    assert ended.questions == crossed.questions
    assert ended.metrics["folds"] == crossed.metrics["folds"]
    for number in (0, 1):
        assert same(ended.folder / f"fold_{number}/last.ckpt", crossed.folder / f"fold_{number}/last.ckpt")


def test_a_cross_validation_goes_on_where_it_ended(command: Command, beaver: Path, crossed: Any) -> None:
    begun = command("train.py", *BEAVER, "trainer.max_epochs=1", f"paths.data={beaver}")
    shutil.rmtree(begun.folder / "fold_1")
    ended = command("train.py", *BEAVER, "resume=true", f"paths.data={beaver}", folder=begun.folder)
    assert ended.status == 0
    assert ended.metrics["folds"] == crossed.metrics["folds"]


@pytest.mark.parametrize("seed", range(3))
def test_grouped_folds_keep_paraphrases_together(
    command: Command, beaver: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    dealt: list[list[list[int]]] = []

    def noted(dataset: Any, folds: list[list[int]], *rest: Any) -> None:
        dealt.append(folds)
        raise JoinGRError("Seen enough.")

    monkeypatch.setattr(train, "cross_validate", noted)
    options = (*BEAVER, "encoder.dim=256", f"fold_seed={seed}", f"paths.data={beaver}")
    command("train.py", *options, "fold_groups=true")
    command("train.py", *options)
    grouped, single = dealt
    assert sorted(grouped[0] + grouped[1]) == sorted(single[0] + single[1]) == list(range(8))
    # Questions 0 and 1, and 4 and 5, are alike; the others are alone.
    assert all({0, 1} <= set(fold) or not {0, 1} & set(fold) for fold in grouped)
    assert all({4, 5} <= set(fold) or not {4, 5} & set(fold) for fold in grouped)


def test_the_edge_loss_learns_from_gold_joins(command: Command, beaver: Path, crossed: Any) -> None:
    ended = command("train.py", "loss=edge", *BEAVER, f"paths.data={beaver}")
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.metrics["config"]["loss"]["_target_"] == "joingr_pyg.training.losses.EdgeLoss"
    assert not same(ended.folder / "fold_0/last.ckpt", crossed.folder / "fold_0/last.ckpt")


def test_a_dataset_without_a_test_split_is_only_trained_on(command: Command, beaver: Path) -> None:
    ended = command("train.py", "dataset=beaver", *QUICK, f"paths.data={beaver}")
    assert (ended.status, ended.metrics["metrics"]) == (0, {})
    assert f"joingr evaluate checkpoint={ended.folder / 'best.ckpt'} dataset=" in ended.stdout
    assert not (ended.folder / "questions.jsonl").exists()


def test_baselines_are_the_methods_that_evaluate_knows(command: Command) -> None:
    """The same figures from both commands, with what the methods remember of the training questions."""
    names = ("knn", "bm25", "steiner")
    ended = command("train.py", *QUICK, "trainer.max_epochs=1", f"baselines=[{','.join(names)}]")
    assert list(ended.metrics["baselines"]) == list(names)
    for name in names:
        assert ended.metrics["baselines"][name] == command("evaluate.py", f"method={name}", *SMALL).metrics["metrics"]


def test_a_baseline_is_the_same_whatever_the_model(command: Command, trained: Any) -> None:
    """Here the model has two anchors and two hops, and the heuristic has those of its own config."""
    heuristic = command("evaluate.py", "method=heuristic", *SMALL).metrics
    assert heuristic["config"]["method"]["anchors"] == 5
    assert trained.metrics["baselines"]["heuristic"] == heuristic["metrics"]


def test_baselines_say_what_they_have_seen(command: Command) -> None:
    ended = command("train.py", *QUICK, "trainer.max_epochs=1", "baselines=[vanilla,knn]")
    assert "knn, remembers 240 answers" in ended.stdout
    assert "vanilla, remembers" not in ended.stdout
    without = command("train.py", *QUICK, "trainer.max_epochs=1", "baselines=[vanilla,knn]", "remember=false")
    assert without.metrics["baselines"]["knn"] == without.metrics["baselines"]["vanilla"]
    assert "remembers" not in without.stdout


def test_baselines_remember_the_other_folds(command: Command, beaver: Path) -> None:
    folds = ("folds=2", "ks=[1,3]", "fold_groups=true", f"paths.data={beaver}")
    ended = command("train.py", *BEAVER, *folds, "trainer.max_epochs=1", "baselines=[vanilla,knn]")
    knn = command("evaluate.py", "method=knn", "dataset=beaver", *folds, *SMALL).metrics["metrics"]
    assert ended.metrics["baselines"]["knn"] == knn
    assert ended.metrics["baselines"]["vanilla"] != knn


# Bad input.


def refused(ended: Any, *parts: str) -> None:
    """One sentence on standard error, a failure, and nothing that looks like a result."""
    assert ended.status == 2
    (sentence,) = ended.stderr.splitlines()
    assert sentence.startswith("train: ")
    for part in parts:
        assert part in sentence
    assert "Results in" not in ended.stdout
    left = {path.name for path in ended.folder.rglob("*") if path.is_file() and path.parent.name != ".hydra"}
    assert left <= {"train.log", "metrics.csv"}


@pytest.mark.parametrize(
    ("overrides", "parts"),
    [
        (["ks=[0]"], ["'ks'", "at least 1", "[0]"]),
        (["ks=[]"], ["'ks'", "[]"]),
        (["ks=5"], ["'ks'", "list", "5"]),
        (["setting=both"], ["'both'", "one of pooled, per_database"]),
        (["batch_size=0"], ["'batch_size'", "at least 1", "0"]),
        (["model.hops=0"], ["'model.hops'", "at least 1", "0"]),
        (["model.anchors=0"], ["'model.anchors'", "at least 1", "0"]),
        (["model.decay=1"], ["'model.decay'", "below 1"]),
        (["validation.fraction=1"], ["'validation.fraction'", "below 1", "1"]),
        (["validation.by=table"], ["'validation.by'", "one of database, question", "'table'"]),
        (["early_stopping=2", "validation.fraction=0"], ["'early_stopping'", "'validation.fraction'"]),
        (["monitor=val/lose"], ["'val/lose'", "val/loss"]),
        (["optimization.lr=-1"], ["'optimization.lr'", "above 0", "-1"]),
        (["optimization.lr=1e30"], ["ended in epoch 1 of 2", "is not finite", "optimization.lr (now 1e+30)"]),
        (["trainer.max_epochs=0"], ["'trainer.max_epochs'", "at least 1", "0"]),
        (["baselines=[oracle]"], ["'oracle'", "'bm25', 'heuristic', "]),
        (["folds=5"], ["'folds'", "dataset=beaver"]),
        (["loss=edge"], ["'demo'", "no gold joins", "dataset=beaver"]),
        (["dataset.train=dev"], ["'demo'", "no split 'dev'", "'train', 'test'"]),
        (["loss.negatives=all"], ["'loss.negatives'", "one of database, corpus", "'all'"]),
        (["resume=true"], ["There is no checkpoint at", "last.ckpt", "hydra.run.dir"]),
        (["resume=nowhere.ckpt"], ["There is no checkpoint at 'nowhere.ckpt' to resume"]),
        (["loss.margin=abc"], ["'loss.margin'", "a number, at least 0", "'abc'"]),
        (["loss.margin=-1"], ["'loss.margin'", "a number, at least 0", "-1"]),
        (["trainer.precision=bf16-mixd"], ["'trainer.precision'", "bf16-mixed", "'bf16-mixd'"]),
        (["+trainer.profiler=mine"], ["'trainer.profiler'", "simple", "'mine'"]),
        (["seed=-1"], ["'seed'", "from 0 to", "-1"]),
        (["seed=1,2"], ["seed=1,2", "-m", "seed=[1,2]"]),
        (["loss=null"], ["the name of one of its choices"]),
        (["seed=${nothing}"], ["'seed'", "'nothing' not found"]),
        (["hydra.job.num=abc"], ["'hydra.job.num'", "'abc'"]),
        (["paths.data=/home/jürgen"], ["quote its value, as in 'paths.data=\"/home/jürgen\"'"]),
        (["paths.data=李明"], ["quote its value, as in 'paths.data=\"李明\"'"]),
        (["encoder=sentence_transformer"], ["'encoder.model'", "encoder.model="]),
        (["encoder=contriever", "encoder.pooling=mode"], ["'mode'", "mean"]),
    ],
    ids=str,
)
def test_bad_input_gets_one_sentence(command: Command, overrides: list[str], parts: list[str]) -> None:
    given = QUICK if not any(each.startswith("encoder=") for each in overrides) else QUICK[2:]
    refused(command("train.py", *given, *overrides), *parts)


@pytest.mark.parametrize(
    ("folds", "part"), [(1, "a whole number, at least 2"), (9, "from 2 to the number of questions, 8")]
)
def test_folds_are_from_two_to_the_questions(command: Command, beaver: Path, folds: int, part: str) -> None:
    ended = command("train.py", *BEAVER, f"folds={folds}", f"paths.data={beaver}")
    refused(ended, "'folds'", part, str(folds))


def test_a_cross_validation_is_not_resumed_from_a_file(command: Command, trained: Any) -> None:
    ended = command("train.py", *BEAVER, f"resume={trained.folder / 'last.ckpt'}")
    refused(ended, "resume=true")


def test_what_is_resumed_is_a_checkpoint_of_the_same_encoder(command: Command, trained: Any, tmp_path: Path) -> None:
    (tmp_path / "text.ckpt").write_text("no checkpoint")
    refused(command("train.py", *QUICK, f"resume={tmp_path / 'text.ckpt'}"), "no JoinGR checkpoint")
    ended = command("train.py", *QUICK, "encoder.dim=32", f"resume={trained.folder / 'last.ckpt'}")
    refused(ended, "'hashing-16'", "'hashing-32'")


@pytest.mark.parametrize("dataset", ["bird", "spider", "beaver", "beaver_nw"])
def test_missing_data_is_named_with_its_place(command: Command, tmp_path: Path, dataset: str) -> None:
    ended = command("train.py", *QUICK, f"dataset={dataset}", "dataset.source.download=false", f"paths.data={tmp_path}")
    refused(ended, str(tmp_path / dataset.partition("_")[0]))


def test_truncated_data_is_named(command: Command, beaver: Path, tmp_path: Path) -> None:
    shutil.copytree(beaver, tmp_path, dirs_exist_ok=True)
    cut = tmp_path / "beaver/dev_tables.json"
    cut.write_bytes(cut.read_bytes()[:100])
    refused(command("train.py", *BEAVER, f"paths.data={tmp_path}"), f"'{cut}' is truncated or not JSON")


@pytest.mark.parametrize("key", ["hydra.run.dir", "paths.cache"])
def test_a_folder_that_cannot_be_made_is_named(command: Command, tmp_path: Path, key: str) -> None:
    (tmp_path / "file").write_text("")
    ended = command("train.py", *QUICK, f"{key}={tmp_path / 'file' / 'folder'}")
    refused(ended, f"'{tmp_path / 'file' / 'folder'}", "cannot be used (Not a directory)", "hydra.run.dir=<folder>")


@pytest.mark.parametrize("dataset", ["bird", "spider", "beaver"])
def test_data_without_content_is_named(command: Command, tmp_path: Path, dataset: str) -> None:
    names = ["dev/dev", "dev/dev_tables", "train/train", "train/train_tables", "tables", "train_spider", "dev"]
    for name in [*names, "dev_tables", "dw_join_keys", "dev_dw"]:
        path = tmp_path / dataset / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[]")
    refused(command("train.py", *QUICK, f"dataset={dataset}", f"paths.data={tmp_path}"), dataset)


@pytest.mark.parametrize(
    ("group", "there"),
    [
        ("dataset", ["beaver", "beaver_nw", "bird", "demo", "spider"]),
        ("encoder", ["bge", "contriever", "hashing", "minilm", "sentence_transformer"]),
        ("model", ["joingr"]),
        ("loss", ["edge", "table"]),
        ("experiment", ["beaver_cv"]),
    ],
)
def test_what_exists_is_listed_where_a_choice_does_not(command: Command, group: str, there: list[str]) -> None:
    ended = command("train.py", f"{group}=wrong")
    refused(ended, f"There is no {group}=wrong; ", "eside it there are ", *there)


def test_the_nearest_choice_is_named(command: Command) -> None:
    refused(command("train.py", "encoder=hashingg"), "There is no encoder=hashingg; did you mean hashing? Beside it")


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        (
            "model.anchorz=3",
            "There is no key 'model.anchorz'; did you mean anchors? Beside it there are anchors, hops, ",
        ),
        (
            "batchsize=3",
            "There is no key 'batchsize'; did you mean batch_size? Beside it there are seed, setting, ks, ",
        ),
        (
            "+model.drop=0.1",
            "There is no key 'model.drop'; did you mean dropout? Beside it there are channels, anchors, ",
        ),
        ("paths.root=3", "There is no key 'paths.root'; beside it there are data, cache, output, multirun."),
    ],
)
def test_what_exists_is_listed_where_a_key_does_not(command: Command, override: str, sentence: str) -> None:
    refused(command("train.py", override), sentence)


def test_a_bug_is_not_dressed_up_as_bad_input(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get_class("joingr_pyg.models.JoinGR"), "evidence", lambda *_: {}["gone"])
    ended = command("train.py", *QUICK)
    assert ended.status == 1
    assert "Traceback" in ended.stderr
    assert "KeyError: 'gone'" in ended.stderr
