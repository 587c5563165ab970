"""Finished runs, collected from the folders that hold them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joingr_pyg.errors import JoinGRError
from joingr_pyg.runs.files import METRICS, effective, flat
from joingr_pyg.runs.jobs import FAILED, read_jobs

SEED = "seed"

DATASET_TITLES = {"beaver": "BEAVER", "bird": "BIRD", "spider": "Spider"}
"""How benchmarks are written in titles and tables, by the name of the dataset."""

NAMES = ("dataset", "split", "setting", "encoder", "method")
"""Keys of ``metrics.json`` that hold names."""

_PLACES = ("dataset.source.root", "dataset.source.cache", "dataset.source.download")
_FOLLOWS = {"dataset.test": "split", "fold_seed": SEED, "validation.by": "dataset.validation"}
"""Keys that take the value of another key by default, and that other key."""


@dataclass(frozen=True)
class Run:
    """One finished run.

    Args:
        parameters: Names of dataset, split, setting, encoder and method, and the values of its config under dotted keys
            such as ``model.hops``.
        metrics: Its metrics.
        spread: Standard deviation of each metric over folds, where there are folds.
        place: Its folder, below the one that was collected.
        modified: When it ended, in seconds; newer is larger.
        folder: Its folder; ``None`` if it was read from a file of runs.
        summary: All that its ``metrics.json`` says; empty if it was read from a file of runs.
    """

    parameters: Mapping[str, Any]
    metrics: Mapping[str, float]
    spread: Mapping[str, float] = field(default_factory=dict)
    place: str = ""
    modified: float = 0.0
    folder: Path | None = None
    summary: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def seed(self) -> Any:
        return self.parameters.get(SEED)

    @property
    def configuration(self) -> str:
        """All parameters but the seed as JSON: runs with the same configuration differ in their seed only."""
        return json.dumps({key: value for key, value in self.parameters.items() if key != SEED}, sort_keys=True)


@dataclass(frozen=True)
class Collection:
    """Runs, and what the folders hold besides.

    Args:
        runs: Runs with metrics.
        notes: Sentences on what was left out.
    """

    runs: tuple[Run, ...]
    notes: tuple[str, ...] = ()


def collect(paths: Sequence[Path]) -> Collection:
    """Collect the runs in and below folders, and those of files that :func:`runs_as_json` wrote.

    Raises:
        JoinGRError: If a path does not exist, a file is damaged or there is no run.
    """
    runs: dict[Path | str, Run] = {}
    notes: list[str] = []
    for path in paths:
        if path.is_dir():
            for file in sorted(path.rglob(METRICS), key=_in_order):
                runs.setdefault(file.resolve(), _read_run(file, path))
            # A job that failed may be one of an earlier try, whose folder has got results since.
            lost = [job for job in read_jobs(path) if not job.done and not (job.folder / METRICS).is_file()]
            for job in lost:
                why = f"failed: {job.reason}" if job.status == FAILED else "has not finished."
                notes.append(f"Not in the table: '{job.folder}' {why}")
        elif path.name == METRICS and path.is_file():
            runs.setdefault(path.resolve(), _read_run(path, path.parent))
        elif path.is_file():
            runs.update({f"{path}:{number}": run for number, run in enumerate(_read_collected(path))})
        else:
            raise JoinGRError(f"There is no '{path}': name folders of runs, such as multirun/train/<date>.")
    measured = tuple(run for run in runs.values() if run.metrics)
    if len(measured) < len(runs):
        notes.append(f"Not in the table: {len(runs) - len(measured)} runs that only trained and measured nothing.")
    if not measured:
        raise JoinGRError(
            f"There is no finished run in {', '.join(repr(str(path)) for path in paths)}: "
            f"a run leaves {METRICS} in its folder. {' '.join(notes)}".strip()
        )
    return Collection(measured, tuple(notes))


def _in_order(path: Path) -> list[tuple[int, str]]:
    """Numbered folders by number: 2 before 10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in path.parts]


def _read_run(path: Path, root: Path) -> Run:
    summary = _read_json(path)
    try:
        return Run(
            parameters(summary),
            dict(summary["metrics"]),
            dict(summary.get("spread", {})),
            str(Path(root.resolve().name, path.parent.relative_to(root))),
            path.stat().st_mtime,
            path.parent,
            summary,
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise JoinGRError(
            f"'{path}' was not written by 'joingr train' or 'joingr evaluate': name other folders."
        ) from error


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise JoinGRError(f"'{path}' cannot be read as JSON ({error}).") from error


def parameters(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a run, from the content of its ``metrics.json``."""
    result: dict[str, Any] = {name: summary[name] for name in NAMES}
    for key, value in flat(effective(summary["config"])):
        *group, last = key.split(".")
        if last == "_target_":
            # The dataset, encoder and method are known by name.
            if group[0] not in NAMES:
                result[".".join(group)] = str(value).rpartition(".")[2]
        elif last != "_partial_" and key not in _PLACES:
            result.setdefault(key, value)
    result[SEED] = summary[SEED]
    for key, other in _FOLLOWS.items():
        if key in result and result[key] == result.get(other):
            del result[key]
    trained = summary.get("trained", {})
    if trained:
        # The seed of a trained model is that of its training.
        result[SEED], result["trained.dataset"] = trained["seed"], trained["dataset"]
    if "overrides" in trained:
        result.pop("checkpoint", None)
        result["trained.overrides"] = " ".join(without(trained["overrides"], SEED, "dataset"))
    return result


def without(overrides: Sequence[str], *keys: str) -> list[str]:
    """Overrides of the command line, except those of some keys."""
    return [override for override in overrides if override.partition("=")[0].lstrip("+~") not in keys]


def differing(runs: Sequence[Run]) -> list[str]:
    """The parameters that tell runs apart, the seed last.

    A parameter that only some runs have counts if it differs among those. Where the encoder or another group differs,
    what follows from it (``encoder.dim``) is left out.
    """
    keys = list(dict.fromkeys(key for run in runs for key in run.parameters if key != SEED))
    varied = [key for key in keys if len(values(runs, key)) > 1]
    kept = [
        key
        for key in varied
        if not any(group in varied and _follows(runs, key, group) for group in _groups(key) if group != key)
    ]
    return kept + [SEED] * (len(values(runs, SEED)) > 1)


def _groups(key: str) -> list[str]:
    parts = key.split(".")
    groups = [".".join(parts[:length]) for length in range(1, len(parts))]
    return [*groups, *{"split": ["dataset"], "model": ["method"]}.get(parts[0], [])]


def _follows(runs: Sequence[Run], key: str, group: str) -> bool:
    """Whether all runs with the same value of ``group`` have the same value of ``key``."""
    return all(
        len(values([run for run in runs if run.parameters.get(group) == value], key)) <= 1
        for value in values(runs, group)
    )


def values(runs: Iterable[Run], key: str) -> list[Any]:
    """The values of a parameter that occur, ascending."""
    occurring: list[Any] = []
    for run in runs:
        if key in run.parameters and run.parameters[key] not in occurring:
            occurring.append(run.parameters[key])
    return sorted(occurring, key=in_order)


def in_order(value: Any) -> tuple[int, float, str]:
    """A sort key for values of a parameter: numbers by size, then text, missing values last."""
    if value is None:
        return 2, 0.0, ""
    if isinstance(value, int | float):
        return 0, float(value), ""
    return 1, 0.0, str(value)


def shared_names(runs: Sequence[Run]) -> list[str]:
    """The names that all runs share, of dataset, split, setting, encoder and method."""
    return [str(runs[0].parameters[name]) for name in NAMES if len(values(runs, name)) == 1]


def select(runs: Sequence[Run], conditions: Sequence[str]) -> list[Run]:
    """The runs that have the values that ``KEY=VALUE`` conditions name.

    Raises:
        JoinGRError: If a condition has another form, or no run meets all conditions.
    """
    for condition in conditions:
        key, equals, wanted = condition.partition("=")
        if not equals:
            raise JoinGRError(f"A condition has the form KEY=VALUE, such as model.hops=3 (got {condition!r}).")
        there = values(runs, require_parameter(runs, key))
        runs = [run for run in runs if key in run.parameters and shown(run.parameters[key]) == wanted]
        if not runs:
            raise JoinGRError(f"No run has {condition}: of {key} there are {', '.join(map(shown, there))}.")
    return list(runs)


def require_parameter(runs: Sequence[Run], key: str) -> str:
    """Return a parameter that runs have.

    Raises:
        JoinGRError: If no run has it.
    """
    if not any(key in run.parameters for run in runs):
        raise JoinGRError(
            f"The runs have no parameter {key!r}; what differs among them: {', '.join(differing(runs)) or 'nothing'}."
        )
    return key


def shown(value: Any) -> str:
    """The text of a parameter's value in tables and figures."""
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def runs_as_json(runs: Sequence[Run]) -> dict[str, Any]:
    """Runs as plain values that :func:`collect` reads again: the parameters they share, and a row for each run."""
    keys = list(dict.fromkeys(key for run in runs for key in run.parameters))
    common = {
        key: runs[0].parameters[key]
        for key in keys
        if all(key in run.parameters and run.parameters[key] == runs[0].parameters.get(key) for run in runs)
    }
    return {
        "common": common,
        "runs": [
            {
                "run": run.place,
                "parameters": {key: value for key, value in run.parameters.items() if key not in common},
                "metrics": dict(run.metrics),
                **({"spread": dict(run.spread)} if run.spread else {}),
            }
            for run in runs
        ],
    }


def _read_collected(path: Path) -> list[Run]:
    content = _read_json(path)
    try:
        return [
            Run(
                {**content["common"], **row["parameters"]},
                row["metrics"],
                row.get("spread", {}),
                row["run"],
                float(number),
            )
            for number, row in enumerate(content["runs"])
        ]
    except (KeyError, TypeError) as error:
        raise JoinGRError(
            f"'{path}' holds no runs: a file of runs is what 'joingr compare --each --json FILE' writes."
        ) from error
