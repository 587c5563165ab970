"""Preparation of schemas before indexing: names are expanded, a words file and joins are added."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from joingr_pyg.errors import require_flags
from joingr_pyg.schema import Database, TableName
from joingr_pyg.schema.joins.few_keys import InferJoins, ReadShares, with_inferred_joins
from joingr_pyg.schema.joins.given import joins_tables, with_given_joins
from joingr_pyg.schema.joins.opinions import judge_of
from joingr_pyg.schema.names.expansion import with_expanded_names
from joingr_pyg.schema.names.glossary import Words, with_words


@dataclass(frozen=True)
class Preparation:
    """The settings that turn a schema as read into the schema that is indexed.

    A retriever keeps them, so that it can read its schema again and prepare it in the same way.

    Args:
        expand_names: Expand common abbreviations in names, and split run-together words.
        words: The words file of the schema, if there is one. Its abbreviations take precedence over common ones.
        joins: Pairs of columns to join, as :func:`~joingr_pyg.schema.joins.given.with_given_joins` takes them.
        infer_joins: Whether joins are inferred, as
            :func:`~joingr_pyg.schema.joins.few_keys.with_inferred_joins` takes it.

    Raises:
        JoinGRError: If ``expand_names`` is neither true nor false.
    """

    expand_names: bool = False
    words: Words | None = None
    joins: tuple[tuple[str, str], ...] = ()
    infer_joins: InferJoins = False

    def __post_init__(self) -> None:
        require_flags(expand_names=self.expand_names)

    def __call__(
        self, databases: Iterable[Database], *, strict: bool = False, read_shares: ReadShares | None = None
    ) -> tuple[Database, ...]:
        """Prepare schemas.

        Args:
            databases: The schemas.
            strict: Whether a given join of a column that a schema lacks is an error. A schema that was changed may
                have lost one; the join is then left out with a warning.
            read_shares: As :func:`~joingr_pyg.schema.joins.few_keys.with_inferred_joins` takes it.

        Raises:
            JoinGRError: In strict mode, if there is such a join.
        """
        return tuple(self._prepare(database, strict, read_shares) for database in databases)

    def _prepare(self, database: Database, strict: bool, read_shares: ReadShares | None) -> Database:
        if self.expand_names:
            database = with_expanded_names(database, {} if self.words is None else self.words.abbreviations)
        if self.words is not None:
            database = with_words(database, self.words, strict=strict)
        database = with_given_joins(database, self.joins, strict=strict)
        opinion = None if self.words is None else judge_of(self.words.opinions, database)
        return with_inferred_joins(database, self.infer_joins, opinion, read_shares)

    def about(self, databases: Sequence[Database], tables: Container[TableName]) -> "Preparation":
        """The same settings without what they say of other tables of the schemas than these."""
        words = None if self.words is None else self.words.about(databases, tables)
        joins = tuple(pair for pair in self.joins if joins_tables(pair, databases, tables))
        return replace(self, words=words, joins=joins)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Preparation":
        """Convert back from the values of :meth:`to_dict`."""
        words = values["words"]
        joins = tuple((first, second) for first, second in values.get("joins", ()))
        return cls(**{**values, "words": None if words is None else Words(**words), "joins": joins})
