"""Many ask one saved retriever at the same time: are answers right, how long do they take, does memory stay flat?

``python benchmarks/load.py --json load.json`` asks 10,000 questions in each of four ways:

- ``threads``: ten threads of one process share a retriever that was loaded from its folder;
- ``processes``: four processes, each of which loads the folder;
- ``http``: ten clients of the official SDK ask one ``joingr serve --mcp --http``;
- ``stdio``: four clients, each of which starts a ``joingr serve --mcp`` of its own.

Half of the questions are asked for the second time. Each answer has to be, letter by letter, the one that the question
got when it was asked alone. A row holds:

- ``questions``, ``wrong``: how many were asked, and how many answers differed or failed;
- ``seconds``: from the first question to the last answer, on the clock;
- ``processor_ms``: time on the processor a question, servers included and clients too;
- ``p50_ms``, ``p95_ms``, ``p99_ms``, ``most_ms``: how long answers took on the clock, as percentiles;
- ``memory_mb``: memory of the processes that answer, after a tenth of the questions and at the end, summed.

Memory is read from ``/proc``, so this runs on Linux.
"""

import argparse
import asyncio
import hashlib
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from rich.console import Console
from rich.table import Table

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import CachedEncoder, HashingEncoder, MiniLMEncoder
from joingr_pyg.integrations.mcp_tools import SchemaTools
from joingr_pyg.progress import bar
from joingr_pyg.schema import Database
from joingr_pyg.schema.names.readable import readable_name

SCHEMA = files("joingr_pyg.datasets") / "demo" / "utility_dw" / "schema.sql"
K = 5
PATTERNS = ("Which {0} has the most {1}?", "How many {1} does each {0} have?", "{0} and {1} of last year, {2} first")

Asked = list[tuple[float, bool]]
"""Seconds that each answer took, and whether it was right."""


def make_questions(databases: Sequence[Database], count: int) -> list[str]:
    """Questions made of words of a schema, in a mixed order; each stands there twice."""
    draw = random.Random(0)
    words = [
        readable_name(part.name) for database in databases for table in database for part in (table, *table.columns)
    ]
    distinct: dict[str, None] = {}
    while len(distinct) < (count + 1) // 2:
        distinct[draw.choice(PATTERNS).format(*draw.sample(words, 3))] = None
    questions = (2 * list(distinct))[:count]
    draw.shuffle(questions)
    return questions


class Expected:
    """The answers that questions get one by one, as checksums."""

    def __init__(self, folder: Path, questions: Sequence[str]) -> None:
        self.by_question: dict[str, tuple[str, str]] = {}
        retriever = TableRetriever.load(folder)
        tools = SchemaTools(retriever)
        distinct = list(dict.fromkeys(questions))
        with bar("one by one", len(distinct), "question", leave=False) as shown:
            for question in distinct:
                answers = _answer(retriever, question), tools.find_tables(question, K)
                self.by_question[question] = _checksum(answers[0]), _checksum(answers[1])
                shown.update()

    def is_right(self, question: str, answer: str, over_mcp: bool) -> bool:
        """Whether an answer is the one that was given before."""
        return self.by_question[question][over_mcp] == _checksum(answer)


def _answer(retriever: TableRetriever, question: str) -> str:
    return retriever.retrieve(question, K).to_json()


def _checksum(answer: str) -> str:
    return hashlib.sha256(answer.encode()).hexdigest()


def by_threads(folder: Path, questions: Sequence[str], expected: Expected, threads: int) -> dict[str, Any]:
    """Ask from many threads of this process."""
    retriever = TableRetriever.load(folder)
    meter = Meter("threads", len(questions), [os.getpid()])

    def ask(question: str) -> None:
        begin = time.perf_counter()
        answer = _answer(retriever, question)
        meter.note(time.perf_counter() - begin, expected.is_right(question, answer, False))

    with meter, ThreadPoolExecutor(threads) as pool:
        list(pool.map(ask, questions))
    return meter.row()


def by_processes(folder: Path, questions: Sequence[str], expected: Expected, processes: int) -> dict[str, Any]:
    """Ask in several processes, each of which loads the folder."""
    context = get_context("spawn")
    ready, answers = context.Barrier(processes + 1), context.Queue()
    workers = [
        context.Process(target=_work, args=(folder, questions[number::processes], ready, answers))
        for number in range(processes)
    ]
    for worker in workers:
        worker.start()
    meter = Meter("processes", len(questions), [int(worker.pid or 0) for worker in workers])
    ready.wait()
    with meter:
        for _ in questions:
            question, seconds, answer = answers.get()
            meter.note(seconds, expected.is_right(question, answer, False))
        for worker in workers:
            worker.join()
    return meter.row()


def _work(folder: Path, questions: Sequence[str], ready: Any, answers: Any) -> None:
    retriever = TableRetriever.load(folder)
    _answer(retriever, "Which tables are there?")
    ready.wait()
    for question in questions:
        begin = time.perf_counter()
        answer = _answer(retriever, question)
        answers.put((question, time.perf_counter() - begin, answer))


def by_http(folder: Path, questions: Sequence[str], expected: Expected, clients: int) -> dict[str, Any]:
    """Ask one server over HTTP, by many clients."""
    command = [*_server(folder), "--http", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        url = next(line for line in server.stderr if "Serving at " in line).split()[2].rstrip(";")
        meter = Meter("http", len(questions), [server.pid])
        try:
            with meter:
                asyncio.run(_ask_all(meter, [Client(url) for _ in range(clients)], questions, expected))
                meter.look()
        finally:
            server.terminate()
    return meter.row()


def by_stdio(folder: Path, questions: Sequence[str], expected: Expected, clients: int) -> dict[str, Any]:
    """Ask several servers over standard input and output, each by the client that started it."""
    program, *arguments = _server(folder)
    meter = Meter("stdio", len(questions), [])

    async def run() -> None:
        before = _children()
        parameters = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
        made = [Client(parameters) for _ in range(clients)]

        def started() -> None:
            meter.answering = [child for child in _children() if child not in before]

        await _ask_all(meter, made, questions, expected, started)

    with meter:
        asyncio.run(run())
    return meter.row()


def _server(folder: Path) -> list[str]:
    return [sys.executable, "-m", "joingr_pyg", "serve", str(folder), "--mcp"]


async def _ask_all(
    meter: "Meter",
    clients: Sequence[Client],
    questions: Sequence[str],
    expected: Expected,
    started: Callable[[], None] = lambda: None,
) -> None:
    """Ask by all clients at the same time."""
    connected: asyncio.Event = asyncio.Event()
    waiting = len(clients)

    async def ask(client: Client, own: Sequence[str]) -> None:
        nonlocal waiting
        async with client:
            await client.list_tools()
            waiting -= 1
            if not waiting:
                started()
                meter.begin()
                connected.set()
            await connected.wait()
            for question in own:
                begin = time.perf_counter()
                result = await client.call_tool("find_tables", {"question": question, "k": K})
                seconds = time.perf_counter() - begin
                text = result.content[0].text
                meter.note(seconds, not result.is_error and expected.is_right(question, text, True))
            meter.look()

    tasks: list[Awaitable[None]] = [
        ask(client, questions[number :: len(clients)]) for number, client in enumerate(clients)
    ]
    await asyncio.gather(*tasks)


class Meter:
    """Notes how long answers take, whether they are right, and how much memory the processes that answer hold.

    Args:
        way: How questions are asked.
        total: How many there are.
        answering: The processes that answer.
    """

    def __init__(self, way: str, total: int, answering: Sequence[int]) -> None:
        self.way, self.total, self.answering = way, total, list(answering)
        self.asked: Asked = []
        self.memory: list[float] = []
        self._lock = threading.Lock()
        self._shown = bar(way, total, "question", leave=False)

    def __enter__(self) -> "Meter":
        self.begin()
        return self

    def begin(self) -> None:
        """Count time from now on."""
        self._begin, self._processor = time.perf_counter(), _processor_seconds(self.answering)

    def note(self, seconds: float, is_right: bool) -> None:
        """Note an answer."""
        with self._lock:
            self.asked.append((seconds, is_right))
            self._shown.update()
            if len(self.asked) in (max(1, self.total // 10), self.total):
                self.look()

    def look(self) -> None:
        """Look at time and memory, which cannot be told of processes that have ended."""
        self._seconds = time.perf_counter() - self._begin
        self._used = max(getattr(self, "_used", 0.0), _processor_seconds(self.answering) - self._processor)
        if len(self.memory) < 2:
            self.memory.append(sum(map(_memory_mb, self.answering)))

    def __exit__(self, *_: object) -> None:
        self._shown.close()

    def row(self) -> dict[str, Any]:
        """The figures."""
        times = sorted(1000 * seconds for seconds, _ in self.asked)
        return {
            "way": self.way,
            "questions": len(self.asked),
            "wrong": sum(not is_right for _, is_right in self.asked),
            "seconds": self._seconds,
            "processor_ms": 1000 * self._used / len(times),
            **{f"p{share}_ms": times[(len(times) - 1) * share // 100] for share in (50, 95, 99)},
            "most_ms": times[-1],
            "memory_mb": self.memory,
        }


def _memory_mb(process: int) -> float:
    """Memory that a process holds."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def _processor_seconds(processes: Sequence[int]) -> float:
    """Time on the processor of this process and others."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    used = own.ru_utime + own.ru_stime
    for process in processes:
        if process != os.getpid() and Path(f"/proc/{process}").exists():
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            used += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return used


def _children() -> list[int]:
    children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return [int(child) for task in children for child in task.read_text().split()]


WAYS = {"threads": (by_threads, 10), "processes": (by_processes, 4), "http": (by_http, 10), "stdio": (by_stdio, 4)}
"""How questions are asked, and by how many at the same time."""


def show(rows: Sequence[dict[str, Any]]) -> None:
    """Print the rows side by side."""
    table = Table()
    for number, heading in enumerate(["", *(row["way"] for row in rows)]):
        table.add_column(heading, justify="right" if number else "left")
    for key in list(rows[0])[1:]:
        values = (row[key] for row in rows)
        table.add_row(
            key, *(" to ".join(f"{mb:,.0f}" for mb in v) if key == "memory_mb" else f"{v:,.4g}" for v in values)
        )
    Console().print(table)


def main() -> None:
    """Save a retriever, ask it one by one, and then by many."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=10_000, help="questions in each way (default: %(default)s)")
    parser.add_argument("--encoder", choices=["hashing", "minilm"], default="minilm", help="default: %(default)s")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), help="how to ask; all by default")
    parser.add_argument("--at-once", type=int, help="how many ask at the same time, in place of ten or four")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["JOINGR_CACHE"] = str(Path(temporary) / "cache")
        folder = Path(temporary) / "saved"
        encoder = CachedEncoder(HashingEncoder() if options.encoder == "hashing" else MiniLMEncoder())
        TableRetriever.from_ddl(str(SCHEMA), encoder).save(folder)
        questions = make_questions(TableRetriever.load(folder).databases, options.questions)
        expected = Expected(folder, questions)
        rows = [
            ask(folder, questions, expected, options.at_once or many)
            for ask, many in map(WAYS.__getitem__, options.ways)
        ]
    show(rows)
    if options.json:
        options.json.write_text(json.dumps({"encoder": options.encoder, "rows": rows}, indent=2))
    if any(row["wrong"] for row in rows):
        sys.exit("Some answers are not those that the questions got one by one.")


if __name__ == "__main__":
    main()
