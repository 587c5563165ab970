"""``python -m paper COMMAND``: fill the pages of docs/ that show results beside the paper's."""

import sys
from collections.abc import Sequence
from types import ModuleType

from joingr_pyg.cli.main import run_command
from paper.figures import command as figures
from paper.results import command as results

COMMANDS: dict[str, ModuleType] = {"results": results, "figures": figures}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 2 for bad input."""
    return run_command("python -m paper", "The paper's tables and figures from finished runs.", COMMANDS, arguments)


if __name__ == "__main__":
    sys.exit(main())
