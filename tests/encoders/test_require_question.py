import pytest

from joingr_pyg.encoders import require_question
from joingr_pyg.errors import JoinGRError


@pytest.mark.parametrize("text", ["Which department?", "哪个部门预算最高？", " padded "])
def test_a_question_is_returned_unchanged(text: str) -> None:
    assert require_question(text) == text


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u3000"])
def test_a_blank_question_is_refused(text: str) -> None:
    with pytest.raises(JoinGRError, match="The question is blank"):
        require_question(text)


def test_half_of_a_letter_is_refused() -> None:
    with pytest.raises(JoinGRError, match="The question holds half of a letter"):
        require_question("caf\udce9")
