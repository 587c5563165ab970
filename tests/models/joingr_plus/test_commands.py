"""JoinGR+ on the command line: trained, kept with its memory, evaluated."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.models import JoinGRPlus
from joingr_pyg.models.checkpoint import load_checkpoint

SMALL = ("encoder=hashing", "encoder.dim=16")


@pytest.fixture(scope="module")
def plus(command: Callable[..., Any]) -> Any:
    return command("train.py", *SMALL, "model=joingr_plus", "trainer.max_epochs=2", "baselines=[]")


def test_it_trains_with_the_loss_it_was_chosen_with(plus: Any) -> None:
    assert plus.status == 0, plus.stderr
    assert plus.metrics["method"] == "joingr_plus"
    config = plus.metrics["config"]
    assert (config["loss"]["margin"], config["loss"]["negatives"]) == (1.0, "corpus")
    assert config["optimization"]["scalar_lr"] == 0.01


def test_a_checkpoint_carries_the_memory(plus: Any, command: Callable[..., Any]) -> None:
    model, description = load_checkpoint(plus.folder / "best.ckpt")
    assert isinstance(model, JoinGRPlus)
    assert description.kind == "joingr_plus"
    # A tenth of the 240 training questions is held out for validation.
    assert len(model.memory) == 216
    again = command("evaluate.py", *SMALL, f"checkpoint={plus.folder / 'best.ckpt'}")
    assert again.metrics["metrics"] == pytest.approx(plus.metrics["metrics"])
    assert again.questions == plus.questions


def test_fold_by_fold_it_remembers_the_other_folds(plus: Any, command: Callable[..., Any], beaver: Path) -> None:
    checkpoint = f"checkpoint={plus.folder / 'best.ckpt'}"
    ended = command("evaluate.py", *SMALL, checkpoint, "dataset=beaver", f"paths.data={beaver}", "folds=4", "ks=[1]")
    assert ended.status == 0, ended.stderr
    assert len(ended.metrics["folds"]) == 4


def test_a_weight_of_null_leaves_a_part_out(command: Callable[..., Any]) -> None:
    options = ("model.memory=null", "model.lexical=null", "model.rank=0", "model.walk=false")
    ended = command("train.py", *SMALL, "model=joingr_plus", *options, "trainer.max_epochs=1", "baselines=[]")
    assert ended.status == 0, ended.stderr
    model, _ = load_checkpoint(ended.folder / "best.ckpt")
    assert sorted(name for name, _ in model.prior.named_parameters()) == ["mix_logit", "phrases"]


def test_another_model_cannot_be_resumed(plus: Any, command: Callable[..., Any]) -> None:
    ended = command("train.py", *SMALL, f"resume={plus.folder / 'last.ckpt'}")
    assert ended.status != 0
    assert "holds model=joingr_plus and cannot be resumed with model=joingr" in ended.stderr
