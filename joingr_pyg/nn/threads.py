"""A parallel for loop over the questions of a batch, for compiled code that releases Python's global lock."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

import torch

SMALLEST_CHUNK = 16

Result = TypeVar("Result")


def parallel_for(
    run: Callable[[int, int], Result],
    count: int,
    smallest: int = SMALLEST_CHUNK,
    largest: int | None = None,
    chunks_per_thread: int = 1,
) -> list[Result]:
    """Call ``run(begin, end)`` for chunks of ``range(count)``, on as many threads as torch uses.

    Args:
        run: What to do for the questions from ``begin`` to before ``end``.
        count: Number of questions.
        smallest: Smallest size of a chunk, but for the last.
        largest: Largest size of a chunk.
        chunks_per_thread: How many chunks each thread has on average. More than one evens out the work where questions
            differ much.

    Returns:
        The results of all chunks in the order of the questions.
    """
    threads = torch.get_num_threads()
    size = count if threads == 1 else -(-count // (chunks_per_thread * threads))
    size = max(size, smallest) if largest is None else min(max(size, smallest), largest)
    chunks = [(begin, min(begin + size, count)) for begin in range(0, count, size)]
    if threads == 1 or len(chunks) < 2:
        return [run(*chunk) for chunk in chunks]
    return list(_pool(os.getpid(), threads).map(lambda chunk: run(*chunk), chunks))


@lru_cache(maxsize=1)
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """The threads that all loops share, one pool for each process: threads do not survive a fork."""
    return ThreadPoolExecutor(threads)
