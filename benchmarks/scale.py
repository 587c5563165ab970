"""How the time of a question and the memory of a corpus grow with its tables.

``python benchmarks/scale.py --json scale.json --plot docs/scale.png``

Corpora are synthetic (:mod:`joingr_pyg.testing.synthetic`), questions are asked one at a time, and every time is a
median over them. The scorer is untrained, which changes no time. A row holds:

- ``tables``, ``columns``, ``joins``, ``databases``: the size of the corpus;
- ``build_s``: seconds from schemas with their vectors to the first answer: graphs, corpus, index, projections;
- ``walk_ms``: a question without the search for anchors: walks, sums and ranking;
- ``walked_edges``: edges that the walks of a question score, on average;
- ``question_ms``: a question from its vector to the ranking, over the approximate index;
- ``exact_question_ms``: the same over the exact index;
- ``anchor_recall``: share of the exact anchors that the approximate index finds;
- ``peak_gb``: most memory the process ever held, drawing the vectors included; each size has a process of its own.
"""

import argparse
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import faiss
import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from joingr_pyg.corpus import Corpus
from joingr_pyg.models import JoinGR
from joingr_pyg.models import joingr as joingr_module
from joingr_pyg.models.anchors import ColumnIndex, TableHits
from joingr_pyg.testing.synthetic import (
    synthetic_databases,
    synthetic_graphs,
    synthetic_questions,
    synthetic_vectors,
)

TABLES = (1_000, 10_000, 100_000)
DIM = 384
TOP = 15
WARM_UP = 10


class Answered:
    """Stands in for an index whose search was made before."""

    def __init__(self, hits: TableHits) -> None:
        self.hits = hits

    def search(self, query: Tensor, k: int) -> TableHits:
        return TableHits(*(part[:, :k] for part in self.hits))


def measure(num_tables: int, num_questions: int, threads: int) -> dict[str, Any]:
    """Build a corpus of one size and ask it questions."""
    torch.set_num_threads(threads)
    faiss.omp_set_num_threads(threads)
    # The path for large corpora at every size, so that the sizes compare.
    joingr_module.DENSE_TABLES = 0
    torch.manual_seed(0)
    databases = synthetic_databases(num_tables)
    vectors = synthetic_vectors(databases, dim=DIM)

    start = time.perf_counter()
    graphs = synthetic_graphs(databases, *vectors)
    corpus = Corpus.from_graphs(graphs)
    del graphs, vectors
    model = JoinGR(DIM).eval().index(corpus)
    approximate = model.columns = ColumnIndex(corpus, "approximate")
    # As many for every purpose, so that none finds prepared what another one asked for.
    warm_up, one, other, third = synthetic_questions(corpus, WARM_UP + 3 * num_questions).split(
        [WARM_UP, *[num_questions] * 3]
    )
    model.rank(warm_up[:1], TOP)
    build = time.perf_counter() - start

    exact = ColumnIndex(corpus, "exact")
    walk = []
    for query in torch.cat([warm_up, one]).split(1):
        model.columns = Answered(approximate.search(query, 4 * TOP))
        walk.append(_milliseconds(lambda query=query: model.rank(query, TOP)))
    model.columns = approximate
    question = [_milliseconds(lambda query=query: model.rank(query, TOP)) for query in torch.cat([warm_up, other]).split(1)]
    model.columns = exact
    exact_question = [_milliseconds(lambda query=query: model.rank(query, TOP)) for query in third.split(1)]

    best, found = exact.search(third, model.anchors).table, approximate.search(third, model.anchors).table
    plan = model.walk.planner(corpus.edge_index, corpus.num_tables)(
        best.flatten(), torch.arange(len(best)).repeat_interleave(best.size(1)), len(best)
    )
    return {
        "tables": corpus.num_tables,
        "columns": corpus.num_columns,
        "joins": corpus.join_index.size(1),
        "databases": len(databases),
        "build_s": build,
        "walk_ms": statistics.median(walk[WARM_UP:]),
        "walked_edges": len(plan) / len(best),
        "question_ms": statistics.median(question[WARM_UP:]),
        "exact_question_ms": statistics.median(exact_question),
        "anchor_recall": (best.unsqueeze(2) == found.unsqueeze(1)).any(dim=2).float().mean().item(),
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e9 if sys.platform == "darwin" else 1e6),
    }


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def show(rows: Sequence[dict[str, Any]]) -> None:
    """Print the rows, and how much slower a walk became from the first to the last."""
    table = Table(*rows[0], title="Scale")
    for row in rows:
        table.add_row(*(f"{value:,}" if isinstance(value, int) else f"{value:,.3g}" for value in row.values()))
    console = Console()
    console.print(table)
    growth = rows[-1]["walk_ms"] / rows[0]["walk_ms"]
    console.print(f"A walk takes {growth:.2f} times as long among {rows[-1]['tables']:,} as {rows[0]['tables']:,} tables.")


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
        ("walk_ms", "walk alone", "o-"),
    ):
        axes.loglog(tables, [row[key] for row in rows], style, label=label)
    axes.set(xlabel="tables in the corpus", ylabel="ms, median")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, nargs="+", default=TABLES, help="sizes of the corpora (default: %(default)s)")
    parser.add_argument("--questions", type=int, default=200, help="questions a measurement (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="threads (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    parser.add_argument("--plot", type=Path, help="draw the curves into this file")
    options = parser.parse_args()

    rows = []
    for tables in options.tables:
        # A fresh process each: the most memory a process ever held never falls again.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            rows.append(process.submit(measure, tables, options.questions, options.threads).result())
    show(rows)
    if options.json:
        options.json.write_text(json.dumps({"threads": options.threads, "questions": options.questions, "rows": rows}, indent=2))
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
