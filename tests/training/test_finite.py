import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.optim.optimizer import register_optimizer_step_post_hook

from joingr_pyg.errors import JoinGRError
from joingr_pyg.training import fit as fit_module
from joingr_pyg.training.fit import Fitted
from joingr_pyg.training.losses import TableLoss

Fit = Callable[..., Fitted]


class NoNumber(TableLoss):
    """A loss that is not a number."""

    def forward(self, *given: Any) -> Tensor:
        return super().forward(*given) * float("nan")


class SteepLoss(TableLoss):
    """A loss of 0 with an infinite gradient."""

    def forward(self, *given: Any) -> Tensor:
        return (super().forward(*given) * 0).sqrt()


class NoNumberInValidation(TableLoss):
    def forward(self, *given: Any) -> Tensor:
        return super().forward(*given) * (1 if self.training else float("inf"))


class NoNumberFromThirdEpoch(TableLoss):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, *given: Any) -> Tensor:
        self.calls += self.training
        return super().forward(*given) * (1 if self.calls <= 6 else float("nan"))  # Three batches an epoch.


@pytest.mark.parametrize(
    ("loss", "what"),
    [(NoNumber(), "the loss"), (SteepLoss(), "a gradient"), (NoNumberInValidation(), "the validation loss")],
)
def test_what_is_not_finite_ends_the_training(fit_tiny: Fit, tmp_path: Path, loss: TableLoss, what: str) -> None:
    with pytest.raises(JoinGRError) as error:
        fit_tiny("run", loss=loss, lr=0.05)
    assert str(error.value) == (
        f"The training ended in epoch 1 of 3, because {what} is not finite: lower optimization.lr (now 0.05)."
    )
    assert not list(tmp_path.rglob("*.ckpt"))


def test_a_weight_that_a_step_breaks_is_never_written(fit_tiny: Fit, tmp_path: Path) -> None:
    def break_weight(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        optimizer.param_groups[0]["params"][0].data.view(-1)[0] = float("inf")

    hook = register_optimizer_step_post_hook(break_weight)
    try:
        with pytest.raises(JoinGRError, match="in epoch 1 of 3, because a weight is not finite"):
            fit_tiny("run")
    finally:
        hook.remove()
    assert not list(tmp_path.rglob("*.ckpt"))


def test_the_checkpoints_and_the_log_of_finite_epochs_stay(fit_tiny: Fit, tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"in epoch 3 of 5, because the loss is not finite"):
        fit_tiny("run", epochs=5, loss=NoNumberFromThirdEpoch())
    for name in ("best", "last"):
        weights = torch.load(tmp_path / f"run/{name}.ckpt", weights_only=True)["state_dict"]
        assert all(weight.isfinite().all() for weight in weights.values())
    with (tmp_path / "run/metrics.csv").open() as file:
        assert {row["epoch"] for row in csv.DictReader(file)} == {"0", "1"}


def test_a_learning_rate_that_is_far_too_high_leaves_no_checkpoint(fit_tiny: Fit, tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"not finite: lower optimization\.lr \(now 1e\+30\)"):
        fit_tiny("run", lr=1e30, loss=TableLoss(margin=1.0))
    assert not list(tmp_path.rglob("*.ckpt"))


def test_the_models_of_a_cross_fitted_calibration_are_checked_too(
    fit_tiny: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fit_module, "needs_cross_fitting", lambda *_: True)
    loss = NoNumberFromThirdEpoch()
    loss.calls = -6  # The training itself takes twelve batches, so its calibration is what fails.
    with pytest.raises(JoinGRError, match="because the loss is not finite"):
        fit_tiny("run", epochs=3, validation=0.0, loss=loss)
