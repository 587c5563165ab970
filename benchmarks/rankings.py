"""Record the rankings of all methods, and compare two records, to see whether a change of code changes results.

::

    python benchmarks/rankings.py write before.json --checkpoints best.ckpt
    python benchmarks/rankings.py write after.json --checkpoints best.ckpt   # with the changed code
    python benchmarks/rankings.py compare before.json after.json

``write`` runs ``evaluate.py`` of this checkout for each method, checkpoint and dataset, once with compiled code and
once without numba (tensors), and records the first 25 tables of each question with their scores. On a dataset without a
training split, methods are evaluated fold by fold, so that they can remember the questions of other folds. A method
that cannot run, for example because its weights are missing, is reported and skipped.

``compare`` prints one line per method, dataset and path. Tables with equal scores may be in any order.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
EVALUATE = ROOT / "evaluate.py"
METHODS = sorted(path.stem for path in (ROOT / "conf" / "method").glob("*.yaml"))

FOLDS = {"beaver": 5}
"""Folds of the datasets without a training split."""

CUT_OFFS = (5, 15, 25)
"""Numbers of first tables that are compared. The largest is the number of recorded tables."""

RELATIVE_TOLERANCE = 1e-4
ABSOLUTE_TOLERANCE = 2e-6
"""Scores that differ by less are equal. ``evaluate.py`` writes six decimals."""

WITHOUT_NUMBA = (
    "import runpy, sys; sys.modules['numba'] = None; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
)
PATHS: dict[str, tuple[str, ...]] = {"compiled": (), "tensors": ("-c", WITHOUT_NUMBA)}
"""The code paths, with the options of the Python interpreter that select them."""


class RankingsError(Exception):
    """A record cannot be written, or is not one."""


@dataclass(frozen=True)
class Rankings:
    """The rankings of one method for all questions of a dataset.

    Attributes:
        method: Name of the method, or the checkpoint.
        dataset: Name of the dataset.
        path: One of :data:`PATHS`.
        questions: The questions' numbers in the dataset.
        tables: For each question, its tables, best first.
        scores: For each question, the scores of these tables.
    """

    method: str
    dataset: str
    path: str
    questions: list[int]
    tables: list[list[str]]
    scores: list[list[float]]

    @property
    def name(self) -> str:
        return f"{self.dataset} {self.method} {self.path}"


def record(
    datasets: Sequence[str], methods: Sequence[str], checkpoints: Sequence[str], overrides: Sequence[str]
) -> Iterator[Rankings]:
    """Rank with methods and checkpoints on datasets, on both paths.

    Args:
        datasets: Names of datasets.
        methods: Names of methods.
        checkpoints: Files that ``train.py`` wrote.
        overrides: Further overrides for ``evaluate.py``, such as ``encoder=hashing``.
    """
    # A quoted path may hold characters that have a meaning in an override.
    weights = ",".join(f'"{path}"' for path in checkpoints)
    for path in PATHS:
        for dataset in datasets:
            if methods:
                # Checkpoints keep what they remember, so only methods are evaluated fold by fold.
                folds = [f"folds={FOLDS[dataset]}"] if dataset in FOLDS else []
                yield from _sweep(path, [f"method={','.join(methods)}", f"dataset={dataset}", *folds, *overrides])
            if checkpoints:
                yield from _sweep(path, [f"checkpoint={weights}", f"dataset={dataset}", *overrides])


def _sweep(path: str, overrides: Sequence[str]) -> Iterator[Rankings]:
    """Run one sweep of ``evaluate.py`` and read what its finished jobs left."""
    with TemporaryDirectory() as folder:
        protocol = [f"ks=[{','.join(map(str, CUT_OFFS))}]", "progress=false", f"hydra.sweep.dir={folder}"]
        # The package is that of this checkout, wherever another one is installed.
        search_path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        # evaluate.py names the jobs that fail; those that do not are recorded.
        subprocess.run(
            [sys.executable, *PATHS[path], str(EVALUATE), "-m", *overrides, *protocol],
            env={**os.environ, "PYTHONPATH": search_path},
            stdout=subprocess.DEVNULL,
            check=False,
        )
        for metrics in sorted(Path(folder).glob("*/metrics.json"), key=lambda path: int(path.parent.name)):
            summary = json.loads(metrics.read_text(encoding="utf-8"))
            lines = (metrics.parent / "questions.jsonl").read_text(encoding="utf-8").splitlines()
            questions = [json.loads(line) for line in lines]
            yield Rankings(
                method=summary["checkpoint"] or summary["method"],
                dataset=summary["dataset"],
                path=path,
                questions=[question["index"] for question in questions],
                tables=[[ranked["table"] for ranked in question["ranked"]] for question in questions],
                scores=[[ranked["score"] for ranked in question["ranked"]] for question in questions],
            )


def write(file: Path, rankings: Iterable[Rankings]) -> None:
    """Write a record; each table's name is written once.

    Raises:
        RankingsError: If nothing was ranked, or the file's folder does not exist.
    """
    if not file.absolute().parent.is_dir():
        raise RankingsError(f"'{file}' cannot be written: its folder does not exist.")
    numbers: dict[str, int] = {}
    entries = []
    for one in rankings:
        tables = [[numbers.setdefault(table, len(numbers)) for table in tables] for tables in one.tables]
        entries.append({**asdict(one), "tables": tables})
        print(f"{one.name}: {len(one.questions)} questions", flush=True)
    if not entries:
        raise RankingsError(f"Nothing could be ranked, so '{file}' is not written.")
    partial = file.with_name(f"{file.name}.partial")
    partial.write_text(
        json.dumps({"tables": list(numbers), "rankings": entries}, separators=(",", ":")), encoding="utf-8"
    )
    partial.replace(file)


def read(file: Path) -> dict[str, Rankings]:
    """Read a record, by the names of its rankings.

    Raises:
        RankingsError: If the file is missing or was not written by :func:`write`.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        names = content["tables"]
        every = [
            Rankings(**{**entry, "tables": [[names[number] for number in tables] for tables in entry["tables"]]})
            for entry in content["rankings"]
        ]
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise RankingsError(f"'{file}' is not a record of rankings ({error}): write one with 'write'.") from error
    return {one.name: one for one in every}


def compare(first: Mapping[str, Rankings], second: Mapping[str, Rankings]) -> bool:
    """Print how far two records agree; returns whether they agree wholly."""
    agree = True
    for name in dict.fromkeys([*first, *second]):
        if name not in first or name not in second:
            print(f"DIFFERS  {name}: only in the {'first' if name in first else 'second'} record")
            agree = False
            continue
        a, b = first[name], second[name]
        if a.questions != b.questions:
            print(f"DIFFERS  {name}: {len(a.questions)} and {len(b.questions)} questions, not the same ones")
            agree = False
            continue
        rows = list(zip(a.tables, a.scores, b.tables, b.scores, strict=True))
        same_places = [agreeing_places(*row) for row in rows]
        counts = [sum(places >= k for places in same_places) for k in CUT_OFFS]
        apart = max((abs(x - y) for _, left, _, right in rows for x, y in zip(left, right, strict=False)), default=0.0)
        same = counts[-1] == len(rows)
        agree &= same
        print(
            f"{'same   ' if same else 'DIFFERS'}  {name}: {len(rows)} questions, first {'/'.join(map(str, CUT_OFFS))} "
            f"tables the same for {'/'.join(map(str, counts))}, scores at most {apart:.2g} apart"
        )
    return agree


def agreeing_places(
    tables: Sequence[str], scores: Sequence[float], other_tables: Sequence[str], other_scores: Sequence[float]
) -> int:
    """Number of first ranks on which two rankings of a question agree; the largest cut-off if they agree on all.

    Rankings agree on a rank if the scores are equal, and the tables are the same or are tied in both rankings. A table
    may be tied with tables beyond the recorded ones, whose scores are at most the last recorded score.
    """
    score_of = dict(zip(tables, scores, strict=True))
    other_score_of = dict(zip(other_tables, other_scores, strict=True))
    places = min(len(tables), len(other_tables))
    for place in range(places):
        table, score, other_table, other_score = tables[place], scores[place], other_tables[place], other_scores[place]
        tied = _equal(score, score_of.get(other_table, _score_cut_off(scores))) and _equal(
            other_score, other_score_of.get(table, _score_cut_off(other_scores))
        )
        if not _equal(score, other_score) or not (table == other_table or tied):
            return place
    return max(CUT_OFFS) if len(tables) == len(other_tables) else places


def _score_cut_off(scores: Sequence[float]) -> float:
    """The highest possible score of a table that is not recorded; NaN if all ranked tables are recorded."""
    return scores[-1] if len(scores) == max(CUT_OFFS) else math.nan


def _equal(a: float, b: float) -> bool:
    return abs(a - b) <= RELATIVE_TOLERANCE * max(abs(a), abs(b)) + ABSOLUTE_TOLERANCE


def main(arguments: Sequence[str] | None = None) -> None:
    """Write or compare; comparing ends with status 1 if anything differs."""
    summary = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(description=summary)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write", help="record the rankings of this checkout")
    writing.add_argument("file", type=Path)
    writing.add_argument("--datasets", nargs="*", default=["demo", "beaver", "bird"])
    writing.add_argument("--methods", nargs="*", default=METHODS, choices=METHODS)
    writing.add_argument("--checkpoints", nargs="*", default=[])
    writing.add_argument("--overrides", nargs="*", default=[], help="further overrides for evaluate.py")
    comparing = commands.add_parser("compare", help="compare two records")
    comparing.add_argument("files", nargs=2, type=Path)
    options = parser.parse_args(arguments)
    try:
        if options.command == "compare":
            sys.exit(0 if compare(*map(read, options.files)) else 1)
        if find_spec("numba") is None:
            raise RankingsError("Compiled code needs numba: pip install 'joingr-pyg[kernels]'.")
        write(options.file, record(options.datasets, options.methods, options.checkpoints, options.overrides))
    except RankingsError as error:
        sys.exit(f"rankings.py: {error}")


if __name__ == "__main__":
    main()
