"""Why each table was found, told in the names of the schema."""

from collections.abc import Callable, Mapping

from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models.explanation import TableExplanation
from joingr_pyg.retrieval.reasons import clear_terms, reason
from joingr_pyg.retrieval.results import RetrievedTable
from joingr_pyg.schema import ForeignKey
from joingr_pyg.text.tokens import words


def retrieved_table(
    corpus: Corpus,
    joins: Mapping[tuple[str, str], ForeignKey],
    question_words: frozenset[str],
    explanation: TableExplanation,
    vector_of: Callable[[str], Tensor],
) -> RetrievedTable:
    """Turn a model's explanation of a table, which is in numbers, into names and a sentence.

    Args:
        corpus: The corpus that the table is from.
        joins: The joins of its databases, by ``(database, "a.x = b.y")``.
        question_words: Words of the question, as :func:`joingr_pyg.text.tokens.words` returns them.
        explanation: What the model based the place of the table on.
        vector_of: Embeds a phrase of the question, ``[d]``.
    """
    database, table = corpus.tables[explanation.table]
    column = corpus.columns[explanation.column]
    name_words = words(corpus.titles[explanation.table])
    named = bool(name_words) and question_words.issuperset(name_words)
    terms = clear_terms(explanation.contributions, explanation.similarity)
    # Walks of other anchors may come to a table that has good reasons of its own.
    path = () if named or (explanation.is_strong_anchor and terms) else explanation.path
    names = tuple(corpus.join_name(step.edge) for step in path)
    matching: tuple[str, ...] = ()
    if "phrases" in terms and explanation.phrase:
        first, last = corpus.column_ptr[explanation.table : explanation.table + 2].tolist()
        similarity = corpus.x[first:last] @ vector_of(explanation.phrase).to(corpus.x)
        matching = (corpus.columns[first + int(similarity.argmax())],)
    return RetrievedTable(
        database,
        table,
        explanation.score,
        column,
        explanation.similarity,
        explanation.matched_words,
        explanation.is_anchor,
        names,
        reason(
            terms,
            column,
            explanation.similarity,
            explanation.matched_words,
            explanation.phrase,
            named,
            corpus.tables[path[0].frontier][1] if path else None,
            [_with_source(name, joins.get((database, name))) for name in names],
        ),
        matching,
    )


def _with_source(name: str, join: ForeignKey | None) -> str:
    """A join's name, with where it comes from if the schema does not declare it."""
    return name if join is None or join.source == "declared" else f"{name} ({join.source})"
