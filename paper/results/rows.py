"""Rows of the results page: what was measured, what the paper prints, and what could not be run."""

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
"""What methods say that choose tables together: how many, the worth of their choice and of the greedy one, the ratio of
both, and for how many questions time ran out."""

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
"""What was known of the schemas, as people say it."""

# What a row's other cells say already, and what changes no number.
_TOLD = (
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
        split: Its split; empty where nothing was run.
        setting: ``"pooled"`` or ``"per_database"``.
        encoder: Name of the encoder.
        method: Name of the method.
        trained: The dataset that its scorer was trained on, where that is another.
        folds: Number of folds; 0 without.
        grouped: Whether near-paraphrases share a fold.
        options: What else its command line set, such as ``loss=edge``.
        metrics: Means over seeds.
        spread: Standard deviations over seeds, where there are several.
        seeds: The seeds.
        questions: Number of questions.
        speed: Questions ranked a second, mean over seeds.
        paper: What the paper prints for it.
        commands: The commands that make it, in order.
        measured: What JAR and IterativeJAR say of their choices, means over seeds: :data:`MEASURED`.
        skipped: Why there are no numbers, where it could not be run.
        runs: The runs that were measured, a seed each.
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
        """Method, training and options, as people say them; not the folds."""
        parts = [NAMES.get(self.method, self.method)]
        if self.trained:
            parts.append(f"trained on {DATASET_TITLES.get(self.trained, self.trained)}")
        parts += [ASIDES[each] for each in self.options if each in ASIDES]
        flags = [each for each in self.options if each not in ASIDES]
        return ", ".join(parts) + (f" ({' '.join(flags)})" if flags else "")

    @property
    def label(self) -> str:
        """The name with the folds."""
        if not self.folds:
            return self.name
        return f"{self.name}, {self.folds} {'grouped ' if self.grouped else ''}folds"


def result_rows(runs: Sequence[Run], jobs: Sequence[Job] = ()) -> list[ResultRow]:
    """Rows of runs, seeds together, followed by the paper's rows that no run stands beside.

    Args:
        runs: Finished runs.
        jobs: Jobs of sweeps; those that failed tell why a row of the paper has no run.
    """
    paper = {row.key: row for row in published()}
    # Swept configurations that the paper has no row for come after the one that it has.
    measured = sorted(
        (_measured(line.runs, line.metrics, line.spread, paper) for line in sweep_table(runs).lines) if runs else (),
        key=lambda row: len(row.options),
    )
    beside = {_key(row) for row in measured if row.paper}
    missing = [_missing(row, jobs) for row in paper.values() if row.key not in beside]
    also = [_failed(job) for job in jobs if job.status == FAILED]
    known = {_key(row) for row in [*measured, *missing]}
    return [*measured, *missing, *(row for row in also if row is not None and _key(row) not in known)]


def beside(rows: Sequence[ResultRow], kept: Sequence[ResultRow]) -> list[ResultRow]:
    """Rows, and those kept from before that none of them replaces; what was measured goes before what was not."""
    new = {_same(row) for row in rows if row.metrics}
    old = [row for row in kept if not row.metrics or _same(row) not in new]
    measured = {_key(row) for row in [*rows, *old] if row.metrics}
    both = [*(row for row in rows if row.metrics), *(row for row in old if row.metrics)]
    # The first word on why there is nothing: what failed now goes before what failed then.
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
    known = [speed for speed in speeds if speed]
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
        speed=sum(known) / len(known) if known else None,
        commands=tuple(commands_of(runs)),
        measured=_of_choices(runs),
        runs=tuple(runs),
    )
    plain = row.setting == "pooled" and not row.grouped and not row.options
    beside = paper.get(_key(row)) if plain else None
    return row if beside is None else _with(row, paper=beside.metrics)


def _of_choices(runs: Sequence[Run]) -> dict[str, float]:
    """The means over runs of :data:`MEASURED`; nothing for other methods."""
    said = [run.summary.get("measured", {}) for run in runs]
    found = {name: [each[name] for each in said if name in each] for name in MEASURED}
    if not found["objective"]:
        return {}
    # As many as the largest K are chosen where the method was not told.
    found["size"] = [run.parameters.get("method.size") or max(run.summary["config"]["ks"]) for run in runs]
    return {name: sum(values) / len(values) for name, values in found.items() if values}


def options_of(run: Run) -> tuple[str, ...]:
    """What else the command line of a run set, and that of its training, than a row says by itself.

    What was known of the schemas it says of every run in which that is not as usual.
    """
    found = [
        f"dataset.{key}={str(value).lower()}"
        for key, usual in DATA_OPTIONS.items()
        if (value := run.parameters.get(f"dataset.{key}", usual)) != usual
    ]
    found += _options(overrides_of(run)) + _options(run.summary.get("trained", {}).get("overrides", []))
    # Encoders that are made to embed whole tables rank by them.
    by_table = run.parameters.get("encoder") in _DENSE_TABLE_RETRIEVERS
    return tuple(each for each in found if not (by_table and each == _BY_TABLE))


def _options(overrides: Sequence[str]) -> list[str]:
    experiments = [each for each in overrides if each.startswith("experiment=") and each not in _PLAIN_EXPERIMENTS]
    return [*experiments, *without(overrides, *_TOLD)]


def _key(row: ResultRow) -> tuple[str, str, str, str | None]:
    return row.dataset, row.encoder, row.method, row.trained


def _same(row: ResultRow) -> tuple[object, ...]:
    """What two rows have in common that say the same of the same."""
    return *_key(row), row.setting, row.folds, row.grouped, row.options


def _with(row: ResultRow, **changes: object) -> ResultRow:
    return ResultRow(**{**vars(row), **changes})


def _missing(row: Published, jobs: Sequence[Job]) -> ResultRow:
    asked = [job for job in jobs if job.status == FAILED and _asked(job) == row.key]
    return ResultRow(
        dataset=row.dataset,
        split="",
        setting="pooled",
        encoder=row.encoder,
        method=row.method,
        trained=row.trained,
        paper=row.metrics,
        skipped=asked[0].reason if asked else "",
    )


def _failed(job: Job) -> ResultRow | None:
    dataset, encoder, method, trained = _asked(job)
    if not dataset or not method:
        return None
    return ResultRow(dataset, "", "pooled", encoder, method, trained, skipped=job.reason)


def _asked(job: Job) -> tuple[str, str, str, str | None]:
    said = {key: value for key, _, value in (each.partition("=") for each in job.overrides)}
    method = "" if "checkpoint" in said else said.get("method", said.get("model", "joingr"))
    return said.get("dataset", ""), said.get("encoder", "minilm"), method, None
