"""What adapters tell of a table that was found: its ``CREATE TABLE`` statement and its joins."""

from dataclasses import dataclass

from joingr_pyg.retrieval import RetrievalResult, RetrievedJoin, RetrievedTable
from joingr_pyg.schema.sql.create_table import statement_by_table


@dataclass(frozen=True)
class FoundTable:
    """A table that was found, as adapters pass it on.

    Attributes:
        found: The table, with its score and reason.
        ddl: Its ``CREATE TABLE`` statement, with foreign keys to the other tables found.
        joins: Its joins: with the other tables found, and with those that connect them.
    """

    found: RetrievedTable
    ddl: str
    joins: tuple[RetrievedJoin, ...]


def found_tables(result: RetrievalResult, dialect: str | None = None) -> list[FoundTable]:
    """The tables of an answer one by one, best first.

    Args:
        result: The answer.
        dialect: The SQL dialect of the statements, such as ``"postgres"``; where not given, types stand as the source
            of the schema spells them.

    Raises:
        JoinGRError: If there is no such dialect.
    """
    statements = {
        database.name: statement_by_table(database, names, dialect)
        for database in result.databases
        if (names := [table.table for table in result if table.database == database.name])
    }
    return [
        FoundTable(
            table,
            statements[table.database][table.table],
            tuple(
                join
                for join in result.joins
                if join.database == table.database and table.table in (join.table, join.referenced_table)
            ),
        )
        for table in result
    ]


def join_text(join: RetrievedJoin) -> str:
    """A join as text, with its source and confidence where the schema does not declare it."""
    return str(join) if join.source == "declared" else f"{join} ({join.source}, confidence {join.confidence:.2f})"
