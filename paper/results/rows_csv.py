"""The rows of the results page as CSV, and back."""

import csv
import io
from collections.abc import Mapping
from typing import Any

from joingr_pyg.errors import JoinGRError
from joingr_pyg.runs.collect import DATASET_TITLES
from paper.results.published import paper_tables
from paper.results.rows import MEASURED, METRICS, ResultRow
from paper.results.tables import order, without_folders

PARTS = {"": "metrics", " sd": "spread", " paper": "paper"}
"""The field of a row for each suffix of a metric's column name."""

HEAD = (
    *("paper table", "dataset", "split", "setting", "encoder", "method", "label", "trained on", "folds", "grouped"),
    *("options", "seeds", "questions", *(f"{name}{part}" for name in METRICS for part in PARTS)),
    *("questions/s", *MEASURED, "commands", "skipped"),
)
AND = " && "


def as_csv(rows: list[ResultRow]) -> str:
    """Write all rows. ``R@5 sd`` is the standard deviation over seeds, ``R@5 paper`` the value printed in the paper."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEAD)
    position = {name: number for number, name in enumerate(DATASET_TITLES)}
    for row in sorted(
        rows, key=lambda row: (position.get(row.dataset, len(position)), row.setting != "pooled", *order(row))
    ):
        values = [_plain(part.get(name)) for name in METRICS for part in (row.metrics, row.spread, row.paper)]
        writer.writerow(
            [
                paper_tables().get(row.dataset, "") if row.paper else "",
                *(row.dataset, row.split, row.setting, row.encoder, row.method, row.label, row.trained or ""),
                *(row.folds or "", "yes" if row.grouped else "", " ".join(row.options)),
                *(" ".join(map(str, row.seeds)), row.questions or "", *values),
                "" if row.speed is None else f"{row.speed:.0f}",
                *(_plain(row.measured.get(name)) for name in MEASURED),
                *(AND.join(row.commands), without_folders(row.skipped)),
            ]
        )
    return file.getvalue()


def from_csv(text: str, place: str) -> list[ResultRow]:
    """Read the rows that :func:`as_csv` wrote, without their runs.

    Args:
        text: The text of the file.
        place: Path of the file, for messages.

    Raises:
        JoinGRError: If the text is malformed.
    """
    lines = csv.DictReader(io.StringIO(text))
    if tuple(lines.fieldnames or ()) != HEAD:
        raise JoinGRError(
            f"The file '{place}' does not contain the rows of a results page: write it again without --keep."
        )
    try:
        return [_row(line) for line in lines]
    except ValueError as error:
        raise JoinGRError(f"The file '{place}' is damaged ({error}): write it again without --keep.") from error


def _row(line: Mapping[str, str]) -> ResultRow:
    numbers: dict[str, Any] = {
        field: {name: float(value) for name in METRICS if (value := line[f"{name}{part}"])}
        for part, field in PARTS.items()
    }
    return ResultRow(
        dataset=line["dataset"],
        split=line["split"],
        setting=line["setting"],
        encoder=line["encoder"],
        method=line["method"],
        trained=line["trained on"] or None,
        folds=int(line["folds"] or 0),
        grouped=line["grouped"] == "yes",
        options=tuple(line["options"].split()),
        **numbers,
        seeds=tuple(map(int, line["seeds"].split())),
        questions=int(line["questions"] or 0),
        speed=float(line["questions/s"]) if line["questions/s"] else None,
        measured={name: float(line[name]) for name in MEASURED if line[name]},
        commands=tuple(line["commands"].split(AND)) if line["commands"] else (),
        skipped=line["skipped"],
    )


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
