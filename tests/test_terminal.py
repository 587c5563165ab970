"""Names that try to be commands to the terminal, or markup, are printed as they are spelt."""

import io
import json
import logging

import pytest
from rich.console import Console
from rich.table import Table

from joingr_pyg.terminal import PlainFormatter, cell, terminal_text

HOSTILE = "\x1b[31mred\x1b[0m\x07\x9b2J\u202eback\r[bold]x[/bold] :warning:\\"


def test_control_characters_are_spelt_out() -> None:
    shown = terminal_text(HOSTILE)
    assert shown == r"\u001b[31mred\u001b[0m\u0007\u009b2J\u202eback\u000d[bold]x[/bold] :warning:" + "\\"
    assert shown.isprintable()


def test_some_may_stay_and_all_scripts_do() -> None:
    assert terminal_text("a\n\tb\x1b", keep="\n\t") == "a\n\tb\\u001b"
    assert terminal_text("Straße 部门 👩‍🚀 naïve") == "Straße 部门 👩‍🚀 naïve"


def test_json_stays_the_same_json() -> None:
    text = json.dumps({"table": HOSTILE}, ensure_ascii=False)
    assert json.loads(terminal_text(text)) == {"table": HOSTILE}


def test_a_cell_reads_no_markup() -> None:
    table = Table(title=cell("[red]t"))
    table.add_column(cell("[i]h"))
    table.add_row(cell(HOSTILE))
    file = io.StringIO()
    Console(file=file, force_terminal=True, color_system="truecolor", width=120).print(table)
    printed = file.getvalue()
    assert terminal_text(HOSTILE) in printed
    assert "[red]t" in printed
    assert "[i]h" in printed


@pytest.mark.parametrize("level", [logging.WARNING, logging.ERROR])
def test_log_records_are_text(level: int) -> None:
    record = logging.LogRecord("x", level, "", 0, "Table %s", (HOSTILE,), None)
    assert PlainFormatter("%(message)s").format(record) == f"Table {terminal_text(HOSTILE)}"
