"""Why each table was found, told in the names of the schema."""

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models.explanation import TableExplanation
from joingr_pyg.retrieval.reasons import reason, stands_out
from joingr_pyg.retrieval.results import RetrievedTable


def retrieved_table(corpus: Corpus, explanation: TableExplanation) -> RetrievedTable:
    """Turn a model's explanation of a table, which is in numbers, into names and a sentence.

    Args:
        corpus: The corpus that the table is from.
        explanation: What the model based the place of the table on.
    """
    database, table = corpus.tables[explanation.table]
    column = corpus.columns[explanation.column]
    # A walk may come back to a table that has good reasons of its own.
    own = explanation.is_strong_anchor and stands_out(explanation.contributions)
    path = () if own else explanation.path
    joins = tuple(corpus.join_name(step.edge) for step in path)
    return RetrievedTable(
        database,
        table,
        explanation.score,
        column,
        explanation.similarity,
        explanation.matched_words,
        explanation.is_anchor,
        joins,
        reason(
            explanation.contributions,
            column,
            explanation.similarity,
            explanation.matched_words,
            corpus.tables[path[0].frontier][1] if path else None,
            joins,
            explanation.phrase,
        ),
    )
