"""Speed and memory of the walk: ``python benchmarks/walk.py [--datasets beaver bird synthetic] [--json FILE]``.

Compares the literal Algorithm 2, a simple dense vectorisation, all implementations of the layer, and personalised
PageRank. All methods score all tables for questions whose anchors and best columns are given. ``retriever`` also finds
these and returns the best tables. ``retriever_plus`` does the same with JoinGR+, whose phrases are encoded beforehand,
and ``retriever_plus_new`` with texts that it has not processed before; synthetic questions have no texts for these two.
Measured are evaluation and, if a method can be trained, a training step with hinge loss and Adam.

Each method runs in its own process with the same number of threads. The processes of a dataset take turns, so that
other load on the machine affects all of them equally. Speeds are medians over the rounds. Memory is the peak of the
process minus its memory before the method was set up. Methods that process questions one by one are measured on few
questions. On a machine with other load use ``--threads 1``, since threads then often wait for each other.
"""

import argparse
import gc
import itertools
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from ctypes import CDLL
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import torch
from rich.console import Console
from rich.table import Table
from walk_methods import METHODS, Setting, Workload

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.datasets import DATASETS, JoinGraphs
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.testing.synthetic import synthetic_corpus, synthetic_questions
from joingr_pyg.text.phrases import phrases

CHANNELS = 384
SYNTHETIC_TABLES = 1000
SYNTHETIC_QUESTIONS = 256
ONE_BY_ONE_QUESTIONS = 4
REST = 0.25
"""Seconds of pause before a turn, since OpenMP threads of the turn before may busy-wait for 0.2 seconds."""

SECONDS_PER_TURN = 0.3
"""Batches are repeated for this many seconds."""

SPLITS = {"beaver": "dev", "bird": "dev", "demo": "test"}
MODES = ("eval", "train")


def load(name: str, cache: Path) -> Workload:
    """Read a dataset, or draw one.

    Raises:
        JoinGRError: If its files are not where ``JOINGR_DATA`` says.
    """
    if name == "synthetic":
        corpus = synthetic_corpus(SYNTHETIC_TABLES, dim=CHANNELS)
        return Workload(name, corpus, synthetic_questions(corpus, SYNTHETIC_QUESTIONS), _random_gold(corpus))
    # Speed does not depend on the quality of embeddings.
    encoder = CachedEncoder(HashingEncoder(CHANNELS), cache / "embeddings")
    root = os.environ.get("JOINGR_DATA", "")
    if name != "demo" and not root:
        raise JoinGRError(f"Dataset {name!r} is read from the folder that the environment variable JOINGR_DATA names.")
    dataset: JoinGraphs = DATASETS[name](root or ".", SPLITS[name], encoder, cache, download=False)
    corpus = dataset.corpus()
    gold = torch.zeros(len(dataset.questions), corpus.num_tables, dtype=torch.bool)
    for row, question in zip(gold, dataset.questions, strict=True):
        row[[corpus.table_number[table] for table in question.gold]] = True
    queries = dataset.encode_questions()
    every = list(dict.fromkeys(phrase for text in queries.text for phrase in phrases(text)))
    vectors = dict(zip(every, encoder.encode_queries(every), strict=True))
    return Workload(name, corpus, queries.vector, gold, queries.text, vectors)


def _random_gold(corpus: Corpus) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    gold = torch.zeros(SYNTHETIC_QUESTIONS, corpus.num_tables, dtype=torch.bool)
    return gold.scatter(1, torch.randint(corpus.num_tables, (SYNTHETIC_QUESTIONS, 2), generator=generator), True)


class Turn(NamedTuple):
    """The result of a method's turn at a batch size: seconds per question, and peak memory in MB if known."""

    seconds: float
    peak_mb: float | None


def work(pipe: Connection, method: str, file: str, threads: int) -> None:
    """The main function of a method's process: set up the method, then measure turns until ``None`` is received."""
    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    workload = torch.load(file, weights_only=False)
    setting = Setting(workload)
    _ = setting.evidence
    held = _memory("VmRSS")
    try:
        runs = METHODS[method].prepare(setting)
    except Exception as error:
        pipe.send(str(error) or type(error).__name__)
        return
    pipe.send(tuple(runs))
    order, done = torch.randperm(len(workload.query), generator=torch.Generator().manual_seed(0)), 0
    while turn := pipe.recv():
        mode, batch = turn
        batch = min(batch, ONE_BY_ONE_QUESTIONS) if METHODS[method].one_by_one else batch
        try:
            _reset_peak()
            begin, questions = time.perf_counter(), 0
            while not questions or time.perf_counter() - begin < SECONDS_PER_TURN:
                runs[mode](order[torch.arange(done, done + batch) % len(order)])
                done, questions = done + batch, questions + batch
            seconds = (time.perf_counter() - begin) / questions
            peak = _memory("VmHWM")
            pipe.send(Turn(seconds, None if peak is None or held is None else max(peak - held, 0.0)))
        except Exception as error:
            pipe.send(f"{mode} at batch {batch}: {error or type(error).__name__}")


def _memory(field: str) -> float | None:
    """Resident memory of this process in MB, current (``VmRSS``) or peak (``VmHWM``); ``None`` except on Linux."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
    return None


def _reset_peak() -> None:
    """Free memory of earlier turns, and reset the peak."""
    gc.collect()
    with suppress(OSError, AttributeError):
        CDLL("libc.so.6").malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")


class Worker:
    """The process of a method, controlled by the main process.

    Args:
        method: Name of the method.
        file: File with the workload.
        threads: Number of threads.

    Attributes:
        troubles: Reasons why measurements failed.
    """

    def __init__(self, method: str, file: str, threads: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.method = method
        self.troubles: list[str] = []
        self._turns: dict[tuple[str, int], list[Turn]] = {}
        self._failed: set[tuple[str, int]] = set()
        self._modes: tuple[str, ...] | None = None
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=work, args=(other, method, file, threads), daemon=True)
        self._process.start()
        other.close()

    def take_turn(self, mode: str, batch: int, counts: bool) -> None:
        """Measure the method once, if it has the mode and has not failed before."""
        if self._modes is None:
            self._modes = self._receive(tuple) or ()
        if mode not in self._modes or (mode, batch) in self._failed:
            return
        self._pipe.send((mode, batch))
        turn = self._receive(Turn)
        if turn is None:
            self._failed.add((mode, batch))
        elif counts:
            self._turns.setdefault((mode, batch), []).append(turn)

    def result(self, mode: str, batch: int) -> Turn | None:
        """The medians of the counted turns."""
        turns = self._turns.get((mode, batch))
        if not turns:
            return None
        peaks = [turn.peak_mb for turn in turns if turn.peak_mb is not None]
        return Turn(statistics.median(turn.seconds for turn in turns), statistics.median(peaks) if peaks else None)

    def close(self) -> None:
        """End the process."""
        with suppress(OSError):
            self._pipe.send(None)
        self._process.join()

    def _receive(self, kind: type) -> Any:
        try:
            answer = self._pipe.recv()
        except EOFError:
            self._process.join()
            answer = f"since its process ended with exit code {self._process.exitcode}"
            self._modes = ()
        if isinstance(answer, kind):
            return answer
        self.troubles.append(str(answer))
        return None


def measure(
    workload: Workload, methods: Sequence[str], batches: Sequence[int], rounds: int, threads: int, console: Console
) -> list[dict[str, Any]]:
    """Measure methods on a dataset: one row per method, mode and batch size."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "workload.pt")
        torch.save(workload, file)
        workers = [Worker(method, file, threads) for method in methods]
        for mode, batch in itertools.product(MODES, batches):
            # The first turn compiles code and fills caches, so it does not count.
            for number in range(rounds + 1):
                console.print(f"{workload.name}: {mode}, batch {batch}, round {number} of {rounds}")
                for worker in workers:
                    time.sleep(REST)
                    worker.take_turn(mode, batch, counts=number > 0)
        for worker in workers:
            worker.close()
            for trouble in worker.troubles:
                console.print(f"{workload.name}: {worker.method} was not measured, {trouble}.", style="red")
    rows = []
    for mode, batch in itertools.product(MODES, batches):
        results = {worker.method: worker.result(mode, batch) for worker in workers}
        yardstick = results.get("literal")
        rows += [
            {
                "dataset": workload.name,
                "method": method,
                "mode": mode,
                "batch": batch,
                "threads": threads,
                "questions_per_s": 1 / result.seconds,
                "ratio_to_literal": yardstick.seconds / result.seconds if yardstick else None,
                "peak_mb": result.peak_mb,
            }
            for method, result in results.items()
            if result
        ]
    return rows


def table(rows: Sequence[dict[str, Any]]) -> Table:
    """The rows as a table."""
    grid = Table(title="The walk: questions a second")
    for name in ("dataset", "mode", "batch", "method"):
        grid.add_column(name, no_wrap=True)
    for name in ("questions/s", "x literal", "peak MB"):
        grid.add_column(name, justify="right")
    for group, members in itertools.groupby(rows, key=lambda row: (row["dataset"], row["mode"], row["batch"])):
        for row in members:
            ratio, peak = row["ratio_to_literal"], row["peak_mb"]
            grid.add_row(
                *map(str, group),
                row["method"],
                f"{row['questions_per_s']:,.1f}",
                "" if ratio is None else f"{ratio:,.1f}",
                "" if peak is None else f"{peak:,.0f}",
            )
        grid.add_section()
    return grid


def installed(names: Sequence[str] | None, console: Console) -> list[str]:
    """The given methods, or all methods whose packages are installed.

    Raises:
        JoinGRError: If a given method needs a package that is not installed.
    """
    missing = {name: METHODS[name].needs for name in names or METHODS if find_spec(METHODS[name].needs) is None}
    for name, package in missing.items():
        message = f"Method {name!r} needs {package}, which is not installed: pip install {package.replace('_', '-')}."
        if names:
            raise JoinGRError(message)
        console.print(message)
    return [name for name in METHODS if name in (names or METHODS) and name not in missing]


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    datasets, default = ["beaver", "bird", "synthetic", "demo"], ["beaver", "bird", "synthetic"]
    parser.add_argument("--datasets", nargs="+", choices=datasets, default=default, metavar="NAME", help=f"{datasets}")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), metavar="NAME", help=f"{list(METHODS)}")
    parser.add_argument("--batches", nargs="+", type=_positive, default=[1, 32, 256], metavar="B", help="batch sizes")
    parser.add_argument("--rounds", type=_positive, default=5, help="rounds that the medians are taken over")
    parser.add_argument("--threads", type=_positive, default=os.cpu_count(), help="threads of every method")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file to write the rows to")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"needs to be a whole number of at least 1 (got {text!r})")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the table and write the JSON file."""
    options, console = _arguments(arguments), Console()
    cache = Path(os.environ.get("JOINGR_CACHE", "~/.cache/joingr_pyg")).expanduser()
    # BLAS and OpenMP read these variables in the processes started below.
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(options.threads))
    try:
        if options.json and not options.json.parent.is_dir():
            raise JoinGRError(f"The folder '{options.json.parent}' of the file to write does not exist.")
        methods = installed(options.methods, console)
        workloads = [load(name, cache) for name in dict.fromkeys(options.datasets)]
    except JoinGRError as error:
        sys.exit(f"walk.py: {error}")
    rows: list[dict[str, Any]] = []
    for workload in workloads:
        rows += measure(workload, methods, options.batches, options.rounds, options.threads, console)
        if options.json:
            options.json.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    console.print(table(rows))


if __name__ == "__main__":
    main()
