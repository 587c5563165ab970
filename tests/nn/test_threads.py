"""The parallel for loop over questions."""

import threading

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg.nn.threads import parallel_for


@pytest.fixture
def threads():
    """Set the number of threads of torch for a test."""
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


@settings(deadline=None)
@given(
    count=st.integers(0, 200),
    smallest=st.integers(1, 50),
    largest=st.none() | st.integers(1, 50),
    per_thread=st.integers(1, 5),
)
def test_chunks_cover_all_questions_in_order(count: int, smallest: int, largest: int | None, per_thread: int) -> None:
    chunks = parallel_for(lambda begin, end: range(begin, end), count, smallest, largest, per_thread)
    assert [question for chunk in chunks for question in chunk] == list(range(count))
    assert all(len(chunk) <= (largest or count) for chunk in chunks)
    assert all(len(chunk) >= min(smallest, largest or smallest) for chunk in chunks[:-1])


def test_chunks_run_at_the_same_time(threads) -> None:
    threads(2)
    meeting = threading.Barrier(2, timeout=60)
    assert parallel_for(lambda begin, end: (meeting.wait() >= 0, begin, end), 40) == [(True, 0, 20), (True, 20, 40)]


def test_one_thread_takes_all_questions_at_once(threads) -> None:
    threads(1)
    assert parallel_for(lambda begin, end: (begin, end), 1000) == [(0, 1000)]


def test_an_error_in_a_chunk_is_raised(threads) -> None:
    threads(2)
    with pytest.raises(ZeroDivisionError):
        parallel_for(lambda begin, end: 1 // begin, 40)
