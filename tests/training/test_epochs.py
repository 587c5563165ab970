import io
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from joingr_pyg.training.fit import Fitted

Fit = Callable[..., Fitted]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_a_bar_of_epochs_with_rate_and_remaining_time(
    fit_tiny: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    fit_tiny("run", epochs=3)
    shown = terminal.getvalue().replace("\n", "").split("\r")
    assert all(not line.strip() or line.startswith("Training:") for line in shown)
    last = next(line for line in reversed(shown) if line.strip())
    assert "3/3" in last
    assert re.search(r"\[\d\d:\d\d<\d\d:\d\d, +[\d.]+(epoch/s|s/epoch)", last)
    assert "train/loss=0." in last
    assert "val/loss=0." in last


def test_the_bar_of_a_resumed_run_starts_at_its_epoch(fit_tiny: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = fit_tiny("run", epochs=2, validation=0.0).checkpoint
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    fit_tiny("run", epochs=5, validation=0.0, resume=checkpoint)
    shown = terminal.getvalue()
    assert "2/5" in shown.split("\r")[1]
    assert "5/5" in shown


def test_no_bar_is_shown_without_a_terminal(fit_tiny: Fit, capfd: pytest.CaptureFixture[str]) -> None:
    fit_tiny("run", epochs=1)
    assert capfd.readouterr() == ("", "")


def test_a_run_that_stopped_early_stops_at_once_when_resumed(fit_tiny: Fit, tmp_path: Path) -> None:
    # With such a small learning rate weights do not change: the first epoch stays the best, and patience is two.
    options = {"epochs": 20, "lr": 1e-30, "early_stopping": 2}
    assert fit_tiny("run", **options).epochs == 3
    before = (tmp_path / "run/last.ckpt").read_bytes()
    assert fit_tiny("run", **options, resume=tmp_path / "run/last.ckpt").epochs == 3
    assert (tmp_path / "run/last.ckpt").read_bytes() == before


def test_training_time_includes_the_time_before_a_resume(fit_tiny: Fit, tmp_path: Path) -> None:
    first = fit_tiny("run", epochs=2)
    resumed = fit_tiny("run", epochs=3, resume=tmp_path / "run/last.ckpt")
    assert resumed.seconds > 0.5 * first.seconds
    finished = fit_tiny("run", epochs=3, resume=tmp_path / "run/last.ckpt")
    assert 0 < finished.seconds <= resumed.seconds
