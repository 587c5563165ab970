"""``joingr calibrate``: fit how many tables are enough to the rankings of finished runs."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from joingr_pyg.cli.calibrate.held_out import fit, sets, unseen_probabilities
from joingr_pyg.cli.calibrate.rankings import Rankings
from joingr_pyg.errors import JoinGRError, require_at_least
from joingr_pyg.models.calibration import CANDIDATES, Calibration
from joingr_pyg.runs.collect import Run, collect, differing, shared_names
from joingr_pyg.runs.comparison import show
from joingr_pyg.runs.files import write_named
from joingr_pyg.runs.question_records import kept, read_questions
from joingr_pyg.terminal import cell

COMPLETENESS = (0.8, 0.9, 0.95)
"""Probabilities of holding every needed table for which sets are checked."""

_HEADINGS = {
    "complete": "complete",
    "size": "tables",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "calibration_error": "calibration error",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    add("paths", nargs="+", type=Path, metavar="RUN", help=f"folder of a run of one method with ks=[{CANDIDATES}]")
    add("--every", type=int, default=1, metavar="N", help="take every N-th question of a run (default: 1)")
    add("--json", type=Path, metavar="FILE", help="write the numbers and the check as JSON")


def run(arguments: Namespace) -> None:
    """Run the command.

    Raises:
        JoinGRError: If the input is bad, in one sentence.
    """
    require_at_least(1, **{"--every": arguments.every})
    runs = list(collect(arguments.paths).runs)
    others = [key for key in differing(runs) if key.partition(".")[0] in ("method", "model")]
    if others:
        raise JoinGRError(
            f"The runs differ by {', '.join(others)}, and scores of different methods do not compare: "
            "name runs of one method."
        )
    rankings = [rankings_of(run, arguments.every) for run in runs]
    calibration = fit(rankings)
    checked = _checked(runs, rankings)
    if checked:
        show(_table(runs, rankings, checked))
    else:
        print("All questions are asked of one database, so no fit can be checked on another.")
    print(_as_python(calibration))
    if arguments.json is not None:
        content = {
            "runs": [run.place for run in runs],
            "every": arguments.every,
            "rankings": sum(len(ranking.score) for ranking in rankings),
            "calibration": asdict(calibration),
            "unseen": checked,
        }
        write_named(arguments.json, json.dumps(content, indent=1) + "\n")


def rankings_of(run: Run, every: int = 1) -> Rankings:
    """The rankings of every ``every``-th question of a run.

    Raises:
        JoinGRError: If it holds no questions, or kept too few tables of a question.
    """
    if run.folder is None:
        raise JoinGRError(f"'{run.place}' comes from a file of runs, which holds no questions: name its folder.")
    places = max(kept(list(run.metrics)), default=0)
    if places < CANDIDATES:
        raise JoinGRError(
            f"'{run.folder}' keeps {places} tables a question, and a set may hold {CANDIDATES}: "
            f"run it again with ks=[{CANDIDATES}]."
        )
    return Rankings.of(read_questions(run.folder)[::every])


def _checked(runs: Sequence[Run], rankings: Sequence[Rankings]) -> list[dict[str, Any]]:
    """Quality of the sets of each run on unseen databases; empty if there is only one database."""
    if len({name for ranking in rankings for name in ranking.question_database}) == 1:
        return []
    return [
        {"run": run.place, "asked": complete, **sets(ranking, probability, complete)}
        for run, ranking, probability in zip(runs, rankings, unseen_probabilities(rankings), strict=True)
        for complete in COMPLETENESS
    ]


def _table(runs: Sequence[Run], rankings: Sequence[Rankings], checked: Sequence[dict[str, Any]]) -> Table:
    count = sum(len(ranking.score) for ranking in rankings)
    title = f"{', '.join(shared_names(runs))}: {count:,} rankings, sets on databases that a fit has not seen"
    table = Table(title=cell(title), title_justify="left")
    table.add_column("run")
    for heading in ("asked", *_HEADINGS.values()):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in checked:
        cells = (f"{row[name]:.1f}" if name == "size" else f"{row[name]:.3f}" for name in _HEADINGS)
        table.add_row(cell(row["run"]), f"{row['asked']:g}", *cells, end_section=row["asked"] == COMPLETENESS[-1])
    return table


def _as_python(calibration: Calibration) -> str:
    """The numbers as they are written in Python."""
    return f"Calibration({', '.join(f'{name}={value:.3f}' for name, value in asdict(calibration).items())})"
