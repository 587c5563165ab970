import pickle

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg.data.growing_rows import GrowingRows


@settings(deadline=None)
@given(data=st.data())
def test_every_tensor_given_out_stays_what_it_was(data: st.DataObject) -> None:
    """Appended to in any order, also to ones that others were appended to before."""
    memory = GrowingRows()
    given_out = [torch.zeros(data.draw(st.integers(0, 3)), 2)]
    expected = [each.tolist() for each in given_out]
    for value in range(1, data.draw(st.integers(1, 12))):
        base = data.draw(st.integers(0, len(given_out) - 1))
        more = torch.full((data.draw(st.integers(0, 3)), 2), float(value))
        given_out.append(memory.append(given_out[base], more))
        expected.append(expected[base] + more.tolist())
    assert [each.tolist() for each in given_out] == expected


def test_rows_move_only_where_there_is_no_room() -> None:
    memory, rows, moves = GrowingRows(), torch.zeros(1, 4), 0
    for value in range(1, 1000):
        grown = memory.append(rows, torch.full((1, 4), float(value)))
        moves += grown.data_ptr() != rows.data_ptr()
        rows = grown
    assert rows[:, 0].tolist() == list(range(1000))
    assert moves < 20


def test_a_copy_holds_no_memory_and_goes_on_by_itself() -> None:
    memory = GrowingRows()
    rows = memory.append(torch.zeros(2, 1), torch.ones(1, 1))
    copied_memory, copied = pickle.loads(pickle.dumps((memory, rows)))
    assert copied_memory.append(copied, torch.full((1, 1), 2.0)).flatten().tolist() == [0, 0, 1, 2]
    assert memory.append(rows, torch.full((1, 1), 3.0)).flatten().tolist() == [0, 0, 1, 3]
