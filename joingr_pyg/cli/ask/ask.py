"""``joingr ask SOURCE QUESTION``: the tables that a question needs, the joins among them, and the reasons."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from joingr_pyg.cli.ask.arguments import add_source, patterns, quiet_logs
from joingr_pyg.cli.ask.source import open_retriever
from joingr_pyg.errors import JoinGRError
from joingr_pyg.kernels import without_kernels
from joingr_pyg.runs.files import write_named
from joingr_pyg.terminal import cell, terminal_text

if TYPE_CHECKING:
    from joingr_pyg.retrieval import RetrievalResult


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_source(parser)
    parser.add_argument("question", metavar="QUESTION", help="the question, in quotes")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("-k", type=int, default=5, metavar="N", help="number of tables (default: 5)")
    size.add_argument(
        "--complete",
        type=float,
        metavar="P",
        help="as many tables as it takes to have all that are needed with this probability, such as 0.9",
    )
    parser.add_argument(
        "--allowed", metavar="PATTERNS", help="answer as if there were no other tables, such as 'sales.*,customer*'"
    )
    parser.add_argument("--databases", metavar="NAMES", help="answer as if there were no other databases")
    parser.add_argument("--only-if-fits", action="store_true", help="no tables where nothing seems to fit the question")
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write a page of the answer, for a browser")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print the answer as JSON")
    output.add_argument("--ddl", action="store_true", help="print CREATE TABLE statements, for a prompt")


def run(arguments: Namespace) -> None:
    """Run the command.

    Raises:
        JoinGRError: If the input is bad, in one sentence.
    """
    # Before the schema is read and embedded.
    if not arguments.question.strip():
        raise JoinGRError("The question is blank: write it in quotes behind the source.")
    quiet_logs()
    retriever = open_retriever(arguments, keep=True)
    with without_kernels():  # One question takes less time without them than it takes to load them.
        result = retriever.retrieve(
            arguments.question,
            arguments.k if arguments.complete is None else None,
            complete=0.9 if arguments.complete is None else arguments.complete,
            allowed=patterns(arguments.allowed),
            databases=patterns(arguments.databases),
            only_if_fits=arguments.only_if_fits,
        )
    if result.nothing_fits and not arguments.json:
        # Standard output is for tables, and so is a prompt.
        print(
            f"Nothing in this schema seems to fit the question (probability {result.fits:.2f} that something does).",
            file=sys.stderr,
        )
    if arguments.html is not None:
        # Standard output is for the answer, which another program may read.
        write_named(arguments.html, result.to_html(), report=sys.stderr)
    if arguments.json:
        print(terminal_text(result.to_json(indent=1), keep="\n"))
    elif arguments.ddl:
        # What goes to a file or another program stays as it is.
        print(terminal_text(result.to_ddl(), keep="\n\t") if sys.stdout.isatty() else result.to_ddl())
    else:
        _print(result)


def _print(result: "RetrievalResult") -> None:
    from rich.table import Table

    from joingr_pyg.runs.comparison import show

    if not result:
        return
    several = len({table.database for table in result}) > 1
    table = Table(box=None, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("table", no_wrap=True)
    table.add_column("reason", overflow="fold")
    for place, found in enumerate(result, start=1):
        name = f"{found.database}.{found.table}" if several else found.table
        table.add_row(str(place), cell(name), cell(found.reason))
    show(table)
    if result.joins:
        print("\njoins")
        for join in result.joins:
            over = "" if join.direct else "  (over a table that is not among them)"
            origin = "" if join.source == "declared" else f"  ({join.source}, confidence {join.confidence:.2f})"
            print(f"  {terminal_text(str(join))}{origin}{over}")
