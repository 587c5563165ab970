"""``python -m paper figures``: the paper's figures from the folders of finished runs."""

from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joingr_pyg.errors import JoinGRError, MissingPackageError
from joingr_pyg.runs.collect import DATASET_TITLES, Run, collect, in_order
from joingr_pyg.runs.files import QUESTIONS
from joingr_pyg.runs.question_records import QuestionRecord, kept, read_questions
from paper.results.rows import options_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
HOPS = 5
"""Hops of the paper's main experiments, which Figure 6 varies the anchors of."""

_SWEPT = ("model.anchors", "model.hops", "method.anchors", "method.hops", "experiment")
_SWEEPS = ("experiment=beaver_anchors_hops",)


class MissingRunsError(JoinGRError):
    """The runs that a figure needs are missing."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    add("paths", nargs="+", type=Path, metavar="FOLDER", help="folder with runs in it or below")
    add("--write", type=Path, required=True, metavar="FOLDER", help="where the figures go")
    add("--format", choices=FORMATS, default="png", help="format of the files (default: png)")


def run(arguments: Namespace) -> None:
    """Run the command. Figures whose runs are missing are reported and skipped.

    Raises:
        JoinGRError: If the input is bad, or no figure can be drawn.
    """
    try:
        from joingr_pyg.plotting.files import write_figure
    except ImportError as error:
        raise MissingPackageError("Drawing figures", "matplotlib", "plot") from error

    runs = [
        run
        for run in sorted(collect(arguments.paths).runs, key=lambda run: run.modified)
        if run.folder is not None and (run.folder / QUESTIONS).is_file()
    ]
    drawn = 0
    for name, draw in FIGURES.items():
        try:
            figure = draw(runs)
        except MissingRunsError as missing:
            print(f"Not drawn: {name}. {missing}")
            continue
        write_figure(arguments.write / f"{name}.{arguments.format}", figure)
        drawn += 1
    if not drawn:
        raise JoinGRError("No figure can be drawn from these runs: see the messages on what each figure needs.")


def gold_table_counts(runs: Sequence[Run]) -> "Figure":
    """Figure 4: the number of gold tables of questions."""
    from paper.figures.paper import draw_gold_counts

    by_dataset = {str(run.parameters["dataset"]): run for run in runs}
    datasets = {title: _questions(by_dataset[name]) for name, title in DATASET_TITLES.items() if name in by_dataset}
    if not datasets:
        raise MissingRunsError(f"It takes a run on one of {', '.join(DATASET_TITLES)}.")
    return draw_gold_counts(datasets)


def by_gold_tables(runs: Sequence[Run]) -> "Figure":
    """Figure 5: the scorer trained on BIRD, on BIRD itself and on BEAVER."""
    from paper.figures.paper import draw_by_gold

    trained = [run for run in runs if _is(run, method="joingr") and not options_of(run)]
    on_bird = [run for run in trained if _is(run, dataset="bird") and run.parameters.get("trained.dataset") is None]
    on_beaver = [run for run in trained if _is(run, dataset="beaver", **{"trained.dataset": "bird"})]
    if not on_bird or not on_beaver:
        raise MissingRunsError("It takes a model trained on bird, and its checkpoint evaluated with dataset=beaver.")
    sides = {"BIRD dev": on_bird, "BEAVER, trained on BIRD": on_beaver}
    return draw_by_gold({title: [_questions(run) for run in _by_seed(side)] for title, side in sides.items()})


def over_anchors(runs: Sequence[Run]) -> "Figure":
    """Figure 6: R@10 on BEAVER over anchors; vanilla returns as many tables as the others have anchors."""
    from paper.figures.paper import draw_over, mean_of

    beaver = _plain_beaver(runs, 10)
    anchors = range(1, 8)
    lines: dict[str, dict[int, Sequence[float]]] = {}
    vanilla = _first(beaver, method="vanilla")
    lines["vanilla, as many tables as anchors"] = {
        count: [mean_of([_cut(record, count) for record in vanilla], "R@10")] for count in anchors
    }
    for title, method, prefix in (("heuristic walk", "heuristic", "method"), ("trained walk", "joingr", "model")):
        chosen = [run for run in beaver if _is(run, method=method, **{f"{prefix}.hops": HOPS})]
        lines[title] = _over(chosen, f"{prefix}.anchors", "R@10")
    if not any(len(points) > 1 for title, points in lines.items() if title != "vanilla, as many tables as anchors"):
        raise MissingRunsError("It takes runs on beaver with different numbers of anchors, each with five hops.")
    drawn = {title: points for title, points in lines.items() if points}
    return draw_over(drawn, "anchors", "R@10 on BEAVER", {"vanilla, ten tables": mean_of(vanilla, "R@10")})


def over_hops(runs: Sequence[Run]) -> "Figure":
    """R@15 on BEAVER over hops, a line for each number of anchors."""
    from paper.figures.paper import draw_over, mean_of

    beaver = _plain_beaver(runs, 15)
    lines: dict[str, dict[int, Sequence[float]]] = {}
    for title, method, prefix in (("trained", "joingr", "model"), ("heuristic", "heuristic", "method")):
        chosen = [run for run in beaver if _is(run, method=method)]
        for anchors in sorted({run.parameters.get(f"{prefix}.anchors") for run in chosen}, key=in_order, reverse=True):
            some = [run for run in chosen if run.parameters.get(f"{prefix}.anchors") == anchors]
            points = _over(some, f"{prefix}.hops", "R@15")
            if len(points) > 1:
                lines[f"{title}, {anchors} anchor{'s' * (anchors != 1)}"] = points
    if not lines:
        raise MissingRunsError("It takes runs on beaver with different numbers of hops.")
    return draw_over(lines, "hops", "R@15 on BEAVER", {"vanilla": mean_of(_first(beaver, method="vanilla"), "R@15")})


FIGURES: dict[str, Callable[[Sequence[Run]], "Figure"]] = {
    "figure4_gold_tables": gold_table_counts,
    "figure5_by_gold_tables": by_gold_tables,
    "figure6_anchors": over_anchors,
    "recall_over_hops": over_hops,
}
"""The figures, by file name."""


def _is(run: Run, **parameters: Any) -> bool:
    return all(run.parameters.get(key) == value for key, value in parameters.items()) and _is_pooled(run)


def _is_pooled(run: Run) -> bool:
    return run.parameters.get("setting") == "pooled"


def _plain_beaver(runs: Sequence[Run], k: int) -> list[Run]:
    """Runs on BEAVER with at least ``k`` recorded tables that differ only in anchors and hops, in random folds."""
    return [
        run
        for run in runs
        if _is(run, dataset="beaver")
        and max(kept(list(run.metrics)), default=0) >= k
        and not run.parameters.get("fold_groups")
        and "trained.dataset" not in run.parameters
        and (run.parameters["method"] != "joingr" or run.parameters.get("folds"))
        and not [
            option for option in options_of(run) if option.partition("=")[0] not in _SWEPT or _other_experiment(option)
        ]
    ]


def _other_experiment(override: str) -> bool:
    return override.startswith("experiment=") and override not in _SWEEPS


def _by_seed(runs: Sequence[Run]) -> list[Run]:
    """The newest run of each seed."""
    return list({run.seed: run for run in runs}.values())


def _over(runs: Sequence[Run], key: str, metric: str) -> dict[int, Sequence[float]]:
    from paper.figures.paper import mean_of

    by_value: dict[int, list[Run]] = defaultdict(list)
    for run in runs:
        if key in run.parameters:
            by_value[run.parameters[key]].append(run)
    return {
        value: [mean_of(_questions(run), metric) for run in _by_seed(group)]
        for value, group in sorted(by_value.items())
    }


def _first(runs: Sequence[Run], **parameters: Any) -> list[QuestionRecord]:
    for run in runs:
        if _is(run, **parameters):
            return _questions(run)
    raise MissingRunsError(f"It takes a run of method={parameters['method']} on beaver.")


def _questions(run: Run) -> list[QuestionRecord]:
    assert run.folder is not None
    return read_questions(run.folder)


def _cut(record: QuestionRecord, count: int) -> QuestionRecord:
    return QuestionRecord(record.index, record.question, record.database, record.gold, record.ranked[:count])
