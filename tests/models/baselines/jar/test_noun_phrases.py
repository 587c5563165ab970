import pytest

from joingr_pyg.models.baselines.jar.noun_phrases import noun_phrases


@pytest.mark.parametrize(
    ("question", "phrases"),
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
def test_phrases_are_the_runs_between_stop_words(question: str, phrases: list[str]) -> None:
    assert noun_phrases(question) == phrases
