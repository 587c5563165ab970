import pytest

from joingr_pyg.describing.json_in_text import json_in_text


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '```json\n{"a": 1}\n```',
        'Here it is: {"a": 1}. Anything else?',
        '<think>{"a": 2} or not?</think>\n{"a": 1}',
    ],
)
def test_json_is_found_in_a_text(text: str) -> None:
    assert json_in_text(text) == {"a": 1}


@pytest.mark.parametrize("text", ["", "no", "{", "}{", '{"a": 1', "[1"])
def test_a_text_without_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        json_in_text(text)
