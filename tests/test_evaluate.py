import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from joingr_pyg.datasets import Beaver
from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.evaluation.evaluate import evaluate
from joingr_pyg.models import Vanilla

Command = Callable[..., Any]

SMALL = ("encoder=hashing", "encoder.dim=16")
KEYS = [
    *("dataset", "split", "setting", "encoder", "method", "checkpoint", "seed"),
    *("graph", "questions", "metrics", "timing", "sets", "databases", "trained", "overrides", "config"),
]


@pytest.fixture(scope="module")
def evaluated(command: Command, trained: Any) -> Any:
    return command("evaluate.py", f"checkpoint={trained.folder / 'best.ckpt'}", *SMALL)


def test_a_checkpoint_scores_what_training_said(evaluated: Any, trained: Any) -> None:
    assert (evaluated.status, evaluated.stderr) == (0, "")
    assert evaluated.metrics["metrics"] == trained.metrics["metrics"]
    assert evaluated.questions == trained.questions


def test_metrics_json_has_the_same_keys(evaluated: Any, trained: Any) -> None:
    said = evaluated.metrics
    assert list(said) == KEYS
    assert [said[key] for key in ("dataset", "split", "setting", "encoder", "method", "seed")] == [
        *("demo", "test", "pooled", "hashing-16", "joingr", 0)
    ]
    assert said["checkpoint"] == str(trained.folder / "best.ckpt")
    assert said["graph"] == trained.metrics["graph"]
    assert said["questions"] == trained.metrics["questions"]
    assert list(said["timing"]) == list(trained.metrics["timing"])
    assert said["timing"]["training"] == 0


def test_metrics_json_says_how_the_run_was_started_and_trained(evaluated: Any, trained: Any, command: Command) -> None:
    checkpoint = f"checkpoint={trained.folder / 'best.ckpt'}"
    assert evaluated.metrics["overrides"] == [checkpoint, *SMALL]
    said = evaluated.metrics["trained"]
    assert (said["dataset"], said["seed"], said["overrides"]) == ("demo", 0, trained.metrics["overrides"])
    assert {*SMALL, "model.anchors=2"} <= set(said["overrides"])
    # A method is not trained, and where a run is kept does not bear on its results.
    vanilla = command("evaluate.py", "method=vanilla", *SMALL, "paths.output=elsewhere").metrics
    assert vanilla["overrides"] == ["method=vanilla", *SMALL]
    assert "trained" not in vanilla


def test_the_result_is_shown(evaluated: Any) -> None:
    lines = evaluated.stdout.splitlines()
    assert lines[0].split() == ["demo", "test,", "pooled,", "hashing-16"]
    (row,) = (line for line in lines if line.startswith("│"))
    shown = [cell.strip() for cell in row.strip("│").split("│")]
    assert shown[:-1] == ["joingr", *(f"{value:.3f}" for value in evaluated.metrics["metrics"].values())]
    assert lines[-1] == f"Results in {evaluated.folder}"
    assert {path.name for path in evaluated.folder.iterdir()} == {
        *("metrics.json", "questions.jsonl", "evaluate.log", ".hydra")
    }


def test_a_dataset_is_evaluated_with_cryptic_names(command: Command) -> None:
    plain, cryptic = (
        command("evaluate.py", "method=vanilla", *SMALL, *option) for option in ((), ("dataset.cryptic_names=true",))
    )
    assert (cryptic.status, cryptic.stderr) == (0, "")
    assert cryptic.stdout.startswith("demo test with cryptic names, pooled, hashing-16")
    assert cryptic.metrics["graph"] == plain.metrics["graph"]
    assert [each["question"] for each in cryptic.questions] == [each["question"] for each in plain.questions]
    assert cryptic.questions != plain.questions


@pytest.mark.parametrize("method", ["vanilla", "heuristic"])
def test_a_method_scores_what_training_shows_beside_the_model(command: Command, trained: Any, method: str) -> None:
    ended = command("evaluate.py", f"method={method}", *SMALL)
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.metrics["metrics"] == trained.metrics["baselines"][method]
    assert (ended.metrics["method"], ended.metrics["checkpoint"]) == (method, None)


def test_a_checkpoint_is_evaluated_on_another_dataset(command: Command, trained: Any, beaver: Path) -> None:
    ended = command(
        "evaluate.py", f"checkpoint={trained.folder / 'best.ckpt'}", "dataset=beaver", *SMALL, f"paths.data={beaver}"
    )
    assert (ended.status, ended.stderr) == (0, "")
    assert [ended.metrics[key] for key in ("dataset", "split", "method")] == ["beaver", "dev", "joingr"]
    assert [record["index"] for record in ended.questions] == list(range(8))
    assert ended.metrics["questions"]["dropped"] == [
        {"index": 8, "database": "dwh", "reason": "Its database 'dwh' is not in the schema file."}
    ]


def test_any_cut_off_and_the_other_setting(command: Command, beaver: Path) -> None:
    options = ("dataset=beaver", f"paths.data={beaver}", "ks=[2,1]", *SMALL)
    ended = command("evaluate.py", "method=vanilla", "setting=per_database", *options)
    assert list(ended.metrics["metrics"]) == ["P@1", "R@1", "PR@1", "P@2", "R@2", "PR@2"]
    assert all(len(record["ranked"]) == 2 for record in ended.questions)
    # There is one database, so both settings are the same.
    assert ended.metrics["metrics"] == command("evaluate.py", "method=vanilla", *options).metrics["metrics"]


def test_the_size_of_batches_does_not_matter(command: Command, beaver: Path) -> None:
    options = ("method=heuristic", "dataset=beaver", f"paths.data={beaver}", *SMALL)
    whole, parts = command("evaluate.py", *options), command("evaluate.py", *options, "batch_size=3")
    assert whole.metrics["metrics"] == pytest.approx(parts.metrics["metrics"])


def test_a_dataset_is_evaluated_by_hand(beaver: Path, tmp_path: Path) -> None:
    """Question 2 has one gold table and question 7 two: what the rankings hold of them is what is counted."""
    dataset = Beaver(beaver, "dev", HashingEncoder(16), tmp_path, download=False)
    questions = [dataset.questions[2], dataset.questions[7]]
    result = evaluate(Vanilla(), dataset, dataset.encode_questions()[[2, 7]], questions, ks=[3])
    first, second = ({hit["table"] for hit in record["ranked"]} for record in result.records)
    hits = len({"dw.PERSON"} & first), len({"dw.ROOM", "dw.ASSIGNMENT"} & second)
    assert result.metrics == {
        "P@3": pytest.approx((hits[0] / 3 + hits[1] / 3) / 2),
        "R@3": pytest.approx((hits[0] / 1 + hits[1] / 2) / 2),
        "PR@3": pytest.approx(((hits[0] == 1) + (hits[1] == 2)) / 2),
    }
    assert [record["index"] for record in result.records] == [2, 7]


def test_a_method_with_nothing_to_remember_says_so(command: Command, beaver: Path) -> None:
    options = ("method=knn", "dataset=beaver", f"paths.data={beaver}", *SMALL)
    ended = command("evaluate.py", *options)
    assert "no answered question: with folds=5" in ended.stdout
    vanilla = command("evaluate.py", "method=vanilla", *options[1:])
    assert ended.metrics["metrics"] == vanilla.metrics["metrics"]
    # Paraphrases (0 and 1, 4 and 5) are dealt apart here, and one of each votes for the other's tables.
    folded = command("evaluate.py", *options, "folds=8", "ks=[3]")
    assert "no answered question" not in folded.stdout
    assert folded.metrics["metrics"]["R@3"] > command("evaluate.py", *options, "ks=[3]").metrics["metrics"]["R@3"]


@pytest.mark.parametrize("method", ["knn", "joingr_plus_untrained"])
def test_the_table_says_what_a_method_has_seen(command: Command, method: str) -> None:
    """On the demo the 240 training questions are asked of the databases of the test."""
    ended = command("evaluate.py", f"method={method}", *SMALL)
    assert ended.status == 0
    assert f"{method}, remembers 240 answers" in ended.stdout
    assert ended.metrics["remembered"] == 240
    without = command("evaluate.py", f"method={method}", "remember=false", *SMALL)
    assert "remembers" not in without.stdout
    assert "remembered" not in without.metrics
    assert without.metrics["metrics"] != ended.metrics["metrics"]


def test_the_table_says_of_folds_that_they_are_remembered(command: Command, beaver: Path) -> None:
    ended = command("evaluate.py", "method=knn", "dataset=beaver", f"paths.data={beaver}", "folds=2", "ks=[1]", *SMALL)
    assert "knn, remembers the other folds" in ended.stdout


def test_what_a_method_measures_of_itself_is_kept(command: Command, beaver: Path) -> None:
    options = ("dataset=beaver", f"paths.data={beaver}", "ks=[2]", *SMALL)
    said = command("evaluate.py", "method=jar", "method.time_limit=60", "method.gap=0", *options).metrics["measured"]
    assert (said["questions"], said["published_decompositions"], said["time_limit_hits"]) == (8, 0, 0)
    greedy = command("evaluate.py", "method=iterjar", *options).metrics["measured"]
    assert said["greedy_objective"] == pytest.approx(greedy["objective"])
    assert 0 < said["greedy_ratio"] <= 1
    assert said["objective"] >= said["greedy_objective"]


def test_no_library_is_heard(command: Command) -> None:
    assert command("evaluate.py", "method=bm25", *SMALL).stdout.startswith("demo test, pooled, hashing-16")


# Paths that Hydra's grammar takes for something else.


def test_our_own_paths_need_no_quoting(trained: Any) -> None:
    assert not [path for path in trained.folder.rglob("*") if set(path.name) & set("=,()[]{} ")]


@pytest.mark.parametrize("name", ["epoch=3-step=90.ckpt", "with spaces, and commas.ckpt", "检查点.ckpt"])
def test_quoted_paths_work(command: Command, trained: Any, tmp_path: Path, name: str) -> None:
    shutil.copy(trained.folder / "best.ckpt", tmp_path / name)
    # As a shell passes on 'checkpoint="<path>"'.
    ended = command("evaluate.py", f'checkpoint="{tmp_path / name}"', *SMALL)
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.metrics["checkpoint"] == str(tmp_path / name)
    assert ended.metrics["metrics"] == trained.metrics["metrics"]


def test_an_unquoted_equals_sign_is_refused(command: Command) -> None:
    ended = command("evaluate.py", "checkpoint=out/epoch=3-step=90.ckpt", *SMALL)
    assert ended.status == 2
    (sentence,) = ended.stderr.splitlines()
    assert sentence.endswith("""quote its value, as in 'checkpoint="out/epoch=3-step=90.ckpt"'.""")


def test_an_override_that_cannot_be_read_keeps_its_secrets(command: Command) -> None:
    ended = command("evaluate.py", "+db=postgresql://me:hidden!word@höst/x", *SMALL)
    assert ended.status == 2
    assert "cannot be read: quote its value" in ended.stderr
    assert "hidden" not in ended.stderr


# Bad input.


def refused(ended: Any, *parts: str) -> None:
    """One sentence on standard error, a failure, and nothing that looks like a result."""
    assert ended.status == 2
    (sentence,) = ended.stderr.splitlines()
    assert sentence.startswith("evaluate: ")
    for part in parts:
        assert part in sentence
    assert {path.name for path in ended.folder.iterdir()} == {".hydra", "evaluate.log"}


@pytest.mark.parametrize(
    ("overrides", "parts"),
    [
        ([], ["method=<name>", "(bm25, heuristic, ", "vanilla) and", "checkpoint=<file"]),
        (["method=vanilla", "checkpoint=best.ckpt"], ["one of method=<name>", "checkpoint=<file"]),
        (["checkpoint=nowhere/best.ckpt"], ["no checkpoint at 'nowhere/best.ckpt'"]),
        (["method=vanilla", "ks=[5,0]"], ["'ks'", "at least 1", "[5, 0]"]),
        (["method=vanilla", "ks=[a]"], ["'ks'", "['a']"]),
        (["method=vanilla", "setting=all"], ["'all'", "one of pooled, per_database"]),
        (["method=vanilla", "batch_size=0"], ["'batch_size'", "at least 1", "0"]),
        (["method=vanilla", "dataset.test=dev"], ["'demo'", "no split 'dev'"]),
        (["method=heuristic", "method.hops=0"], ["'method.hops'", "at least 1", "0"]),
        (["method=heuristic", "method.anchors=0"], ["'method.anchors'", "at least 1", "0"]),
    ],
    ids=str,
)
def test_bad_input_gets_one_sentence(command: Command, overrides: list[str], parts: list[str]) -> None:
    refused(command("evaluate.py", *SMALL, *overrides), *parts)


def test_what_is_no_checkpoint_is_told(command: Command, tmp_path: Path) -> None:
    for name, content in {"text": b"no checkpoint", "empty": b"", "json": json.dumps({}).encode()}.items():
        path = tmp_path / name
        path.write_bytes(content)
        refused(command("evaluate.py", f"checkpoint={path}", *SMALL), f"The file '{path}' is no JoinGR checkpoint")
    torch.save({"state_dict": {}}, tmp_path / "foreign.ckpt")
    refused(command("evaluate.py", f"checkpoint={tmp_path / 'foreign.ckpt'}", *SMALL), "is no JoinGR checkpoint")


def test_another_encoder_is_refused_naming_both(command: Command, trained: Any) -> None:
    ended = command("evaluate.py", f"checkpoint={trained.folder / 'best.ckpt'}", "encoder=hashing", "encoder.dim=32")
    refused(ended, "'hashing-16'", "'hashing-32'", str(trained.folder / "best.ckpt"))


def test_the_methods_are_listed_where_one_does_not_exist(command: Command) -> None:
    ended = command("evaluate.py", "method=oracle", *SMALL)
    assert ended.status == 2
    (sentence,) = ended.stderr.splitlines()
    assert all(part in sentence for part in ("There is no method=oracle; ", "heuristic", "vanilla"))


def test_options_of_methods_in_a_sweep(command: Command) -> None:
    ended = command("evaluate.py", "-m", "method=jar,iterjar", "method.size=5", *SMALL)
    assert ended.status == 2
    assert ended.stderr.splitlines()[-1].endswith("and write ++method.size=5 in a sweep.")


def test_the_keys_are_listed_where_one_does_not_exist(command: Command) -> None:
    ended = command("evaluate.py", "method=heuristic", "method.anchorz=3", *SMALL)
    assert ended.status == 2
    assert ended.stderr.splitlines()[-1].startswith(
        "evaluate: There is no key 'method.anchorz'; did you mean anchors? Beside it there are anchors, hops, decay, "
    )
