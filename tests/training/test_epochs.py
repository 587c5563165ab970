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


def test_a_terminal_sees_a_bar_of_epochs_with_rate_and_time_left(
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


def test_a_resumed_run_s_bar_starts_where_it_goes_on(fit_tiny: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = fit_tiny("run", epochs=2, validation=0.0).checkpoint
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    fit_tiny("run", epochs=5, validation=0.0, resume=checkpoint)
    shown = terminal.getvalue()
    assert "2/5" in shown.split("\r")[1]
    assert "5/5" in shown


def test_nothing_is_shown_elsewhere(fit_tiny: Fit, capfd: pytest.CaptureFixture[str]) -> None:
    fit_tiny("run", epochs=1)
    assert capfd.readouterr() == ("", "")


def test_a_run_that_ended_early_is_over_when_it_is_resumed(fit_tiny: Fit, tmp_path: Path) -> None:
    # Steps this small round to none: the first epoch stays the best, and two more are waited for.
    options = {"epochs": 20, "lr": 1e-30, "early_stopping": 2}
    assert fit_tiny("run", **options).epochs == 3
    before = (tmp_path / "run/last.ckpt").read_bytes()
    assert fit_tiny("run", **options, resume=tmp_path / "run/last.ckpt").epochs == 3
    assert (tmp_path / "run/last.ckpt").read_bytes() == before


def test_the_time_of_training_counts_from_before_a_restart(fit_tiny: Fit, tmp_path: Path) -> None:
    first = fit_tiny("run", epochs=2)
    again = fit_tiny("run", epochs=3, resume=tmp_path / "run/last.ckpt")
    assert again.seconds > 0.5 * first.seconds
    over = fit_tiny("run", epochs=3, resume=tmp_path / "run/last.ckpt")
    assert 0 < over.seconds <= again.seconds
