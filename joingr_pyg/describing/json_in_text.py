"""JSON in the text of a language model, which may have written something around it."""

import json
from typing import Any


def json_in_text(text: str) -> Any:
    """The JSON value in a text: all of it, or the object between its first and last brace.

    Thoughts up to ``</think>`` and fences of code are passed over.

    Raises:
        ValueError: If the text holds no JSON.
    """
    text = text.rpartition("</think>")[2]
    try:
        try:
            return json.loads(text)
        except ValueError:
            return json.loads(text[text.find("{") : text.rfind("}") + 1])
    except RecursionError as error:
        raise ValueError("its brackets are nested too deep") from error
