"""``python -m paper COMMAND``: fill the pages of docs/ that show results beside the paper's."""

import sys
from collections.abc import Sequence

from joingr_pyg.cli.main import Command, run_command

COMMANDS = {
    "results": Command(
        "paper.results.command",
        "Fill the paper's tables from finished runs: its figures beside ours, with the command of each row.",
        "results multirun outputs --write docs",
    ),
    "figures": Command(
        "paper.figures.command",
        "Draw the paper's Figures 4, 5 and 6, and recall over hops, from finished runs.",
        "figures multirun outputs --write docs/figures",
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 2 for bad input."""
    return run_command("python -m paper", "The paper's tables and figures from finished runs.", COMMANDS, arguments)


if __name__ == "__main__":
    sys.exit(main())
