"""JAR's objective: the greedy selection of IterativeJAR compared with the mixed-integer program."""

from collections.abc import Sequence

from joingr_pyg.runs.collect import DATASET_TITLES
from paper.results.rows import ASIDES, ResultRow
from paper.results.tables import SETTINGS, Footnotes, index, order, short, table

PROGRAM, GREEDY = "jar", "iterjar"

COLUMNS = {"objective": "program", "greedy_objective": "greedy", "greedy_ratio": "ratio"}
"""The headings of values of :meth:`~joingr_pyg.models.baselines.jar.join_aware.Jar.measured`."""


def greedy_table(rows: Sequence[ResultRow]) -> str:
    """One line per run of JAR, and one per run of IterativeJAR that has no run of JAR on the same problem."""
    measured = [row for row in rows if row.method in (PROGRAM, GREEDY) and "objective" in row.measured]
    by_program = {_problem(row) for row in measured if row.method == PROGRAM}
    notes = Footnotes()
    lines = [["test", "setting", "size", *COLUMNS.values(), "out of time", "command"]]
    for row in sorted(
        measured, key=lambda row: (index(DATASET_TITLES, row.dataset), row.setting != "pooled", *order(row))
    ):
        if row.method == PROGRAM:
            values, late = row.measured, f"{row.measured.get('time_limit_hits', 0):.0f} of {row.questions:,}"
        elif _problem(row) not in by_program:
            values, late = {"greedy_objective": row.measured["objective"]}, ""
        else:
            continue
        test = ", ".join(
            [
                DATASET_TITLES.get(row.dataset, row.dataset),
                *(ASIDES[option] for option in row.options if option in ASIDES),
            ]
        )
        cells = [short(values[name]) if name in values else "–" for name in COLUMNS]
        size = f"{row.measured['size']:.0f}"
        lines.append([test, SETTINGS.get(row.setting, row.setting), size, *cells, late, notes.mark(row)])
    return table(lines, 2) + "\n" + notes.listed() if len(lines) > 1 else "Neither was run.\n"


def _problem(row: ResultRow) -> tuple[object, ...]:
    return row.dataset, row.setting, row.encoder, row.options
