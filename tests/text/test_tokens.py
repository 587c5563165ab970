import pytest

from joingr_pyg.text.tokens import distinct_words, spelled, words


def test_words_are_lower_case_stems_without_stop_words() -> None:
    assert words("Which of the BUILDINGS were rented, and when?") == ["build", "rent"]


def test_words_are_runs_of_letters_and_digits() -> None:
    assert words("room_key: 101 aren't A-3") == ["room", "key", "101", "3"]


def test_forms_of_a_word_are_one() -> None:
    assert len({*words("assign assigns assigned assigning")}) == 1


def test_the_order_and_repetitions_are_kept() -> None:
    assert words("floor room floor") == ["floor", "room", "floor"]
    assert distinct_words("floor rooms Floors") == ["floor", "room"]


@pytest.mark.parametrize("text", ["", "   ", "?!", "the of and"])
def test_a_text_may_have_no_words(text: str) -> None:
    assert words(text) == []


def test_other_scripts_are_kept() -> None:
    assert words("哪个部门 预算 größte") == ["哪个部门", "预算", "größte"]


def test_each_word_has_its_spelling() -> None:
    text = "Which of the BUILDINGS were rented, and when? The building!"
    assert spelled(text) == ["buildings", "rented", "building"]
    assert len(spelled(text)) == len(words(text))
