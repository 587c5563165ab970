"""What the measurements of ``scale.py`` share."""

import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import faiss
import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models.anchors import TableHits
from joingr_pyg.schema import Database
from joingr_pyg.schema.names.readable import readable_name

DIM = 384
TOP = 15
CANDIDATES = 60


class FixedIndex:
    """An index that returns the result of an earlier search."""

    def __init__(self, hits: TableHits) -> None:
        self.hits = hits

    def search(self, query: Tensor, k: int) -> TableHits:
        return TableHits(*(part[:, :k] for part in self.hits))


def use_threads(threads: int) -> None:
    """Let torch and FAISS use so many threads."""
    torch.set_num_threads(threads)
    faiss.omp_set_num_threads(threads)


def sizes_of(corpus: Corpus) -> dict[str, int]:
    """How large a corpus is."""
    return {
        "tables": corpus.num_tables,
        "columns": corpus.num_columns,
        "joins": corpus.join_index.size(1),
        "databases": int(corpus.database.max()) + 1,
    }


def question_texts(databases: Sequence[Database], count: int) -> list[str]:
    """Questions that name some table and columns of it and of another table."""
    tables = [table for database in databases for table in database]
    drawn = torch.randint(len(tables), (count, 2), generator=torch.Generator().manual_seed(0)).tolist()
    names = [[readable_name(tables[number].columns[-1].name) for number in pair] for pair in drawn]
    return [f"Which {one} goes with the largest {other} since 2020?" for one, other in names]


def recall(exact: Tensor, found: Tensor) -> float:
    """Share of exact anchors ``[B, A]`` that are among others found."""
    return (exact.unsqueeze(2) == found.unsqueeze(1)).any(dim=2).float().mean().item()


def peak_gb() -> float:
    """The most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e9 if sys.platform == "darwin" else 1e6)


def timed_ms(answer: Callable[[], object]) -> float:
    """How long a call takes, in milliseconds."""
    start = time.perf_counter()
    answer()
    return 1000 * (time.perf_counter() - start)


def median_ms(answer: Callable[[Any], object], questions: Sequence[Any]) -> float:
    """Median time in milliseconds of answering one question after the other."""
    return statistics.median(timed_ms(partial(answer, question)) for question in questions)
