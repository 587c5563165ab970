import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from joingr_pyg.text.postings import Postings

ROWS = {"dog": {0: 0.5, 2: 1.0}, "cat": {1: 2.0}, "fox": {}, "owl": {0: 0.25, 1: 0.5, 2: 4.0}}


@given(st.lists(st.lists(st.sampled_from([*ROWS, "emu"]), unique=True), max_size=5))
def test_rows_add_up_question_by_question(questions: list[list[str]]) -> None:
    expected = np.zeros((len(questions), 3))
    for row, question in zip(expected, questions, strict=True):
        for word in question:
            for table, value in ROWS.get(word, {}).items():
                row[table] += value
    found = Postings.of_rows(ROWS, 3)(questions)
    assert found.dtype == np.float32
    assert found.tolist() == expected.tolist()


def test_there_may_be_no_words() -> None:
    assert Postings.of_rows({}, 2)([["dog"], []]).tolist() == [[0, 0], [0, 0]]
