"""Decomposition of questions into sub-queries: published decompositions, or noun phrases."""

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
        published: Pairs of files, as mappings with keys ``subqueries``, a JSON file with a list of strings such as
            ``["students:grade", "county"]`` for each question, and ``questions``, the benchmark's questions file in the
            same order. Pairs with a missing file are ignored.
    """

    def __init__(self, published: Sequence[Mapping[str, str]] = ()) -> None:
        self._published = [(Path(files["subqueries"]), Path(files["questions"])) for files in published]

    def of(self, question: str) -> list[str]:
        """The sub-queries of a question, at least one."""
        return self._by_question.get(question) or noun_phrases(question)

    def is_published(self, question: str) -> bool:
        """Whether the sub-queries of a question come from a file."""
        return bool(self._by_question.get(question))

    @cached_property
    def _by_question(self) -> dict[str, list[str]]:
        by_question: dict[str, list[str]] = {}
        for subqueries, questions in self._published:
            if subqueries.is_file() and questions.is_file():
                by_question |= _read(subqueries, questions)
        return by_question


def _read(subqueries: Path, questions: Path) -> dict[str, list[str]]:
    lists, records = read_json(subqueries), read_records(questions, {"question": str})
    if not isinstance(lists, list) or not all(
        isinstance(parts, list) and all(isinstance(part, str) for part in parts) for parts in lists
    ):
        raise JoinGRError(f"The file '{subqueries}' is not a list of lists of sub-queries.")
    if len(lists) != len(records):
        raise JoinGRError(
            f"The file '{subqueries}' decomposes {len(lists)} questions, but '{questions}' has {len(records)}: "
            "give the questions file that it belongs to."
        )
    return {
        record["question"]: [part for part in parts if part.strip()]
        for record, parts in zip(records, lists, strict=True)
    }
