"""The parts that a question asks for: published decompositions where there are some, else noun phrases."""

import logging
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.readers.json_file import read_json, read_records
from joingr_pyg.text.phrases import noun_phrases

logger = logging.getLogger(__name__)


class Subqueries:
    """Decomposes questions.

    Args:
        published: Pairs of files, each a mapping with ``subqueries``, a JSON list with a list of strings for each
            question such as ``["students:grade", "county"]``, and ``questions``, the benchmark's own file that they
            follow. A pair of which a file is missing is left out.
    """

    def __init__(self, published: Sequence[Mapping[str, str]] = ()) -> None:
        self._published = [(Path(each["subqueries"]), Path(each["questions"])) for each in published]

    def of(self, question: str) -> list[str]:
        """The sub-queries of a question, at least one."""
        return self._known.get(question) or noun_phrases(question)

    def is_published(self, question: str) -> bool:
        """Whether its sub-queries come from a file."""
        return bool(self._known.get(question))

    @cached_property
    def _known(self) -> dict[str, list[str]]:
        known: dict[str, list[str]] = {}
        for subqueries, questions in self._published:
            if subqueries.is_file() and questions.is_file():
                known |= _read(subqueries, questions)
        return known


def _read(subqueries: Path, questions: Path) -> dict[str, list[str]]:
    lists, asked = read_json(subqueries), read_records(questions, {"question": str})
    if not isinstance(lists, list) or not all(
        isinstance(each, list) and all(isinstance(part, str) for part in each) for each in lists
    ):
        raise JoinGRError(f"The file '{subqueries}' holds no list of lists of sub-queries.")
    if len(lists) != len(asked):
        raise JoinGRError(
            f"The file '{subqueries}' decomposes {len(lists)} questions, but '{questions}' holds {len(asked)}: "
            "give the questions that it was made of."
        )
    return {
        each["question"]: [part for part in parts if part.strip()] for each, parts in zip(asked, lists, strict=True)
    }
