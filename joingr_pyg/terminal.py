"""Text that others wrote, such as names of tables, as a terminal may show it: as text and nothing else."""

import logging
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What moves the cursor, changes colours or turns the direction of writing around."""


def terminal_text(text: str, keep: str = "") -> str:
    r"""A text whose control characters are spelt out, as ``\u001b``, so that a terminal does not obey them.

    JSON text stays the same JSON.

    Args:
        text: The text.
        keep: Control characters that stay, such as ``"\n\t"``.
    """
    return _CONTROLS.sub(lambda found: found[0] if found[0] in keep else f"\\u{ord(found[0]):04x}", text)


def cell(text: str) -> "Text":
    """A text as a cell, heading or title of a table of rich, which reads no markup such as ``[red]`` in it.

    Lines stay apart; other control characters are spelt out.
    """
    from rich.text import Text

    return Text(terminal_text(text, keep="\n"))


class PlainFormatter(logging.Formatter):
    """Formats log records for a terminal, with control characters spelt out."""

    def format(self, record: logging.LogRecord) -> str:
        return terminal_text(super().format(record), keep="\n\t")
