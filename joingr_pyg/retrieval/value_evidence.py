"""Values that a question names, as evidence for the tables whose columns have them.

A question is asked together with the names of these columns: *albums by Radiohead* as *albums by Radiohead (artist
name)*. All that a model goes by, its vectors, words and phrases, then speaks for the table, and the walk goes on from
there. What an answer says of the question's words leaves these names out, since the question did not say them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from joingr_pyg.models.explanation import TableExplanation
from joingr_pyg.retrieval.reasons import NOTHING
from joingr_pyg.retrieval.results import RetrievedTable
from joingr_pyg.schema import Database
from joingr_pyg.schema.names.readable import readable_name
from joingr_pyg.text.value_index import AMBIGUOUS, ValueColumn, ValueIndex, ValueMatch, value_key


@dataclass(frozen=True)
class AskedQuestion:
    """A question with the values that it names.

    Attributes:
        question: The question.
        text: What the model is asked.
        matches: The values.
    """

    question: str
    text: str
    matches: tuple[ValueMatch, ...] = ()

    def without_names(self, explanation: TableExplanation) -> TableExplanation:
        """An explanation without the words and phrases that the question itself does not say."""
        if not self.matches:
            return explanation
        said = self.question.lower()
        words = tuple(word for word in explanation.matched_words if word in said)
        phrase = explanation.phrase if explanation.phrase.lower() in said else ""
        dropped = {"words"} if not words else set()
        dropped |= {"phrases"} if not phrase else set()
        terms = {term: value for term, value in explanation.contributions.items() if term not in dropped}
        return replace(explanation, matched_words=words, phrase=phrase, contributions=terms)

    def with_values(self, table: RetrievedTable) -> RetrievedTable:
        """A table with its values: its reason begins with ``"'Radiohead' is a value of artist.name"``."""
        place = (table.database, table.table)
        own = [match for match in self.matches if (match.column.database, match.column.table) == place]
        if not own:
            return table
        others = [] if table.reason == NOTHING else [table.reason]
        columns = dict.fromkeys([*(match.column.column for match in own), *table.matching_columns])
        reason = "; ".join([*dict.fromkeys(map(str, own)), *others])
        return replace(table, reason=reason, matching_columns=tuple(columns))


class ValueEvidence:
    """Asks questions together with the columns whose values they name.

    Args:
        index: The values; those of columns that the schemas lack do not count.
        databases: The schemas, as they are indexed.
    """

    def __init__(self, index: ValueIndex, databases: Iterable[Database]) -> None:
        self.index = index
        self._titles: dict[tuple[str, str], str] = {}
        self._names: dict[ValueColumn, str] = {}
        for database in databases:
            for table in database:
                title = table.natural_name or readable_name(table.name)
                self._titles[database.name, table.name] = title
                for column in table.columns:
                    name = column.natural_name or readable_name(column.name)
                    self._names[ValueColumn(database.name, table.name, column.name)] = name
        titles = [*self._titles.values(), *self._names.values()]
        self._schema_words = frozenset(stem for title in titles for stem in value_key(title).split())

    def ask(self, question: str) -> AskedQuestion:
        """A question with the values that it names, and the text to ask the model."""
        matches = tuple(self.index.matches(question, self._schema_words, self._names))
        named = [
            text for value in dict.fromkeys(match.value for match in matches) for text in self._texts(value, matches)
        ]
        text = f"{question} ({', '.join(dict.fromkeys(named))})" if named else question
        return AskedQuestion(question, text, matches)

    def _texts(self, value: str, matches: Sequence[ValueMatch]) -> list[str]:
        """The names of the columns with a value; those of their tables too, where the value points at few."""
        columns = [match.column for match in matches if match.value == value]
        if len(columns) > AMBIGUOUS:
            return [self._names[column] for column in columns]
        return [f"{self._titles[column.database, column.table]} {self._names[column]}" for column in columns]
