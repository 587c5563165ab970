"""``python -m paper results``: the paper's tables filled from any set of runs, with the paper's numbers."""

import re
import sys
from argparse import ArgumentParser, Namespace
from importlib.resources import files
from pathlib import Path

from joingr_pyg.cli.compare.table import as_markdown, sweep_table
from joingr_pyg.errors import JoinGRError
from joingr_pyg.runs.collect import collect, differing
from joingr_pyg.runs.files import METRICS, write_named
from joingr_pyg.runs.jobs import RUNNING, read_jobs
from paper.results.greedy import greedy_table
from paper.results.page import about, fill
from paper.results.published import paper_tables, source
from paper.results.rows import ResultRow, beside, result_rows
from paper.results.rows_csv import as_csv, from_csv
from paper.results.tables import (
    differences_table,
    folds_table,
    paper_table,
    settings_table,
    transfer_table,
)

FIGURES = "figures"
"""Folder next to the page with the output of the commands ``figures`` and ``failures``."""

SWEEPS = "sweeps"
"""Folder next to the page with runs written by ``compare --each --json``, ``NAME.json``, and the plots of
``compare --plot``, ``NAME_*.png``."""

CAPTIONS = {
    "figure4_gold_tables.png": "Figure 4. Questions by the number of tables they need.",
    "figure5_by_gold_tables.png": (
        "Figure 5. Precision and recall by the number of gold tables, of the scorer trained on BIRD; the lines on bars "
        "are standard deviations over seeds."
    ),
    "figure6_anchors.png": "Figure 6. R@10 on BEAVER over anchors, five hops; vanilla gives as many tables, or ten.",
    "recall_over_hops.png": "R@15 on BEAVER over hops; bars are standard deviations over seeds.",
    "failures.png": (
        "Section 6.3. Why gold tables were missed. A walk shares a deposit out at every hop; the hop named is the one "
        "on the strongest path where the missed table's share was smallest."
    ),
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    add("paths", nargs="+", type=Path, metavar="FOLDER", help="folder with runs in it or below")
    add(
        "--write",
        type=Path,
        metavar="FOLDER",
        help="write results.md and results.csv there; prose of a results.md that is there stays (default: print)",
    )
    add(
        "--keep",
        action="store_true",
        help="with --write: keep what results.csv says of all else, and the differences between methods",
    )


def run(arguments: Namespace) -> None:
    """Run the command.

    Raises:
        JoinGRError: If the input is bad, in one sentence.
    """
    collection = collect(arguments.paths)
    for run in collection.runs:
        if run.folder is None:
            raise JoinGRError(f"'{run.place}' is in a file, which does not say how its runs were made: give folders.")
    jobs = [job for path in arguments.paths if path.is_dir() for job in read_jobs(path)]
    rows = result_rows(collection.runs, jobs)
    if arguments.keep:
        rows = beside(rows, _kept(arguments.write))
    parts = page_parts(rows)
    if arguments.keep:
        del parts["differences"]  # Differences need the question records of all runs.
    # Failed jobs are in the tables, with the reason.
    for job in jobs:
        if job.status == RUNNING and not (job.folder / METRICS).is_file():
            print(f"Not in the tables: '{job.folder}' has not finished.", file=sys.stderr)
    tested = {row.dataset for row in rows if row.metrics or row.skipped}
    if arguments.write is None:
        absent = [f"table {number}" for dataset, number in paper_tables().items() if dataset not in tested]
        print("\n".join(f"## {name}\n\n{text}" for name, text in parts.items() if name not in absent))
        return
    page = arguments.write / "results.md"
    parts["figures"] = pictures(arguments.write)
    parts["sweeps"] = sweeps(arguments.write)
    before = page.read_text(encoding="utf-8") if page.is_file() else about(template(), tested)
    write_named(page, fill(before, parts))
    write_named(arguments.write / "results.csv", as_csv(rows))


def _kept(folder: Path | None) -> list[ResultRow]:
    if folder is None or not (file := folder / "results.csv").is_file():
        raise JoinGRError("'--keep' needs '--write FOLDER' with a results.csv in it: leave it out to begin a page.")
    return from_csv(file.read_text(encoding="utf-8"), str(file))


def page_parts(rows: list[ResultRow]) -> dict[str, str]:
    """The generated parts of the page, by their names."""
    return {
        "source": f"The paper's numbers, in brackets: {source()}.",
        **{f"table {number}": paper_table(rows, dataset) for dataset, number in paper_tables().items()},
        "transfer": transfer_table(rows),
        "folds": folds_table(rows),
        "settings": settings_table(rows),
        "greedy": greedy_table(rows),
        "differences": differences_table(rows),
    }


def pictures(folder: Path) -> str:
    """The figures in the folder next to the page, and the reasons why gold tables were missed."""
    sections = [
        f"![{Path(name).stem.replace('_', ' ')}]({FIGURES}/{name})\n\n*{caption}*"
        for name, caption in CAPTIONS.items()
        if (folder / FIGURES / name).is_file()
    ]
    failures = folder / FIGURES / "failures.md"
    if failures.is_file():
        # Only the summary of the page, without its heading.
        page = re.sub(r"\A# .*\n+", "", failures.read_text(encoding="utf-8"))
        summary = page.split("\n\nEvery")[0]
        sections.append(f"{summary}\n\nEvery missed table: [failures.md]({FIGURES}/failures.md).")
    return "\n\n".join(sections) or "None was drawn."


def sweeps(folder: Path) -> str:
    """The sweeps in the folder next to the page: the plots of each, and its table ordered by its parameters.

    Raises:
        JoinGRError: If a file contains no runs.
    """
    sections = []
    for path in sorted((folder / SWEEPS).glob("*.json")):
        runs = collect([path]).runs
        table = sweep_table(runs, next(iter(differing(runs)), None))
        plots = sorted(path.parent.glob(f"{path.stem}_*.png"))
        sections += [f"![{plot.stem.replace('_', ' ')}]({SWEEPS}/{plot.name})" for plot in plots]
        sections += [f"*{table.title}; every run: [{path.name}]({SWEEPS}/{path.name})*", as_markdown(table).strip()]
    return "\n\n".join(sections) or "None was run."


def template() -> str:
    """The page without generated parts."""
    return files("paper.results").joinpath("template.md").read_text(encoding="utf-8")
