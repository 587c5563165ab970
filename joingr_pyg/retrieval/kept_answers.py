"""The latest answers of a retriever, so that a question that was just asked takes no time."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import TYPE_CHECKING

from joingr_pyg.retrieval.answer_state import AnswerState
from joingr_pyg.retrieval.results import RetrievalResult

if TYPE_CHECKING:
    from joingr_pyg.retrieval.table_retriever import TableRetriever

KEPT = 256
"""Answers that are kept."""


class KeptAnswers:
    """The latest answers of one retriever, each by its question and how it was asked.

    They are for one process: a copy of this object, such as in a file, is empty.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._of: AnswerState | None = None
        self._answers: OrderedDict[Hashable, RetrievalResult] = OrderedDict()

    def __reduce__(self) -> "tuple[type[KeptAnswers], tuple[()]]":
        return KeptAnswers, ()

    def __len__(self) -> int:
        return len(self._answers)

    def of(self, retriever: "TableRetriever") -> "OrderedDict[Hashable, RetrievalResult]":
        """The answers that still hold: none if anything has changed that answers depend on."""
        state = AnswerState.of(retriever)
        with self._lock:
            if self._of is None or not state.is_same(self._of):
                # A new one, because another thread may be reading from the old one.
                self._of, self._answers = state, OrderedDict()
            return self._answers

    def keep(self, answers: "OrderedDict[Hashable, RetrievalResult]", key: Hashable, answer: RetrievalResult) -> None:
        """Keep an answer among those that :meth:`of` returned before it was made, and drop the oldest of too many."""
        with self._lock:
            answers[key] = answer
            answers.move_to_end(key)
            while len(answers) > KEPT:
                answers.popitem(last=False)
