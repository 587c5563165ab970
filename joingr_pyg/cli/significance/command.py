"""``joingr significance``: compare two methods on the same questions."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from joingr_pyg.errors import JoinGRError
from joingr_pyg.evaluation.significance import Difference, paired_bootstrap
from joingr_pyg.runs.collect import SEED, Run, collect, differing, shown
from joingr_pyg.runs.comparison import show
from joingr_pyg.runs.files import write_named
from joingr_pyg.runs.question_records import QuestionRecord, kept, measures, read_questions
from joingr_pyg.terminal import cell


@dataclass(frozen=True)
class Measured:
    """The metrics of one method on every question.

    Args:
        name: What it is called.
        runs: Its runs, one for every seed.
        questions: Its questions, as the first run has them.
        values: ``[Q]`` values of each metric, means over the runs.
    """

    name: str
    runs: Sequence[Run]
    questions: Sequence[QuestionRecord]
    values: Mapping[str, NDArray[np.float64]]


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    help_of_run = "folder of a run, or with seeds of one configuration below it; more folders follow a comma"
    add("first", metavar="RUN_A", help=help_of_run)
    add("second", metavar="RUN_B", help="the same for the method to compare with")
    add("--samples", type=int, default=10_000, metavar="N", help="bootstrap samples (default: 10000)")
    add("--seed", type=int, default=0, metavar="N", help="seed of the samples (default: 0)")
    add("--json", type=Path, metavar="FILE", help="write the differences as JSON")


def run(arguments: Namespace) -> None:
    """Run the command.

    Raises:
        JoinGRError: If the input is bad, in one sentence.
    """
    if arguments.samples < 1:
        raise JoinGRError(f"'--samples' needs to be at least 1 (got {arguments.samples}).")
    first, second = (
        measured([Path(folder) for folder in folders.split(",")]) for folders in (arguments.first, arguments.second)
    )
    _require_same_questions(first, second)
    first, second = told_apart(first, second)
    differences = paired_bootstrap(first.values, second.values, arguments.samples, arguments.seed)
    if not differences:
        raise JoinGRError("The two runs have no metric in common: evaluate both with the same ks.")
    show(_table(first, second, differences))
    if arguments.json is not None:
        content = {
            "names": [first.name, second.name],
            "first": [run.place for run in first.runs],
            "second": [run.place for run in second.runs],
            "questions": len(first.questions),
            "samples": arguments.samples,
            "seed": arguments.seed,
            "metrics": {name: vars(difference) for name, difference in differences.items()},
        }
        write_named(arguments.json, json.dumps(content, indent=1) + "\n")


def measured(folders: Sequence[Path]) -> Measured:
    """The metrics of one method on every question, means over the seeds that the folders hold.

    Raises:
        JoinGRError: If there is no run, runs differ by more than their seed, or have different questions.
    """
    runs = list(collect(folders).runs)
    others = [key for key in differing(runs) if key != "seed"]
    if others:
        raise JoinGRError(
            f"The runs in {', '.join(repr(str(folder)) for folder in folders)} differ by {', '.join(others)}: "
            "name folders of one configuration, which may differ in its seed only."
        )
    return averaged(runs)


def averaged(runs: Sequence[Run]) -> Measured:
    """The metrics of one method on every question, means over runs that differ in their seed only.

    Raises:
        JoinGRError: If they have different questions.
    """
    names = [name for name in runs[0].metrics if all(name in run.metrics for run in runs)]
    questions = [_questions(run) for run in runs]
    for run, records in zip(runs, questions, strict=True):
        if _identity(records) != _identity(questions[0]):
            raise JoinGRError(f"'{runs[0].folder}' and '{run.folder}' are runs on different questions.")
    values = [measures(records, kept(names)) for records in questions]
    return Measured(
        _name(runs),
        runs,
        questions[0],
        {name: np.mean([value[name] for value in values], axis=0) for name in values[0]},
    )


def told_apart(first: Measured, second: Measured) -> tuple[Measured, Measured]:
    """The same two with names that differ: where their methods are the same, what else differs is added."""
    if first.name != second.name:
        return first, second
    pair = first.runs[0], second.runs[0]
    keys = [key for key in differing(pair) if key != SEED or len(first.runs) == 1]
    one, other = (
        " ".join([name, *(f"{key}={shown(run.parameters[key]) or 'null'}" for key in keys if key in run.parameters)])
        for name, run in zip((first.name, second.name), pair, strict=True)
    )
    if one == other:
        one, other = (f"{name} in {run.place}" for name, run in zip((one, other), pair, strict=True))
    return replace(first, name=one), replace(second, name=other)


def _questions(run: Run) -> list[QuestionRecord]:
    if run.folder is None:
        raise JoinGRError(f"'{run.place}' comes from a file of runs, which holds no questions: name its folder.")
    return read_questions(run.folder)


def _name(runs: Sequence[Run]) -> str:
    first = runs[0].parameters
    trained = f" trained on {first['trained.dataset']}" if "trained.dataset" in first else ""
    return f"{first['method']}{trained}" + (f", mean of {len(runs)} seeds" if len(runs) > 1 else "")


def _identity(records: Sequence[QuestionRecord]) -> list[tuple[int, str, str, frozenset[str]]]:
    return [(record.index, record.question, record.database, record.gold) for record in records]


def _require_same_questions(first: Measured, second: Measured) -> None:
    if _identity(first.questions) != _identity(second.questions):
        names = [
            f"'{method.runs[0].folder}' ({method.runs[0].parameters['dataset']}, {len(method.questions)} questions)"
            for method in (first, second)
        ]
        raise JoinGRError(
            f"{names[0]} and {names[1]} are runs on different questions: a paired comparison needs the same questions."
        )


def _table(first: Measured, second: Measured, differences: Mapping[str, Difference]) -> Table:
    run = first.runs[0].parameters
    title = f"{run['dataset']} {run['split']}, {len(first.questions)} questions; A: {first.name}, B: {second.name}"
    table = Table(title=cell(title), title_justify="left")
    table.add_column("metric")
    for heading in ("A", "B", "A − B", "95 % interval", "p"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, difference in differences.items():
        p = "< .001" if difference.p < 0.001 else f"{difference.p:.3f}"
        table.add_row(
            name,
            f"{difference.first:.3f}",
            f"{difference.second:.3f}",
            f"{difference.difference:+.3f}",
            f"{difference.low:+.3f} to {difference.high:+.3f}",
            p,
            style="bold" if difference.clear else None,
        )
    return table
