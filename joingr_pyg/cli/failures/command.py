"""``joingr failures``: why a trained model misses gold tables, as a table and a figure."""

import csv
import io
from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.table import Table

from joingr_pyg.cli.failures.causes import Analysis, Failure, analyse
from joingr_pyg.errors import JoinGRError, MissingPackageError
from joingr_pyg.runs.collect import DATASET_TITLES, Run, collect, differing
from joingr_pyg.runs.comparison import show
from joingr_pyg.runs.files import write_named
from joingr_pyg.terminal import cell


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    add("paths", nargs="+", type=Path, metavar="FOLDER", help="run of a trained model with its checkpoints, or seeds")
    add("--k", type=int, default=15, metavar="K", help="a table is missed that is not among the best K (default: 15)")
    add("--write", type=Path, metavar="FOLDER", help="write failures.md, failures.csv and failures.png there")


def run(arguments: Namespace) -> None:
    """Run the command.

    Raises:
        JoinGRError: If the input is bad, in one sentence.
    """
    runs = list(collect(arguments.paths).runs)
    others = [key for key in differing(runs) if key != "seed"]
    if others:
        raise JoinGRError(f"The runs differ by {', '.join(others)}: name runs of one configuration.")
    analysis = analyse(runs, arguments.k)
    title = title_of(runs, analysis)
    show(_table(analysis, title))
    if arguments.write is None:
        return
    write_named(arguments.write / "failures.md", as_markdown(analysis, title))
    write_named(arguments.write / "failures.csv", as_csv(analysis))
    try:
        from joingr_pyg.cli.failures.figure import draw_failures
        from joingr_pyg.plotting.files import write_figure
    except ImportError as error:
        raise MissingPackageError("Drawing figures", "matplotlib", "plot") from error
    write_figure(arguments.write / "failures.png", draw_failures(analysis, title))


def title_of(runs: list[Run], analysis: Analysis) -> str:
    """What the runs are, and how much they miss."""
    run = runs[0].parameters
    name = DATASET_TITLES.get(str(run["dataset"]), str(run["dataset"]))
    seeds = f", mean of {len(runs)} seeds" if len(runs) > 1 else f", seed {runs[0].seed}"
    missing = f"{_count(analysis.questions_with())} of {analysis.questions} questions miss a gold table at {analysis.k}"
    return f"{name}, {run['method']}, {run['encoder']}{seeds}: {missing}"


def as_markdown(analysis: Analysis, title: str) -> str:
    """The reasons, then every missed table of the first seed with the strongest path to it."""
    lines = [
        "# Missed gold tables",
        "",
        f"{title}.",
        "",
        "| reason | missed tables | questions |",
        "| :-- | --: | --: |",
    ]
    for reason in analysis.reasons:
        lines.append(f"| {reason} | {_count(analysis.tables(reason))} | {_count(analysis.questions_with(reason))} |")
    seed = min((failure.seed for failure in analysis.failures), default=0)
    lines += ["", f"Every missed table of seed {seed}:" if analysis.runs > 1 else "Every missed table:", ""]
    lines += ["| question | | missed | reason | share | path |", "| --: | :-- | :-- | :-- | --: | :-- |"]
    for failure in analysis.failures:
        if failure.seed == seed:
            share = f"{failure.share:.3f} among {failure.choices}" if failure.path else ""
            table = failure.table.partition(".")[2]
            question = failure.question.replace("|", "\\|").replace("\n", " ")
            lines.append(
                f"| {failure.index} | {question} | {table} | {failure.reason} | {share} | {' → '.join(failure.path)} |"
            )
    return "\n".join(lines) + "\n"


def as_csv(analysis: Analysis) -> str:
    """Every missed table of every run."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        ["seed", "index", "question", "gold tables", "missed", "reason", "hop", "share", "shared among", "path"]
    )
    for failure in analysis.failures:
        writer.writerow(
            [
                failure.seed,
                failure.index,
                failure.question,
                failure.gold,
                failure.table,
                failure.reason,
                *_split(failure),
            ]
        )
    return file.getvalue()


def _split(failure: Failure) -> list[str]:
    if not failure.path:
        return ["", "", "", ""]
    return [str(failure.hop), f"{failure.share:.6g}", str(failure.choices), " > ".join(failure.path)]


def _count(number: float) -> str:
    return f"{number:.0f}" if number.is_integer() else f"{number:.1f}"


def _table(analysis: Analysis, title: str) -> Table:
    table = Table(title=cell(title), title_justify="left")
    table.add_column("reason")
    table.add_column("missed tables", justify="right")
    table.add_column("questions", justify="right")
    for reason in analysis.reasons:
        table.add_row(cell(reason), _count(analysis.tables(reason)), _count(analysis.questions_with(reason)))
    return table
