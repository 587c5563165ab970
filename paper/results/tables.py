"""The tables of the results page."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from joingr_pyg.cli.significance.command import averaged
from joingr_pyg.evaluation.significance import Difference, paired_bootstrap
from joingr_pyg.runs.collect import DATASET_TITLES, Run
from joingr_pyg.runs.files import QUESTIONS
from paper.results.rows import METRICS, NAMES, ResultRow

ENCODERS = {"minilm": "MiniLM", "bge": "BGE", "contriever": "Contriever", "dtr": "DTR"}
TRAINED = ("joingr", "joingr_plus")
SHORT = ("R@5", "PR@5", "R@15", "PR@15")
SETTINGS = {"pooled": "pooled", "per_database": "own database"}


class Footnotes:
    """Numbered footnotes of rows; equal texts have the same number."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def mark(self, row: ResultRow) -> str:
        """The footnote number of a row's commands, or of the reason why it has no results."""
        if row.commands:
            text = ", then ".join(f"`{command}`" for command in row.commands)
        elif row.skipped:
            text = f"Skipped: {without_folders(row.skipped)}"
        else:
            return "not run"
        if text not in self.texts:
            self.texts.append(text)
        return f"{self.texts.index(text) + 1}"

    def listed(self) -> str:
        return "".join(f"{number}. {text}\n" for number, text in enumerate(self.texts, 1))


def paper_table(rows: Sequence[ResultRow], dataset: str) -> str:
    """The paper's table on a dataset, with its numbers in brackets, and all other pooled results on the dataset."""
    chosen = [row for row in rows if row.dataset == dataset and row.setting == "pooled"]
    if not any(row.metrics or row.skipped for row in chosen):
        return "Nothing was run.\n"
    notes = Footnotes()
    lines = [["method", "encoder", *METRICS, "questions/s", "command"]]
    for row in sorted(chosen, key=order):
        cells = [_cell(row, name) for name in METRICS]
        lines.append([row.label, ENCODERS.get(row.encoder, row.encoder), *cells, _speed(row), notes.mark(row)])
    return table(lines, 2) + "\n" + notes.listed()


def transfer_table(rows: Sequence[ResultRow]) -> str:
    """Scorers trained on one benchmark and tested on another, and scorers trained on the tested benchmark."""
    notes = Footnotes()
    lines = [["model", "trained on", "tested on", *METRICS, "command"]]
    trained = [row for row in rows if row.method in TRAINED and row.setting == "pooled" and row.metrics]
    plain = [row for row in trained if not row.options and not row.grouped]
    for row in sorted(plain, key=lambda row: (row.method, index(DATASET_TITLES, row.dataset), row.trained or "")):
        source = (
            DATASET_TITLES.get(row.trained, row.trained) if row.trained else f"{DATASET_TITLES.get(row.dataset)} itself"
        )
        source += f", {row.folds} folds" if row.folds else ""
        target = DATASET_TITLES.get(row.dataset, row.dataset)
        cells = [_cell(row, name) for name in METRICS]
        lines.append([NAMES[row.method], source, target, *cells, notes.mark(row)])
    if len(lines) == 1:
        return "Nothing was trained.\n"
    return table(lines, 3) + "\n" + notes.listed()


def folds_table(rows: Sequence[ResultRow]) -> str:
    """Random folds compared with grouped folds, which keep near-paraphrases together."""
    notes = Footnotes()
    pooled = [row for row in rows if row.folds and row.metrics and row.setting == "pooled"]
    return _side_by_side(pooled, notes, ("random", "grouped"), lambda row: "grouped" if row.grouped else "random")


def settings_table(rows: Sequence[ResultRow]) -> str:
    """Results with all tables as candidates, compared with only those of the question's database."""
    notes = Footnotes()
    whole = [row for row in rows if not row.folds and row.metrics and row.setting in SETTINGS]
    return _side_by_side(whole, notes, ("pooled", "own database"), lambda row: SETTINGS[row.setting])


def _side_by_side(
    rows: Iterable[ResultRow], notes: Footnotes, sides: tuple[str, str], side: Callable[[ResultRow], str]
) -> str:
    by_side: dict[tuple[str, str, str], dict[str, ResultRow]] = {}
    for row in sorted(rows, key=lambda row: (index(DATASET_TITLES, row.dataset), *order(row))):
        by_side.setdefault((row.dataset, row.name, row.encoder), {}).setdefault(side(row), row)
    heading = [f"{name} {label}" for name in SHORT for label in sides]
    lines = [["test", "method", *heading, "commands"]]
    for (dataset, name, _), both in by_side.items():
        if len(both) == len(sides):
            cells = [_number(both[label], metric) for metric in SHORT for label in sides]
            marks = dict.fromkeys(notes.mark(both[label]) for label in sides)
            lines.append([DATASET_TITLES.get(dataset, dataset), name, *cells, ", ".join(marks)])
    if len(lines) == 1:
        return "Nothing was run both ways.\n"
    return table(lines, 2) + "\n" + notes.listed()


def differences_table(rows: Sequence[ResultRow]) -> str:
    """JoinGR against every other method on the same questions, with 95 % intervals of the paired bootstrap."""
    pooled = [row for row in rows if row.runs and row.setting == "pooled" and row.dataset in DATASET_TITLES]
    plain = [row for row in pooled if not row.options and all(map(_has_questions, row.runs))]
    lines = [["test", "JoinGR, minus", *SHORT]]
    for row in sorted(plain, key=lambda row: (index(DATASET_TITLES, row.dataset), *order(row))):
        if row.method != "joingr":
            continue
        others = [
            other
            for other in plain
            if (other.dataset, other.encoder) == (row.dataset, row.encoder)
            and other.method not in TRAINED
            and (not other.folds or (other.folds, other.grouped) == (row.folds, row.grouped))
        ]
        test = DATASET_TITLES[row.dataset] + row.label.removeprefix(NAMES["joingr"])
        for other in sorted(others, key=order):
            differences = paired_bootstrap(averaged(row.runs).values, averaged(other.runs).values)
            lines.append([test, other.label, *(_difference(differences.get(name)) for name in SHORT)])
    return table(lines, 2) if len(lines) > 1 else "Nothing was trained.\n"


def _has_questions(run: Run) -> bool:
    return run.folder is not None and (run.folder / QUESTIONS).is_file()


def _difference(result: Difference | None) -> str:
    """A difference and its interval, in bold if the interval excludes zero."""
    if result is None:
        return ""
    mean, low, high = (_signed(value) for value in (result.difference, result.low, result.high))
    return f"{f'**{mean}**' if result.clear else mean} ({low} to {high})"


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:+.3f}"


def order(row: ResultRow) -> tuple[int, int, int, int, bool, str]:
    """Sort key of rows: by encoder, then by method and options."""
    return (
        index(ENCODERS, row.encoder),
        index(NAMES, row.method),
        bool(row.trained) + 0,
        len(row.options),
        row.grouped,
        row.label,
    )


def index(names: Mapping[str, str], name: str) -> int:
    """The position of a name; unknown names come last."""
    return list(names).index(name) if name in names else len(names)


def table(lines: Sequence[Sequence[str]], left: int) -> str:
    """A table in Markdown: its heading and its rows, the first ``left`` columns flush left."""
    rule = [":--"] * left + ["--:"] * (len(lines[0]) - left)
    return "".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in [lines[0], rule, *lines[1:]]
    )


def _cell(row: ResultRow, name: str) -> str:
    """Ours, and the paper's in brackets."""
    paper = f"[{short(row.paper[name])}]" if name in row.paper else ""
    return f"{_number(row, name)} {paper}".strip()


def _number(row: ResultRow, name: str) -> str:
    if name not in row.metrics:
        return "" if row.metrics else "–"
    spread = f" ± {short(row.spread[name])}" if name in row.spread else ""
    return short(row.metrics[name]) + spread


def short(value: float) -> str:
    """Three digits, without the 0 before the point."""
    return f"{value:.3f}".removeprefix("0")


def _speed(row: ResultRow) -> str:
    return "" if row.speed is None else f"{row.speed:,.0f}"


def without_folders(text: str) -> str:
    """A reason without what only the machine that gave it knows: long asides, and its folders."""
    text = re.sub(r" \([^()]{40,}\)", "", text)
    return re.sub(r"(?<![\w.:/])(?:/[\w.@+-]+){2,}/?", "...", text)
