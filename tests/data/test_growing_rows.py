import pickle

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg.data.growing_rows import GrowingRows


@settings(deadline=None)
@given(data=st.data())
def test_returned_tensors_never_change(data: st.DataObject) -> None:
    """Rows are appended to any of the returned tensors, in any order."""
    memory = GrowingRows()
    returned = [torch.zeros(data.draw(st.integers(0, 3)), 2)]
    expected = [tensor.tolist() for tensor in returned]
    for value in range(1, data.draw(st.integers(1, 12))):
        base = data.draw(st.integers(0, len(returned) - 1))
        more = torch.full((data.draw(st.integers(0, 3)), 2), float(value))
        returned.append(memory.append(returned[base], more))
        expected.append(expected[base] + more.tolist())
    assert [tensor.tolist() for tensor in returned] == expected


def test_rows_are_copied_only_if_the_buffer_is_full() -> None:
    memory, rows, moves = GrowingRows(), torch.zeros(1, 4), 0
    for value in range(1, 1000):
        grown = memory.append(rows, torch.full((1, 4), float(value)))
        moves += grown.data_ptr() != rows.data_ptr()
        rows = grown
    assert rows[:, 0].tolist() == list(range(1000))
    assert moves < 20


def test_a_copy_starts_with_an_empty_buffer() -> None:
    memory = GrowingRows()
    rows = memory.append(torch.zeros(2, 1), torch.ones(1, 1))
    copied_memory, copied = pickle.loads(pickle.dumps((memory, rows)))
    assert copied_memory.append(copied, torch.full((1, 1), 2.0)).flatten().tolist() == [0, 0, 1, 2]
    assert memory.append(rows, torch.full((1, 1), 3.0)).flatten().tolist() == [0, 0, 1, 3]
