"""How figures are written, and the colours they share."""

from pathlib import Path

from matplotlib.figure import Figure

from joingr_pyg.atomic_files import atomic_write
from joingr_pyg.errors import JoinGRError

BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
"""Colours that people tell apart whose eyes lack a receptor (Okabe and Ito, 2008)."""
GREY = "#7f7f7f"


def write_figure(path: Path, figure: Figure) -> None:
    """Write a figure in the format that its name ends with, PNG where it ends with none, and say so.

    Raises:
        JoinGRError: If it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            figure.savefig(file, format=path.suffix.removeprefix(".") or "png", dpi=200)
    except (OSError, ValueError) as error:
        raise JoinGRError(f"The figure cannot be written to '{path}' ({error}).") from error
    print(f"Drawn: {path}")
