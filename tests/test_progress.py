import io
import re
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.progress import bar, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def step_all() -> None:
    with bar("Walking", 3, "hop") as shown:
        for _ in range(3):
            shown.update()


def test_a_terminal_shows_rate_and_remaining_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    step_all()
    assert re.search(r"Walking: 100%.* 3/3 \[\d\d:\d\d<\d\d:\d\d, +[\d.]+hop/s\]", terminal.getvalue())


def test_no_bar_without_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    step_all()
    assert capfd.readouterr() == ("", "")


def test_bars_can_be_switched_off_temporarily(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with progress(False):
        step_all()
        with progress(True):
            step_all()
    assert terminal.getvalue() == ""
    step_all()
    assert "3/3" in terminal.getvalue()


def hides() -> bool:
    sys.stderr = Terminal()
    return bool(bar("Walking", 3, "hop").disable)


def test_child_processes_show_no_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    assert not hides()
    with get_context("fork").Pool(1) as pool:
        assert pool.apply(hides)


@pytest.mark.parametrize(("wanted", "titles"), [("true", ["Embedding", "Training", "Evaluating"]), ("false", [])])
def test_one_override_switches_off_all_bars_of_a_command(
    command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wanted: str, titles: list[str]
) -> None:
    monkeypatch.setitem(command.__globals__, "StringIO", Terminal)  # type: ignore[attr-defined]
    small = ["encoder=hashing", "encoder.dim=16", "model.hidden_channels=8", "model.hops=2", "trainer.max_epochs=1"]
    shown = command("train.py", *small, f"paths.cache={tmp_path}", f"progress={wanted}").stderr
    assert list(dict.fromkeys(re.findall(r"(Embedding|Training|Evaluating).*?:", shown))) == titles
    shown = command("evaluate.py", *small[:2], "method=vanilla", f"progress={wanted}").stderr
    assert ("Evaluating:" in shown) == bool(titles)
