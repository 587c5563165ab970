"""How the time of a question and the memory of a corpus grow with its tables.

``python benchmarks/scale.py --json scale.json --plot docs/scale.png``

Corpora are synthetic (:mod:`joingr_pyg.testing.synthetic`), questions are asked one at a time, and every time is a
median over them. Scorers are untrained, which changes no time. JoinGR+ is measured up to ``--plus-tables``, JoinGR
beyond ``--memory-tables`` over parts on disk, and over such parts on actors, too, with ``--actors``. A row holds:

- ``model``, ``actors``, ``storage``: ``joingr`` or ``joingr_plus``; Ray actors, 0 for one process; ``memory`` or
  ``disk``, where vectors stay there in half precision;
- ``tables``, ``columns``, ``joins``, ``databases``: the size of the corpus;
- ``build_s``: seconds from schemas with their vectors to the first answer (graphs, corpus, index, projections), or to
  files on disk, then vectors included;
- ``open_s``: seconds from files on disk to the first answer;
- ``walk_ms``: a question whose anchors were searched before: walks, sums and ranking; of JoinGR+ the walks alone;
- ``walk_edges``, ``walk_tables``: edges that the walks of a question score and tables they reach, on average;
- ``question_ms``: a question from its vectors to the ranking, of JoinGR over the approximate index;
- ``exact_question_ms``: the same over the exact index;
- ``anchor_recall``: share of the exact anchors that the approximate index finds; JoinGR+ has exact ones;
- ``peak_gb``: most memory the process ever held, drawing the vectors included; over files on disk, after they were
  written, actors included. Each row has a process of its own.

A second table compares ``model.rank`` with ``TableRetriever.retrieve``, which also explains the tables that it finds.
Both answer the same questions for the best five tables, after each question was asked once, so embeddings and readings
are kept; texts are embedded by hashing, and times are medians over questions, on one thread. A row holds:

- ``model``, ``tables``: ``joingr_plus`` or ``joingr``, both with scorers, and the size of the corpus;
- ``rank_ms``: the ranking of a question whose vector is given;
- ``retrieve_ms``: the answer to a question given as text, explanations included;
- ``ratio``: how many times ``rank_ms`` that is.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
from numpy import zeros_like
from rich.console import Console
from rich.table import Table
from scale_measures import (
    CANDIDATES,
    DIM,
    TOP,
    FixedIndex,
    median_ms,
    peak_gb,
    question_texts,
    recall,
    sizes_of,
    use_threads,
)
from scale_parts import measure_parts, write_parts
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.models import JoinGRPlus, TrainableRetriever
from joingr_pyg.models.anchors import ColumnIndex
from joingr_pyg.models.joingr import JoinGR, backend
from joingr_pyg.models.joingr_plus.compiled import CompiledBackend
from joingr_pyg.retrieval import TableRetriever
from joingr_pyg.testing.synthetic import synthetic_databases, synthetic_graphs, synthetic_questions, synthetic_vectors

TABLES = (1_000, 10_000, 100_000)
PLUS_TABLES = 10_000
MEMORY_TABLES = 100_000
PART_TABLES = 100_000
ANSWERED_TABLES = (2_000, 10_000)
FOUND = 5


def measure(num_tables: int, num_questions: int, threads: int) -> dict[str, Any]:
    """Build a corpus of one size in memory and ask JoinGR."""
    use_threads(threads)
    # The path of large corpora at every size, so that sizes compare.
    backend.LARGE_CORPUS = 0
    torch.manual_seed(0)
    corpus, start = _corpus(num_tables)
    model = JoinGR(DIM).eval().index(corpus)
    if model.columns.kind != "approximate":  # Small corpora are searched exactly unless asked otherwise.
        model.columns = ColumnIndex(corpus, "approximate")
    approximate = model.columns
    # Questions of its own for every measurement: none finds prepared what another one asked for.
    first, *sets = synthetic_questions(corpus, 1 + 3 * num_questions).split([1, *[num_questions] * 3])
    model.rank(Queries(first), TOP)
    build = time.perf_counter() - start

    exact = ColumnIndex(corpus, "exact")
    walk = _median_ms(model, sets[0], [FixedIndex(approximate.search(query, CANDIDATES)) for query in sets[0].split(1)])
    question = _median_ms(model, sets[1], [approximate] * num_questions)
    exact_question = _median_ms(model, sets[2], [exact] * num_questions)
    best, found = (index.search(sets[2], model.anchors).table for index in (exact, approximate))
    return {
        "model": model.kind,
        "actors": 0,
        "storage": "memory",
        **sizes_of(corpus),
        "build_s": build,
        "walk_ms": walk,
        **_reached(model, best),
        "question_ms": question,
        "exact_question_ms": exact_question,
        "anchor_recall": recall(best, found),
        "peak_gb": peak_gb(),
    }


def measure_plus(num_tables: int, num_questions: int, threads: int) -> dict[str, Any]:
    """Build a corpus of one size in memory and ask JoinGR+; the vectors of questions and phrases are at hand."""
    use_threads(threads)
    torch.manual_seed(0)
    corpus, start = _corpus(num_tables)
    model = JoinGRPlus(DIM).eval().index(corpus)
    encoder = CachedEncoder(HashingEncoder(DIM), progress=False)
    texts = question_texts(synthetic_databases(num_tables), 1 + num_questions)
    first, queries = (Queries.encode(own, encoder) for own in (texts[:1], texts[1:]))
    encoder.encode_queries([text for question in texts for text in model.question_texts(question)])
    model.rank(first, TOP)
    build = time.perf_counter() - start
    asked = list(queries.split(1))
    question = median_ms(partial(model.rank, k=TOP), asked)
    compiled = model.backend(queries.vector.device)
    assert isinstance(compiled, CompiledBackend)
    scored = [compiled.explained(query, TOP)._scored for query in asked]
    starts = [
        (one.edge_potential, one.table_potential, one.seed, one.seed_deposit, zeros_like(one.scores)) for one in scored
    ]
    walk = median_ms(lambda arguments: compiled._walk.add(*arguments), starts)
    return {
        "model": model.kind,
        "actors": 0,
        "storage": "memory",
        **sizes_of(corpus),
        "build_s": build,
        "walk_ms": walk,
        **_reached(model, torch.cat([torch.from_numpy(one.seed) for one in scored])),
        "question_ms": question,
        "exact_question_ms": question,
        "anchor_recall": 1.0,
        "peak_gb": peak_gb(),
    }


def _corpus(num_tables: int) -> tuple[Corpus, float]:
    """A synthetic corpus, and when its vectors were drawn."""
    databases = synthetic_databases(num_tables)
    vectors = synthetic_vectors(databases, dim=DIM)
    start = time.perf_counter()
    return Corpus.from_graphs(synthetic_graphs(databases, *vectors)), start


def _reached(model: JoinGR | JoinGRPlus, anchors: Tensor) -> dict[str, float]:
    """What walks from anchors ``[Q, A]`` meet, on average."""
    corpus, count = model.corpus, len(anchors)
    planner = model.walk.planner(corpus.edge_index, corpus.num_tables)
    plan = planner(anchors.flatten(), torch.arange(count).repeat_interleave(anchors.size(1)), count)
    pairs = (plan.query * corpus.num_tables + plan.neighbor).unique()
    return {"walk_edges": len(plan) / count, "walk_tables": pairs.numel() / count}


def measure_answers(num_tables: int, num_questions: int) -> list[dict[str, Any]]:
    """Compare rankings and explained answers of both models over a corpus of one size, on one thread."""
    use_threads(1)
    databases = synthetic_databases(num_tables)
    encoder = CachedEncoder(HashingEncoder(DIM), progress=False)
    questions = question_texts(databases, num_questions)
    rows = []
    for model in (JoinGRPlus(DIM), JoinGR(DIM)):
        torch.manual_seed(0)
        retriever = TableRetriever(databases, encoder, model)
        queries = list(Queries.encode(questions, encoder).split(1))
        for question, query in zip(questions, queries, strict=True):
            ranking, answer = model.rank(query, FOUND), retriever.retrieve(question, FOUND)
            names = [retriever.corpus.tables[table] for table in ranking.table[0].tolist()]
            if names != [(table.database, table.table) for table in answer]:
                raise RuntimeError(f"'rank' and 'retrieve' differ for {question!r}.")
        rank = median_ms(partial(model.rank, k=FOUND), queries)
        retrieve = median_ms(partial(retriever.retrieve, k=FOUND), questions)
        rows.append(
            {
                "model": model.kind,
                "tables": retriever.corpus.num_tables,
                "rank_ms": rank,
                "retrieve_ms": retrieve,
                "ratio": retrieve / rank,
            }
        )
    return rows


def _median_ms(model: TrainableRetriever, questions: Tensor, indexes: Sequence[Any]) -> float:
    """Median time of ranking one question after the other, each over its index."""
    rest = iter(indexes)

    def answer(query: Tensor) -> None:
        model.columns = next(rest)
        model.rank(Queries(query), TOP)

    return median_ms(answer, questions.split(1))


def show_answers(rows: Sequence[dict[str, Any]]) -> None:
    """Print the times of rankings and answers."""
    table = Table()
    for key in rows[0]:
        table.add_column(key, justify="left" if key == "model" else "right")
    for row in rows:
        table.add_row(*(f"{value:,.2f}" if isinstance(value, float) else str(value) for value in row.values()))
    Console().print(table)


def show(rows: Sequence[dict[str, Any]]) -> None:
    """Print the rows side by side, and how much slower a walk of JoinGR became from the first to the last in memory."""
    table = Table()
    for number, heading in enumerate(["tables", *(f"{row['tables']:,}" for row in rows)]):
        table.add_column(heading, justify="right" if number else "left")
    for key in dict.fromkeys(key for row in rows for key in row if key != "tables"):
        table.add_row(key, *(_shown(row.get(key, "")) for row in rows))
    console = Console()
    console.print(table)
    walked = [row for row in rows if (row["model"], row["storage"]) == ("joingr", "memory")]
    if walked:
        first, last = walked[0], walked[-1]
        growth = last["walk_ms"] / first["walk_ms"]
        console.print(f"From {first['tables']:,} to {last['tables']:,} tables, a walk's time grows {growth:.2f} times.")


def _shown(value: object) -> str:
    return f"{value:,.3g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def plot(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw times over tables, both axes logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4), layout="constrained")
    for model, storage, key, label, style in (
        ("joingr_plus", "memory", "question_ms", "JoinGR+, question", "s-"),
        ("joingr", "memory", "exact_question_ms", "JoinGR, question, exact index", "o--"),
        ("joingr", "memory", "question_ms", "JoinGR, question, approximate index", "o-"),
        ("joingr", "disk", "question_ms", "the same, vectors on disk", "^-"),
        ("joingr", "memory", "walk_ms", "JoinGR, the walk alone", "o:"),
    ):
        own = [row for row in rows if (row["model"], row["storage"], row["actors"]) == (model, storage, 0)]
        if own:
            axes.loglog([row["tables"] for row in own], [row[key] for row in own], style, label=label)
    axes.set(xlabel="tables in the corpus", ylabel="ms a question, median")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)


def _apart(measurement: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a measurement in a process of its own: the most memory that one ever held does not fall again."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(measurement, *arguments).result()


def main() -> None:
    """Measure each size in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, nargs="+", default=TABLES, help="sizes of the corpora")
    parser.add_argument("--plus-tables", type=int, default=PLUS_TABLES, help="largest corpus for JoinGR+")
    parser.add_argument("--memory-tables", type=int, default=MEMORY_TABLES, help="largest corpus in memory")
    parser.add_argument("--disk", action="store_true", help="ask corpora that are in memory on disk, too")
    parser.add_argument("--actors", type=int, nargs="*", default=[], help="numbers of actors that hold parts on disk")
    parser.add_argument("--part-tables", type=int, default=PART_TABLES, help="most tables of a part on disk")
    parser.add_argument(
        "--answered-tables", type=int, nargs="*", default=ANSWERED_TABLES, help="sizes for which answers are measured"
    )
    parser.add_argument("--questions", type=int, default=200, help="questions a measurement (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="threads (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    parser.add_argument("--plot", type=Path, help="draw the curves into this file")
    options = parser.parse_args()

    rows = []
    for tables in options.tables:
        if tables <= options.memory_tables:
            rows.append(_apart(measure, tables, options.questions, options.threads))
        if tables <= options.plus_tables:
            rows.append(_apart(measure_plus, tables, options.questions, options.threads))
        if tables > options.memory_tables or options.disk or options.actors:
            with tempfile.TemporaryDirectory() as folder:
                parts = max(-(-tables // options.part_tables), *options.actors, 1)
                size = _apart(write_parts, folder, tables, parts, options.threads)
                for actors in (0, *options.actors):
                    row = _apart(measure_parts, folder, actors, options.questions, options.threads)
                    rows.append({**size, **row})
    show(rows)
    answers = []
    for tables in options.answered_tables:
        answers += _apart(measure_answers, tables, options.questions)
    if answers:
        show_answers(answers)
    if options.json:
        report = {"threads": options.threads, "questions": options.questions, "rows": rows, "answers": answers}
        options.json.write_text(json.dumps(report, indent=2))
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
