"""The README is the front door: short, and its test command is the one that CI runs."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 150


def test_ci_runs_the_test_command() -> None:
    commands = re.findall(r"```bash\n(.*?)```", README, flags=re.DOTALL)
    command = next(command.strip() for command in commands if "pytest" in command)
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_every_note_of_the_results_is_there() -> None:
    digits = "⁰¹²³⁴⁵⁶⁷⁸⁹"
    marks = {int("".join(str(digits.index(digit)) for digit in mark)) for mark in re.findall(f"[{digits}]+", README)}
    notes = [int(number) for number in re.findall(r"^(\d+)\. `python", README, flags=re.MULTILINE)]
    assert notes == sorted(marks) == list(range(1, len(notes) + 1))
