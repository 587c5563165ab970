"""The rows of ``scale.py`` for a corpus in parts on disk, in one process or on actors of Ray."""

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import torch
from scale_measures import DIM, TOP, FixedIndex, median_ms, peak_gb, recall, sizes_of, timed_ms, use_threads

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.models import ColumnIndex, JoinGR
from joingr_pyg.models.joingr.backend import SimilarTables
from joingr_pyg.models.rounds import First
from joingr_pyg.sharding import ShardedCorpus
from joingr_pyg.sharding.storage import INDEX, PartFolder, read_part
from joingr_pyg.sharding.workers import LocalWorkers
from joingr_pyg.testing.synthetic import (
    synthetic_databases,
    synthetic_graphs,
    synthetic_questions,
    synthetic_vectors,
)

EXACT_QUESTIONS = 50
"""Questions whose exact anchors are searched among all columns."""


def write_parts(folder: str, num_tables: int, parts: int, threads: int) -> dict[str, Any]:
    """Write a synthetic corpus, one part after the other, and return its size and how long that took."""
    use_threads(threads)
    start = time.perf_counter()
    sizes: list[dict[str, int]] = []

    def corpora() -> Iterator[Corpus]:
        ends = [num_tables * number // parts for number in range(parts + 1)]
        for number, (first, last) in enumerate(pairwise(ends)):
            drawn = synthetic_databases(last - first, seed=number)
            databases = [replace(database, name=f"part{number}_{database.name}") for database in drawn]
            corpus = Corpus.from_graphs(synthetic_graphs(databases, *synthetic_vectors(databases, number, DIM)))
            sizes.append(sizes_of(corpus))
            yield corpus

    ShardedCorpus.write_corpora(folder, corpora(), HashingEncoder(DIM).identity, approximate=True)
    total = {key: sum(size[key] for size in sizes) for key in sizes[0]}
    return {**total, "build_s": time.perf_counter() - start, "build_gb": peak_gb()}


def measure_parts(folder: str, actors: int, num_questions: int, threads: int) -> dict[str, Any]:
    """Ask JoinGR of a corpus that :func:`write_parts` wrote, whose vectors stay on disk."""
    use_threads(threads)
    torch.manual_seed(0)
    names, _ = PartFolder(folder).read()
    paths = [Path(folder, name) for name in names]
    model = JoinGR(DIM).eval()
    start = time.perf_counter()
    with ShardedCorpus(folder, model, HashingEncoder(DIM), actors=actors, approximate=True, mapped=True) as sharded:
        opened = time.perf_counter() - start
        first, asked, walked = _questions(paths, 1 + 2 * num_questions).split([1, num_questions, num_questions])
        answered = timed_ms(partial(sharded.rank, Queries(first), TOP)) / 1000
        row: dict[str, Any] = {
            "model": model.kind,
            "actors": actors,
            "storage": "disk",
            "open_s": opened + answered,
            "question_ms": median_ms(lambda query: sharded.rank(Queries(query), TOP), asked.split(1)),
        }
        if isinstance(sharded.workers, LocalWorkers):
            row["walk_ms"] = _walk_ms(sharded, sharded.workers, walked)
        row["peak_gb"] = peak_gb() + sum(sharded.workers.peak_gb())
        return row | {"anchor_recall": _anchor_recall(paths, asked[:EXACT_QUESTIONS], model)}


def _walk_ms(sharded: ShardedCorpus, workers: LocalWorkers, questions: torch.Tensor) -> float:
    """Median time of a question whose anchors were searched before."""
    models = [part.model for part in workers.parts]
    indexes = [model.columns for model in models]
    times = []
    for query in questions.split(1):
        for model, index in zip(models, indexes, strict=True):
            model.columns = FixedIndex(index.search(query, TOP + 5))  # type: ignore[assignment]
        times.append(timed_ms(partial(sharded.rank, Queries(query), TOP)))
    for model, index in zip(models, indexes, strict=True):
        model.columns = index
    return sorted(times)[len(times) // 2]


def _anchor_recall(paths: list[Path], questions: torch.Tensor, model: JoinGR) -> float:
    """Share of the exact anchors among all columns that the indexes of the parts find."""
    found: dict[str, list[SimilarTables]] = {"exact": [], "approximate": []}
    first = 0
    for path in paths:
        corpus = read_part(path)
        for kind, similar in found.items():
            index = ColumnIndex(corpus, kind, file=path / INDEX)
            similar.append(SimilarTables.of(index.search(questions, 4 * model.anchors), model, First(first)))
        first += corpus.num_tables
    exact, approximate = (model.choose_anchors(SimilarTables.merged(similar).hits).table for similar in found.values())
    return recall(exact, approximate)


def _questions(paths: list[Path], count: int) -> torch.Tensor:
    """Questions about columns of all parts."""
    shares = [0, *accumulate([count // len(paths)] * (len(paths) - 1)), count]
    corpora = (read_part(path) for path in paths)
    drawn = [
        synthetic_questions(replace(corpus, x=_rows(corpus.x, last - first, number)), last - first, number)
        for number, (corpus, first, last) in enumerate(zip(corpora, shares, shares[1:], strict=False))
        if last > first
    ]
    questions = torch.cat(drawn)
    return questions[torch.randperm(count, generator=torch.Generator().manual_seed(0))]


def _rows(x: torch.Tensor, count: int, seed: int) -> torch.Tensor:
    """As many columns as questions, in single precision."""
    return x[torch.randint(len(x), (count,), generator=torch.Generator().manual_seed(seed))].float()
