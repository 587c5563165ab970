"""How long a question takes, end to end: ``python benchmarks/latency.py DATA/real_schemas/fineract``.

The folder holds ``schema.json`` and ``questions.jsonl``. The schema is indexed, and its questions are asked one by
one, as a user asks: encoding, ranking, explanation, joins. Printed are the median and the least time of

- a new question, of which nothing is in any cache;
- the same question asked again;
- ``joingr ask INDEX QUESTION`` as a new process, from its start to its end;
- where a schema file is named behind the folder, ``joingr ask FILE QUESTION``, the first time and again.

Beside the time on the clock stands the time on the processor, which other programs on the machine disturb less.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from joingr_pyg import TableRetriever
from joingr_pyg.schema import read_schema_json
from joingr_pyg.schema.preparation import Preparation

Measured = list[tuple[float, float]]
"""Seconds on the clock and on the processor, of each run."""


def main(folder: str, file: str | None = None, processes: int = 3) -> None:
    """Measure and print.

    Args:
        folder: Folder of the schema and its questions.
        file: A file of SQL statements.
        processes: How often ``joingr ask`` is started.
    """
    lines = (Path(folder) / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["JOINGR_CACHE"] = cache
        database, _ = read_schema_json(Path(folder) / "schema.json")
        preparation = Preparation()
        retriever = TableRetriever(preparation((database,)), preparation=preparation)
        tables = retriever.corpus.num_tables
        print(f"{tables} tables, {len(retriever.corpus.columns):,} columns, {len(questions)} questions")

        def ask(question: str) -> None:
            _ = retriever.retrieve(question).joins

        ask("Which tables are there?")  # Loads the encoder and the compiled code.
        _show("new question", measured(ask, questions))
        _show("seen question", measured(ask, questions))
        retriever.save(Path(cache) / "index")
        cold = [f"{number}: which are new?" for number in range(processes)]
        _show("joingr ask INDEX", measured(_start(f"{cache}/index"), cold))
        if file is not None:
            first, *again = measured(_start(file), ["Which were the first?", *cold])
            _show("joingr ask FILE", [first])
            _show("again", again)


def _start(source: str) -> Callable[[str], None]:
    """Ask a source by a new process."""
    command = [sys.executable, "-m", "joingr_pyg", "ask", source]

    def ask(question: str) -> None:
        subprocess.run([*command, question], check=True, stdout=subprocess.DEVNULL)

    return ask


def measured(ask: Callable[[str], None], questions: Iterable[str]) -> Measured:
    """How long each question takes."""
    times = []
    for question in questions:
        clock, processor = time.perf_counter(), _processor_seconds()
        ask(question)
        times.append((time.perf_counter() - clock, _processor_seconds() - processor))
    return times


def _processor_seconds() -> float:
    """Of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _show(what: str, times: Measured) -> None:
    clock, processor = ([1000 * each[part] for each in times] for part in (0, 1))
    print(
        f"{what:17} clock: median {median(clock):8.1f} ms, least {min(clock):8.1f} ms   "
        f"processor: median {median(processor):8.1f} ms, least {min(processor):8.1f} ms"
    )


if __name__ == "__main__":
    main(*sys.argv[1:3])
