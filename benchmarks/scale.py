"""How the time of a question and the memory of a corpus grow with its tables.

``python benchmarks/scale.py --json scale.json --plot docs/scale.png``

Corpora are synthetic (:mod:`joingr_pyg.testing.synthetic`), questions are asked one at a time, and every time is a
median over them. The scorer is untrained, which changes no time. A row holds:

- ``tables``, ``columns``, ``joins``, ``databases``: the size of the corpus;
- ``build_s``: seconds from schemas with their vectors to the first answer: graphs, corpus, index, projections;
- ``walk_ms``: a question whose anchors were searched before: walks, sums and ranking;
- ``walk_edges``, ``walk_tables``: edges that the walks of a question score and tables they reach, on average;
- ``question_ms``: a question from its vector to the ranking, over the approximate index;
- ``exact_question_ms``: the same over the exact index;
- ``anchor_recall``: share of the exact anchors that the approximate index finds;
- ``peak_gb``: most memory the process ever held, drawing the vectors included; each size has a process of its own.

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
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import faiss
import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.models import JoinGRPlus
from joingr_pyg.models.anchors import ColumnIndex, TableHits
from joingr_pyg.models.joingr import JoinGR, backend
from joingr_pyg.retrieval import TableRetriever
from joingr_pyg.schema import Database
from joingr_pyg.schema.names.readable import readable_name
from joingr_pyg.testing.synthetic import (
    synthetic_databases,
    synthetic_graphs,
    synthetic_questions,
    synthetic_vectors,
)

TABLES = (1_000, 10_000, 100_000)
ANSWERED_TABLES = (2_000, 10_000)
DIM = 384
TOP = 15
FOUND = 5
CANDIDATES = 60


class FixedIndex:
    """An index that returns the result of an earlier search."""

    def __init__(self, hits: TableHits) -> None:
        self.hits = hits

    def search(self, query: Tensor, k: int) -> TableHits:
        return TableHits(*(part[:, :k] for part in self.hits))


def measure(num_tables: int, num_questions: int, threads: int) -> dict[str, Any]:
    """Build a corpus of one size and ask it questions."""
    torch.set_num_threads(threads)
    faiss.omp_set_num_threads(threads)
    # The path of large corpora at every size, so that sizes compare.
    backend.LARGE_CORPUS = 0
    torch.manual_seed(0)
    databases = synthetic_databases(num_tables)
    vectors = synthetic_vectors(databases, dim=DIM)

    start = time.perf_counter()
    graphs = synthetic_graphs(databases, *vectors)
    corpus = Corpus.from_graphs(graphs)
    del graphs, vectors
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
    best, approximate_best = (index.search(sets[2], model.anchors).table for index in (exact, approximate))
    plan = model.walk.planner(corpus.edge_index, corpus.num_tables)(
        best.flatten(), torch.arange(num_questions).repeat_interleave(best.size(1)), num_questions
    )
    return {
        "tables": corpus.num_tables,
        "columns": corpus.num_columns,
        "joins": corpus.join_index.size(1),
        "databases": len(databases),
        "build_s": build,
        "walk_ms": walk,
        "walk_edges": len(plan) / num_questions,
        "walk_tables": (plan.query * corpus.num_tables + plan.neighbor).unique().numel() / num_questions,
        "question_ms": question,
        "exact_question_ms": exact_question,
        "anchor_recall": (best.unsqueeze(2) == approximate_best.unsqueeze(1)).any(dim=2).float().mean().item(),
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e9 if sys.platform == "darwin" else 1e6),
    }


def measure_answers(num_tables: int, num_questions: int) -> list[dict[str, Any]]:
    """Compare rankings and explained answers of both models over a corpus of one size, on one thread."""
    torch.set_num_threads(1)
    faiss.omp_set_num_threads(1)
    databases = synthetic_databases(num_tables)
    encoder = CachedEncoder(HashingEncoder(DIM), progress=False)
    questions = _question_texts(databases, num_questions)
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
        rank = _median_of(partial(model.rank, k=FOUND), queries)
        retrieve = _median_of(partial(retriever.retrieve, k=FOUND), questions)
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


def _question_texts(databases: Sequence[Database], count: int) -> list[str]:
    """Questions that name some table and columns of it and of another table."""
    tables = [table for database in databases for table in database]
    drawn = torch.randint(len(tables), (count, 2), generator=torch.Generator().manual_seed(0)).tolist()
    names = [[readable_name(tables[number].columns[-1].name) for number in pair] for pair in drawn]
    return [f"Which {one} goes with the largest {other} since 2020?" for one, other in names]


def _median_of(answer: Callable[[Any], object], questions: Sequence[Any]) -> float:
    """Median time in milliseconds of answering one question after the other."""
    times = []
    for question in questions:
        start = time.perf_counter()
        answer(question)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def _median_ms(model: JoinGR, questions: Tensor, indexes: Sequence[Any]) -> float:
    """Median time of ranking one question after the other, each over its index."""
    times = []
    for query, index in zip(questions.split(1), indexes, strict=True):
        model.columns = index
        start = time.perf_counter()
        model.rank(Queries(query), TOP)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def show_answers(rows: Sequence[dict[str, Any]]) -> None:
    """Print the times of rankings and answers."""
    table = Table()
    for key in rows[0]:
        table.add_column(key, justify="left" if key == "model" else "right")
    for row in rows:
        table.add_row(*(f"{value:,.2f}" if isinstance(value, float) else str(value) for value in row.values()))
    Console().print(table)


def show(rows: Sequence[dict[str, Any]]) -> None:
    """Print the rows side by side, and how much slower a walk became from the first to the last."""
    table = Table()
    for number, heading in enumerate(["tables", *(f"{row['tables']:,}" for row in rows)]):
        table.add_column(heading, justify="right" if number else "left")
    for key in list(rows[0])[1:]:
        values = (row[key] for row in rows)
        table.add_row(key, *(f"{value:,}" if isinstance(value, int) else f"{value:,.3g}" for value in values))
    console = Console()
    console.print(table)
    first, last = rows[0], rows[-1]
    growth = last["walk_ms"] / first["walk_ms"]
    console.print(f"From {first['tables']:,} to {last['tables']:,} tables, a walk's time grows {growth:.2f} times.")


def plot(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw times over tables, both axes logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
    tables = [row["tables"] for row in rows]
    for key, label, style in (
        ("exact_question_ms", "question, exact index", "o--"),
        ("question_ms", "question, approximate index", "o-"),
        ("walk_ms", "the walk alone", "o-"),
    ):
        axes.loglog(tables, [row[key] for row in rows], style, label=label)
    axes.set(xlabel="tables in the corpus", ylabel="ms a question, median")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)


def main() -> None:
    """Measure each size in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, nargs="+", default=TABLES, help="sizes of the corpora")
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
        # A fresh process each: the most memory that a process ever held does not fall again.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            rows.append(process.submit(measure, tables, options.questions, options.threads).result())
    show(rows)
    answers = []
    for tables in options.answered_tables:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            answers += process.submit(measure_answers, tables, options.questions).result()
    if answers:
        show_answers(answers)
    if options.json:
        report = {"threads": options.threads, "questions": options.questions, "rows": rows, "answers": answers}
        options.json.write_text(json.dumps(report, indent=2))
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
