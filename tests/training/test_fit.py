import csv
import pickletools
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Beaver, Question
from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.evaluation.evaluate import evaluate
from joingr_pyg.models import JoinGR
from joingr_pyg.models.checkpoint import load_checkpoint, require_encoder
from joingr_pyg.nn.dropout import dropout
from joingr_pyg.training import fit as module
from joingr_pyg.training.fit import Fitted, Fitting
from joingr_pyg.training.losses import EdgeLoss, TableLoss
from joingr_pyg.training.questions import QuestionSet
from joingr_pyg.training.validation import Validation, split_validation

Fit = Callable[..., Fitted]

SCORER = {f"model.walk.scorer.{name}" for name in ("input.weight", "input.bias", "norm.weight", "norm.bias")}
SCORER |= {f"model.walk.scorer.output.{name}" for name in ("weight", "bias")}
"""The parameters of the edge scorer."""


def logged(folder: Path, name: str) -> list[float]:
    """The logged values of a metric, epoch by epoch."""
    with (folder / "metrics.csv").open() as file:
        return [float(row[name]) for row in csv.DictReader(file) if row.get(name)]


def stored(path: Path) -> dict[str, Any]:
    """A checkpoint, read without executing code."""
    return torch.load(path, weights_only=True)


def same_weights(first: Path, second: Path) -> bool:
    """Whether two checkpoints hold the same weights, bit for bit."""
    a, b = stored(first)["state_dict"], stored(second)["state_dict"]
    assert a.keys() == b.keys()
    return all(torch.equal(a[name], b[name]) for name in a)


def test_the_loss_goes_down(fit_tiny: Fit, tmp_path: Path) -> None:
    fitted = fit_tiny("run", epochs=30, validation=0.0, model=partial(JoinGR, hidden_channels=16, dropout=0.0))
    losses = logged(tmp_path / "run", "train/loss")
    assert fitted.epochs == len(losses) == 30
    assert losses[-1] < 0.9 * losses[0]


def test_the_edge_loss_goes_down(fit_tiny: Fit, tmp_path: Path) -> None:
    model = partial(JoinGR, hidden_channels=16, dropout=0.0)
    fit_tiny("run", epochs=30, validation=0.0, model=model, loss=EdgeLoss())
    losses = logged(tmp_path / "run", "train/loss")
    assert losses[-1] < 0.9 * losses[0]


def test_a_seed_decides_everything(fit_tiny: Fit, tmp_path: Path) -> None:
    for folder, seed in (("first", 0), ("second", 0), ("other", 1)):
        torch.rand(seed + len(folder))  # Earlier draws must not matter.
        fit_tiny(folder, seed=seed)
    assert same_weights(tmp_path / "first/last.ckpt", tmp_path / "second/last.ckpt")
    assert same_weights(tmp_path / "first/best.ckpt", tmp_path / "second/best.ckpt")
    assert not same_weights(tmp_path / "first/last.ckpt", tmp_path / "other/last.ckpt")


@pytest.mark.parametrize("validation", [0.25, 0.0])
def test_a_resumed_run_ends_like_an_uninterrupted_one(fit_tiny: Fit, tmp_path: Path, validation: float) -> None:
    options = {"validation": validation, "patience": 0, "lr": 0.3}
    fit_tiny("whole", epochs=8, **options)
    fit_tiny("parts", epochs=3, **options)
    fitted = fit_tiny("parts", epochs=8, resume=tmp_path / "parts/last.ckpt", **options)
    assert fitted.epochs == 8
    assert same_weights(tmp_path / "whole/last.ckpt", tmp_path / "parts/last.ckpt")
    whole, parts = stored(tmp_path / "whole/last.ckpt"), stored(tmp_path / "parts/last.ckpt")
    assert whole["lr_schedulers"] == parts["lr_schedulers"]
    assert whole["lr_schedulers"][0]["last_epoch"] == 8
    # The test shows that plateaus survive a resume only if there were plateaus.
    assert whole["lr_schedulers"][0]["_last_lr"][0] < 0.3
    assert logged(tmp_path / "whole", "train/loss") == logged(tmp_path / "parts", "train/loss")
    if validation:
        assert same_weights(tmp_path / "whole/best.ckpt", tmp_path / "parts/best.ckpt")


def test_a_finished_run_is_resumed_at_its_end(fit_tiny: Fit, tmp_path: Path) -> None:
    first = fit_tiny("run", epochs=2)
    again = fit_tiny("run", epochs=2, resume=tmp_path / "run/last.ckpt")
    assert again.epochs == 2
    assert torch.equal(first.model.walk.decay_logit, again.model.walk.decay_logit)


def test_the_last_checkpoint_is_that_of_the_last_epoch(fit_tiny: Fit, tmp_path: Path) -> None:
    fit_tiny("run", epochs=6, lr=0.5)
    losses = logged(tmp_path / "run", "val/loss")
    assert losses.index(min(losses)) < 5, "the test needs a last epoch that is not the best"
    assert stored(tmp_path / "run/last.ckpt")["epoch"] == 5


@pytest.mark.parametrize(
    ("monitor", "best", "worst", "options"),
    [
        ("val/loss", min, max, {"lr": 0.5, "seed": 2, "model": partial(JoinGR, anchors=1, hops=2, hidden_channels=8)}),
        ("val/PR@5", max, min, {"lr": 0.05, "seed": 0, "model": partial(JoinGR, anchors=3, hops=3, hidden_channels=8)}),
    ],
)
def test_the_monitor_selects_the_checkpoint(
    fit_tiny: Fit, tmp_path: Path, monitor: str, best: Any, worst: Any, options: dict[str, Any]
) -> None:
    fitted = fit_tiny("run", epochs=7, validation=0.5, monitor=monitor, **options)
    values = logged(tmp_path / "run", monitor)
    assert len(values) == 7
    best_epoch, worst_epoch = values.index(best(values)), values.index(worst(values))
    assert best_epoch != worst_epoch, "the test needs values that differ"
    assert best_epoch != 6, "the test needs a best epoch that is not the last"
    assert fitted.checkpoint == tmp_path / "run/best.ckpt"
    assert stored(fitted.checkpoint)["epoch"] == best_epoch
    decays = stored(fitted.checkpoint)["state_dict"]["model.walk.decay_logit"]
    assert torch.equal(decays, fitted.model.walk.decay_logit)


def test_without_validation_the_last_epoch_is_selected(fit_tiny: Fit, tmp_path: Path) -> None:
    fitted = fit_tiny("run", epochs=2, validation=0.0)
    assert fitted.checkpoint == tmp_path / "run/last.ckpt"
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["last.ckpt", "metrics.csv"]
    assert stored(fitted.checkpoint)["epoch"] == 1


def test_training_ends_early_where_nothing_improves(fit_tiny: Fit) -> None:
    # With such a small learning rate weights do not change: the first epoch stays the best, and patience is two.
    assert fit_tiny("run", epochs=20, lr=1e-30, early_stopping=2).epochs == 3


def test_validation_counts_questions_not_batches(fit_tiny: Fit, tiny: Beaver, tmp_path: Path) -> None:
    """With a batch size of 2, five questions make batches of 2, 2 and 1; each question has weight 1/5."""
    fit_tiny("run", epochs=1, validation=0.6)
    _, held_out = split_validation(tiny.questions, Validation(0.6, "question"), seed=0)
    assert len(held_out) == 5
    model, _ = load_checkpoint(tmp_path / "run/last.ckpt")
    model.index(tiny.corpus())
    questions, query = [tiny.questions[i] for i in held_out], tiny.encode_questions()[held_out]
    batch = QuestionSet(model, questions, query)[list(range(5))]
    with torch.no_grad():
        scores = model.scores(model(batch.query, batch.evidence), batch.evidence)
    expected = TableLoss()(scores, batch.gold_tables).item()
    assert logged(tmp_path / "run", "val/loss") == [pytest.approx(expected, rel=1e-5)]
    for name, value in evaluate(model, tiny, query, questions).metrics.items():
        assert logged(tmp_path / "run", f"val/{name}") == [pytest.approx(value, rel=1e-5)], name


def test_the_training_loss_counts_questions_not_batches(fit_tiny: Fit, tiny: Beaver, tmp_path: Path) -> None:
    """Without dropout and with fixed weights, the logged loss is that of all eight questions, not a mean of means."""
    model = partial(JoinGR, anchors=2, hops=2, hidden_channels=8, dropout=0.0)
    fit_tiny("run", epochs=1, validation=0.0, lr=1e-30, model=model, batch_size=3)
    trained, _ = load_checkpoint(tmp_path / "run/last.ckpt")
    batch = QuestionSet(trained.index(tiny.corpus()), tiny.questions, tiny.encode_questions())[[*range(8)]]
    with torch.no_grad():
        scores = trained.scores(trained(batch.query, batch.evidence), batch.evidence)
    expected = TableLoss()(scores, batch.gold_tables).item()
    assert logged(tmp_path / "run", "train/loss") == [pytest.approx(expected, rel=1e-5)]


def test_validation_questions_are_not_trained_on(fit_tiny: Fit, tiny: Beaver, monkeypatch: pytest.MonkeyPatch) -> None:
    question_sets: list[list[str]] = []

    class RecordingQuestionSet(QuestionSet):
        def __init__(self, model: JoinGR, questions: Sequence[Question], queries: Queries) -> None:
            question_sets.append([question.text for question in questions])
            assert torch.equal(queries.vector, HashingEncoder(16).encode_queries(question_sets[-1]))
            super().__init__(model, questions, queries)

    monkeypatch.setattr(module, "QuestionSet", RecordingQuestionSet)
    fit_tiny("run", epochs=1)
    train, held_out = question_sets
    assert (len(train), len(held_out)) == (6, 2)
    assert sorted(train + held_out) == sorted(question.text for question in tiny.questions)


def test_only_the_scorer_and_the_decays_learn(fit_tiny: Fit, tiny: Beaver, tmp_path: Path) -> None:
    before = [(graph["column"].x.clone(), graph["column", "join", "column"].edge_attr.clone()) for graph in tiny]
    fit_tiny("start", epochs=1, lr=1e-30)
    fit_tiny("run", epochs=3)
    start, end = (stored(tmp_path / folder / "last.ckpt")["state_dict"] for folder in ("start", "run"))
    assert set(end) == SCORER | {"model.walk.decay_logit"}
    # A softmax does not depend on a bias added to all scores.
    assert {name for name in end if torch.equal(start[name], end[name])} <= {"model.walk.scorer.output.bias"}
    for graph, (x, edge_attr) in zip(tiny, before, strict=True):
        assert torch.equal(graph["column"].x, x)
        assert torch.equal(graph["column", "join", "column"].edge_attr, edge_attr)
        assert not graph["column"].x.requires_grad
    assert not tiny.encode_questions().vector.requires_grad


def test_every_part_of_the_first_layer_learns_after_a_validation(fit_tiny: Fit, tmp_path: Path) -> None:
    """Validation caches projections of nodes and edges; training after it must not use these cached tensors.

    Without a gradient Adam's running mean shrinks by a factor of 0.9 per step.
    """
    for epochs in (1, 2):
        fit_tiny(f"{epochs}", epochs=epochs)
    one, two = (stored(tmp_path / folder / "last.ckpt") for folder in ("1", "2"))
    assert two["global_step"] - one["global_step"] == 3
    number = list(one["state_dict"]).index("model.walk.scorer.input.weight")
    first, second = (checkpoint["optimizer_states"][0]["state"][number]["exp_avg"] for checkpoint in (one, two))
    sizes = {"query": 16, "edge": 16, "frontier": 16, "neighbor": 16, "deposit and hop": 2}
    assert first.shape == (8, sum(sizes.values()))
    for name, a, b in zip(sizes, first.split([*sizes.values()], 1), second.split([*sizes.values()], 1), strict=True):
        assert not torch.allclose(0.9**3 * a, b, rtol=1e-3, atol=0), name


def test_a_checkpoint_is_plain_and_names_its_encoder(fit_tiny: Fit, tmp_path: Path) -> None:
    fitted = fit_tiny("run")
    for path in sorted((tmp_path / "run").glob("*.ckpt")):
        assert "=" not in path.name
        assert stored(path)["joingr"] == {
            "model": fitted.model.arguments,
            "encoder": "hashing-16",
            "encoder_identity": HashingEncoder(16).identity,
            "dataset": "beaver",
            "seed": 0,
            "kind": "joingr",
            "version": 1,
        }
        with zipfile.ZipFile(path) as archive:
            pickled = next(name for name in archive.namelist() if name.endswith("data.pkl"))
            called = {
                argument for code, argument, _ in pickletools.genops(archive.read(pickled)) if code.name == "GLOBAL"
            }
        assert called == {"collections OrderedDict", "torch FloatStorage", "torch._utils _rebuild_tensor_v2"}


def test_a_checkpoint_gives_the_model_back(fit_tiny: Fit, tiny: Beaver) -> None:
    fitted = fit_tiny("run")
    loaded, description = load_checkpoint(fitted.checkpoint)
    assert loaded.arguments == description.model == fitted.model.arguments
    query = tiny.encode_questions()
    ours, theirs = (model.index(tiny.corpus()).rank(query, 6) for model in (fitted.model, loaded))
    assert torch.equal(ours.table, theirs.table)
    assert torch.equal(ours.score, theirs.score)


def test_another_encoder_is_refused_naming_both(fit_tiny: Fit) -> None:
    fitted = fit_tiny("run", epochs=1)
    _, description = load_checkpoint(fitted.checkpoint)
    require_encoder(description, "hashing-16", HashingEncoder(16).identity, fitted.checkpoint)
    with pytest.raises(JoinGRError) as caught:
        require_encoder(description, "hashing-32", HashingEncoder(32).identity, fitted.checkpoint)
    for part in ("'hashing-16'", "'hashing-32'", str(fitted.checkpoint)):
        assert part in str(caught.value)


def test_resuming_with_another_model_is_refused(fit_tiny: Fit, tmp_path: Path) -> None:
    fit_tiny("run", epochs=1)
    with pytest.raises(JoinGRError, match=r"model\.hidden_channels=8 and cannot be resumed with .*channels=16"):
        fit_tiny("run", resume=tmp_path / "run/last.ckpt", model=partial(JoinGR, anchors=2, hops=2, hidden_channels=16))


@pytest.mark.parametrize("content", [b"", b"no checkpoint", None])
def test_a_file_that_is_not_a_checkpoint_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "model.ckpt"
    if content is None:
        torch.save(torch.zeros(3), path)
    else:
        path.write_bytes(content)
    with pytest.raises(JoinGRError, match=f"The file '{path}' is no JoinGR checkpoint"):
        load_checkpoint(path)


def test_a_truncated_checkpoint_is_refused(fit_tiny: Fit) -> None:
    path = fit_tiny("run", epochs=1).checkpoint
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(JoinGRError, match=f"The file '{path}' is no JoinGR checkpoint"):
        load_checkpoint(path)


def test_an_epoch_has_to_be_trained(fit_tiny: Fit) -> None:
    with pytest.raises(JoinGRError, match=r"No epoch was trained.*: raise trainer\.max_epochs"):
        fit_tiny("run", epochs=0)


@pytest.mark.parametrize("trainer", [{"max_steps": 2}, {"max_time": "00:00:00:00"}, {"max_time": {"seconds": 0}}])
def test_a_training_that_ends_within_its_first_epoch_keeps_nothing(fit_tiny: Fit, trainer: dict[str, Any]) -> None:
    with pytest.raises(JoinGRError, match=r"No epoch was trained.*the time or steps that the trainer may take"):
        fit_tiny("run", epochs=3, trainer=trainer)


def test_a_training_may_end_after_some_steps(fit_tiny: Fit) -> None:
    # Six questions are three steps an epoch.
    assert fit_tiny("run", epochs=5, trainer={"max_steps": 8}).kept_epoch <= 2


def test_a_training_may_validate_every_second_epoch(fit_tiny: Fit) -> None:
    fitted = fit_tiny("run", epochs=4, trainer={"check_val_every_n_epoch": 2})
    assert (fitted.epochs, fitted.kept_epoch % 2) == (4, 0)


def test_questions_are_needed_to_learn_from(tiny: Beaver, tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"Dataset 'beaver' \(dev\) has no questions to train on"):
        module.fit(JoinGR, tiny, TableLoss(), print, print, tmp_path, Fitting(), questions=[])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"batch_size": 0}, r"'batch_size' needs to be at least 1 \(got 0\)"),
        ({"monitor": "val/PR@7"}, "no validation metric 'val/PR@7': choose one of val/loss, val/P@5"),
        ({"early_stopping": 0}, "'early_stopping' needs to be at least 1"),
        ({"early_stopping": 3, "validation": Validation(0.0)}, r"'validation.fraction' above 0 \(got 3 and 0.0\)"),
    ],
)
def test_fitting_says_what_is_out_of_range(values: dict[str, Any], message: str) -> None:
    with pytest.raises(JoinGRError, match=message):
        Fitting(**values)


def test_fitting_prints_nothing_of_lightning(
    fit_tiny: Fit, capfd: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    fit_tiny("run", epochs=1)
    assert capfd.readouterr() == ("", "")
    assert not [warning for warning in recwarn if "lightning" in str(warning.filename)]


def test_dropout_has_new_random_numbers_each_epoch(fit_tiny: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    states: list[tuple[float, ...]] = []

    def recording_dropout(*args: Any, **options: Any) -> torch.Tensor:
        if args[2]:
            states.append(tuple(torch.get_rng_state()[:64].tolist()))
        return dropout(*args, **options)

    monkeypatch.setattr("joingr_pyg.nn.edge_scorer.dropout", recording_dropout)
    fit_tiny("run", epochs=2, validation=0.0, batch_size=8)
    assert len(set(states)) == len(states) > 2
