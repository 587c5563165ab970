"""Rows of the results page: measured results, results printed in the paper, and runs that failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from joingr_pyg.cli.compare.table import sweep_table
from joingr_pyg.runs.collect import DATASET_TITLES, SEED, Run, without
from joingr_pyg.runs.files import DATA_OPTIONS
from joingr_pyg.runs.jobs import FAILED, Job
from paper.results.commands import commands_of, overrides_of
from paper.results.published import Published, published

METRICS = ("P@5", "P@15", "R@5", "R@15", "PR@5", "PR@15")
"""The metrics of the paper, in its order."""

MEASURED = ("size", "objective", "greedy_objective", "greedy_ratio", "time_limit_hits")
"""Measurements of JAR and IterativeJAR: number of selected tables, objective, objective of greedy selection, ratio of
the two, and number of questions that reached the time limit."""

NAMES = {
    "vanilla": "vanilla",
    "heuristic": "JoinGR, heuristic",
    "joingr": "JoinGR",
    "joingr_plus": "JoinGR+",
    "joingr_plus_untrained": "JoinGR+, untrained",
    "rear": "REaR",
    "rear_biencoder": "REaR, refined with the encoder",
    "jar": "JAR",
    "iterjar": "IterativeJAR",
    "knn": "nearest questions vote",
    "bm25": "BM25",
    "ppr": "personalised PageRank",
    "steiner": "Steiner paths",
}
ASIDES = {
    "dataset.words=names": "with words for names and tables",
    "dataset.words=full": "with words",
    "dataset.cryptic_names=true": "with cryptic names",
    "dataset.expand_names=true": "with names expanded",
}
"""Options on schema names, in words."""

# Options that a row has in its own cells, and options without effect on results.
_NOT_LISTED = (
    *("dataset", "encoder", "method", "model", "checkpoint", "setting", "ks", "batch_size", "progress", "resume", SEED),
    *("folds", "fold_groups", "fold_seed", "experiment", "baselines"),
    *(f"dataset.{place}{key}" for key in DATA_OPTIONS for place in ("", "source.")),
)
_PLAIN_EXPERIMENTS = ("experiment=beaver_cv", "experiment=beaver_cv_plus")
_DENSE_TABLE_RETRIEVERS = ("dtr", "contriever")
_BY_TABLE = "method.by=table"


@dataclass(frozen=True)
class ResultRow:
    """One row.

    Args:
        dataset: Name of the dataset.
        split: Its split; empty if there is no run.
        setting: ``"pooled"`` or ``"per_database"``.
        encoder: Name of the encoder.
        method: Name of the method.
        trained: The dataset that the scorer was trained on, if it is another one.
        folds: Number of folds; 0 without cross-validation.
        grouped: Whether near-paraphrases share a fold.
        options: Other options of its command line, such as ``loss=edge``.
        metrics: Means over seeds.
        spread: Standard deviations over seeds, if there are several.
        seeds: The seeds.
        questions: Number of questions.
        speed: Questions ranked per second, mean over seeds.
        paper: Metrics printed in the paper.
        commands: The commands of the runs, in order.
        measured: :data:`MEASURED` of JAR and IterativeJAR, means over seeds.
        skipped: Reason why there are no results, if the run failed.
        runs: The runs, one per seed.
    """

    dataset: str
    split: str
    setting: str
    encoder: str
    method: str
    trained: str | None = None
    folds: int = 0
    grouped: bool = False
    options: tuple[str, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    spread: Mapping[str, float] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    questions: int = 0
    speed: float | None = None
    paper: Mapping[str, float] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    measured: Mapping[str, float] = field(default_factory=dict)
    skipped: str = ""
    runs: tuple[Run, ...] = ()

    @property
    def name(self) -> str:
        """Method, training and options in words, without the folds."""
        parts = [NAMES.get(self.method, self.method)]
        if self.trained:
            parts.append(f"trained on {DATASET_TITLES.get(self.trained, self.trained)}")
        parts += [ASIDES[option] for option in self.options if option in ASIDES]
        flags = [option for option in self.options if option not in ASIDES]
        return ", ".join(parts) + (f" ({' '.join(flags)})" if flags else "")

    @property
    def label(self) -> str:
        """The name with the folds."""
        if not self.folds:
            return self.name
        return f"{self.name}, {self.folds} {'grouped ' if self.grouped else ''}folds"


def result_rows(runs: Sequence[Run], jobs: Sequence[Job] = ()) -> list[ResultRow]:
    """Rows of runs, with seeds averaged, followed by the paper's rows that have no run.

    Args:
        runs: Finished runs.
        jobs: Jobs of sweeps. Failed jobs give the reason why a row of the paper has no run.
    """
    paper = {row.key: row for row in published()}
    # Configurations with fewer options come first, since the paper's rows have none.
    measured = sorted(
        (_measured(line.runs, line.metrics, line.spread, paper) for line in sweep_table(runs).lines) if runs else (),
        key=lambda row: len(row.options),
    )
    beside = {_key(row) for row in measured if row.paper}
    missing = [_missing(row, jobs) for row in paper.values() if row.key not in beside]
    failed = [_failed(job) for job in jobs if job.status == FAILED]
    listed = {_key(row) for row in [*measured, *missing]}
    return [*measured, *missing, *(row for row in failed if row is not None and _key(row) not in listed)]


def beside(rows: Sequence[ResultRow], kept: Sequence[ResultRow]) -> list[ResultRow]:
    """Merge new rows with earlier ones, which they replace. Rows with results come before rows without."""
    new = {_same(row) for row in rows if row.metrics}
    old = [row for row in kept if not row.metrics or _same(row) not in new]
    measured = {_key(row) for row in [*rows, *old] if row.metrics}
    both = [*(row for row in rows if row.metrics), *(row for row in old if row.metrics)]
    # Of rows without results, those with a reason and the new ones take precedence.
    unmeasured: dict[tuple[object, ...], ResultRow] = {}
    for row in sorted([*rows, *old], key=lambda row: not row.skipped):
        if not row.metrics and _key(row) not in measured:
            unmeasured.setdefault(_key(row), row)
    return both + list(unmeasured.values())


def _measured(
    runs: Sequence[Run],
    metrics: Mapping[str, float],
    spread: Mapping[str, float],
    paper: Mapping[tuple[str, str, str, str | None], Published],
) -> ResultRow:
    first, parameters = runs[0], runs[0].parameters
    dataset = str(parameters["dataset"])
    trained = parameters.get("trained.dataset")
    speeds = [run.summary.get("timing", {}).get("questions_per_second") for run in runs]
    measured_speeds = [speed for speed in speeds if speed]
    row = ResultRow(
        dataset=dataset,
        split=str(parameters["split"]),
        setting=str(parameters["setting"]),
        encoder=str(parameters["encoder"]),
        method=str(parameters["method"]),
        trained=trained if trained != dataset else None,
        folds=int(parameters.get("folds") or 0),
        grouped=bool(parameters.get("folds") and parameters.get("fold_groups")),
        options=options_of(first),
        metrics=metrics,
        spread=spread,
        seeds=tuple(run.seed for run in runs),
        questions=int(first.summary.get("questions", {}).get("scored", 0)),
        speed=sum(measured_speeds) / len(measured_speeds) if measured_speeds else None,
        commands=tuple(commands_of(runs)),
        measured=_selection_measurements(runs),
        runs=tuple(runs),
    )
    plain = row.setting == "pooled" and not row.grouped and not row.options
    beside = paper.get(_key(row)) if plain else None
    return row if beside is None else _with(row, paper=beside.metrics)


def _selection_measurements(runs: Sequence[Run]) -> dict[str, float]:
    """The means over runs of :data:`MEASURED`; empty for other methods."""
    of_runs = [run.summary.get("measured", {}) for run in runs]
    values = {name: [of_run[name] for of_run in of_runs if name in of_run] for name in MEASURED}
    if not values["objective"]:
        return {}
    # By default as many tables are selected as the largest cut-off.
    values["size"] = [run.parameters.get("method.size") or max(run.summary["config"]["ks"]) for run in runs]
    return {name: sum(over_runs) / len(over_runs) for name, over_runs in values.items() if over_runs}


def options_of(run: Run) -> tuple[str, ...]:
    """Options of a run and of its training that are not in other cells of its row.

    Options of the dataset are listed if they differ from the default.
    """
    options = [
        f"dataset.{key}={str(value).lower()}"
        for key, usual in DATA_OPTIONS.items()
        if (value := run.parameters.get(f"dataset.{key}", usual)) != usual
    ]
    options += _options(overrides_of(run)) + _options(run.summary.get("trained", {}).get("overrides", []))
    # Ranking by tables is the default of encoders that embed whole tables.
    by_table = run.parameters.get("encoder") in _DENSE_TABLE_RETRIEVERS
    return tuple(option for option in options if not (by_table and option == _BY_TABLE))


def _options(overrides: Sequence[str]) -> list[str]:
    experiments = [
        override for override in overrides if override.startswith("experiment=") and override not in _PLAIN_EXPERIMENTS
    ]
    return [*experiments, *without(overrides, *_NOT_LISTED)]


def _key(row: ResultRow) -> tuple[str, str, str, str | None]:
    return row.dataset, row.encoder, row.method, row.trained


def _same(row: ResultRow) -> tuple[object, ...]:
    """The key of a row: rows with equal keys have results of the same configuration."""
    return *_key(row), row.setting, row.folds, row.grouped, row.options


def _with(row: ResultRow, **changes: object) -> ResultRow:
    return ResultRow(**{**vars(row), **changes})


def _missing(row: Published, jobs: Sequence[Job]) -> ResultRow:
    failed = [job for job in jobs if job.status == FAILED and _job_key(job) == row.key]
    return ResultRow(
        dataset=row.dataset,
        split="",
        setting="pooled",
        encoder=row.encoder,
        method=row.method,
        trained=row.trained,
        paper=row.metrics,
        skipped=failed[0].reason if failed else "",
    )


def _failed(job: Job) -> ResultRow | None:
    dataset, encoder, method, trained = _job_key(job)
    if not dataset or not method:
        return None
    return ResultRow(dataset, "", "pooled", encoder, method, trained, skipped=job.reason)


def _job_key(job: Job) -> tuple[str, str, str, str | None]:
    values = {key: value for key, _, value in (override.partition("=") for override in job.overrides)}
    method = "" if "checkpoint" in values else values.get("method", values.get("model", "joingr"))
    return values.get("dataset", ""), values.get("encoder", "minilm"), method, None
