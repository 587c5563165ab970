import pytest

from joingr_pyg.text.phrases import noun_phrases, phrases, values


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What are the names of all schools in Alameda County?", ["names", "schools", "Alameda County"]),
        (
            "For each department, list the building name and the largest room.",
            ["department", "building name", "largest room"],
        ),
        ("Show rooms, rooms and the rooms' floors", ["rooms", "floors"]),
        ("Who is the client's loan officer in 1995-07?", ["client's loan officer", "1995-07"]),
        ("哪个部门预算最高？", ["哪个部门预算最高"]),
        ("What is it?", ["What is it?"]),
        ("  ?! ", ["?!"]),
    ],
)
def test_noun_phrases_are_the_runs_between_stop_words(question: str, expected: list[str]) -> None:
    assert noun_phrases(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ('Is the author of "Sushi, Anyone?" on the contract?', ["Sushi, Anyone?"]),
        ("Who is 'The Boss', or ‘no one’, in the driver's seat?", ["The Boss", "no one"]),
        ("Which districts of Los Angeles buy from Quill.com?", ["Los Angeles", "Quill.com"]),
        ("Students of the Institute of Technology in Fall 2023", ["Institute of Technology", "Fall 2023"]),
        ("Kathryn Ashe bought what? Name it.", ["Kathryn Ashe"]),
        ("Rooms? Count them! A cat", []),
        ("What did Mrs. Elly Koss receive", ["Mrs. Elly Koss"]),
        ("", []),
    ],
)
def test_values_are_quoted_or_capitalised(question: str, expected: list[str]) -> None:
    assert values(question)[0] == expected


def test_phrases_are_values_then_what_is_left() -> None:
    question = "Which medical records has Elly Koss in the ward 'North 2'?"
    assert phrases(question) == ["North 2", "Elly Koss", "medical records", "ward"]
    assert phrases("What is it?") == []
    assert phrases("dog, dog or cat") == ["dog", "cat"]
