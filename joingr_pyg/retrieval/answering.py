"""From questions to answers: evidence of values, ranking, explanation, and whether the question fits at all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError, require_at_least, require_flags, require_whole
from joingr_pyg.models.calibration import require_complete, set_sizes
from joingr_pyg.retrieval.explanation import retrieved_table
from joingr_pyg.retrieval.fitting import LEAST_FIT, LOOKED_AT, FitModel, evidence
from joingr_pyg.retrieval.results import RetrievalResult
from joingr_pyg.retrieval.value_evidence import AskedQuestion
from joingr_pyg.retrieval.walk import AnswerWalk
from joingr_pyg.text.tokens import words

if TYPE_CHECKING:
    from joingr_pyg.encoders import Encoder
    from joingr_pyg.retrieval.table_retriever import TableRetriever


@dataclass(frozen=True)
class Wanted:
    """How many tables an answer has.

    Args:
        k: Number of tables; ``None`` for as many as it takes.
        complete: Probability with which these hold all that are needed.
        only_if_fits: Whether there are none where nothing seems to fit.

    Raises:
        JoinGRError: If a value is out of range.
    """

    k: int | None
    complete: float
    only_if_fits: bool

    def __post_init__(self) -> None:
        require_complete(self.complete)
        if self.k is not None:
            require_whole(k=self.k)
            require_at_least(1, k=self.k)
        require_flags(only_if_fits=self.only_if_fits)

    def require_judge(self, encoder: "Encoder") -> None:
        """Check that fits can be judged, where they count.

        Raises:
            JoinGRError: If they cannot.
        """
        if self.only_if_fits and not judges_fit(encoder):
            raise JoinGRError(
                f"'only_if_fits' needs the encoder MiniLM, since fits are not known with {encoder.name!r}: "
                "leave it out."
            )


def judges_fit(encoder: "Encoder") -> bool:
    """Whether the encoder is the one that :class:`FitModel` was fitted to: cosines of others mean other things."""
    return encoder.identity == FitModel.fitted().encoder


def answers(retriever: "TableRetriever", questions: Sequence[str], wanted: Wanted) -> Iterator[RetrievalResult]:
    """Answer questions, whose texts are embedded together.

    Args:
        retriever: The retriever.
        questions: The questions.
        wanted: How many tables the answers have.
    """
    if not questions:
        return
    encoder, values = retriever.encoder, retriever._values
    asked = [AskedQuestion(text, text) if values is None else values.ask(text) for text in questions]
    texts = [question.text for question in asked]
    encoder.encode_queries([part for text in texts for part in retriever.model.question_texts(text)])
    for own, query in zip(asked, Queries.encode(texts, encoder, list(questions)).split(1), strict=True):
        yield _answer(retriever, own, query, wanted)


def _answer(retriever: "TableRetriever", asked: AskedQuestion, query: Queries, wanted: Wanted) -> RetrievalResult:
    encoder, corpus, model = retriever.encoder, retriever.corpus, retriever.model
    looked_at = LOOKED_AT if judges_fit(encoder) else 0
    k = None if wanted.k is None else min(wanted.k, len(corpus.tables))
    ranked = model.explained(query, model.largest_set if k is None else max(k, looked_at))
    count = int(set_sizes(model.needed(ranked.ranking, query), wanted.complete)) if k is None else k
    explained = ranked.explain(0, max(count, looked_at))
    fits = None
    if looked_at:
        fits = FitModel.fitted().probability(evidence(corpus, asked.text, explained[:looked_at]))
    if wanted.only_if_fits and fits is not None and fits < LEAST_FIT:
        count = 0
    question_words = frozenset(words(asked.question))
    tables = [
        retrieved_table(
            corpus,
            retriever._joins,
            question_words,
            asked.without_names(table),
            lambda phrase: encoder.encode_queries([phrase])[0],
        )
        for table in explained[:count]
    ]
    walk = ranked.walk(0)
    named = None if walk is None else lambda: AnswerWalk.named(walk(), corpus)
    return RetrievalResult(asked.question, tuple(map(asked.with_values, tables)), retriever.databases, named, fits)
