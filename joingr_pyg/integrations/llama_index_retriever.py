"""A retriever of LlamaIndex whose nodes are tables, and the table retriever of its SQL query engine.

Needs the extra ``llama_index``.
"""

import asyncio
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.objects import ObjectRetriever, SQLTableNodeMapping, SQLTableSchema
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.utilities.sql_wrapper import SQLDatabase

from joingr_pyg.integrations.found_tables import FoundTable, found_tables, join_text
from joingr_pyg.retrieval import RetrievalResult, TableRetriever

__all__ = ["JoinGRRetriever", "sql_table_retriever"]


class JoinGRRetriever(BaseRetriever):
    """Retrieves the tables that a question needs, one node each, best first.

    The text of a node is the ``CREATE TABLE`` statement of its table, with foreign keys to the other tables found. Its
    metadata hold ``name`` (the table), ``database``, ``reason``, and ``context``: what the description of the table
    and its joins tell a language model.

    Args:
        retriever: Finds the tables.
        k: As of :meth:`TableRetriever.retrieve`.
        complete: As of :meth:`TableRetriever.retrieve`.
        dialect: The SQL dialect of the statements, such as ``"postgres"``; where not given, types stand as the source
            of the schema spells them.
        options: Arguments of :class:`BaseRetriever`.

    Asking it raises :class:`~joingr_pyg.errors.JoinGRError` as :meth:`TableRetriever.retrieve` does, and if there is no
    such dialect.
    """

    def __init__(
        self,
        retriever: TableRetriever,
        k: int | None = 5,
        *,
        complete: float = 0.9,
        dialect: str | None = None,
        **options: Any,
    ) -> None:
        self.retriever, self.k, self.complete, self.dialect = retriever, k, complete, dialect
        super().__init__(**options)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._nodes(self.retriever.retrieve(query_bundle.query_str, self.k, complete=self.complete))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        result = await self.retriever.aretrieve(query_bundle.query_str, self.k, complete=self.complete)
        return await asyncio.to_thread(self._nodes, result)

    def _nodes(self, result: RetrievalResult) -> list[NodeWithScore]:
        databases = {database.name: database for database in result.databases}
        nodes = []
        for table in found_tables(result, self.dialect):
            database, name = table.found.database, table.found.table
            context = _context(table, databases[database][name].description)
            metadata = {"name": name, "database": database, "reason": table.found.reason, "context": context}
            node = TextNode(
                id_=f"{database}.{name}",
                text=table.ddl,
                metadata=metadata,
                # A prompt has the statement alone.
                excluded_llm_metadata_keys=list(metadata),
                excluded_embed_metadata_keys=list(metadata),
            )
            nodes.append(NodeWithScore(node=node, score=table.found.score))
        return nodes


def sql_table_retriever(
    retriever: TableRetriever, database: SQLDatabase, k: int | None = 5, *, complete: float = 0.9
) -> ObjectRetriever[SQLTableSchema]:
    """The table retriever of LlamaIndex's SQL query engines.

    The engine reads columns and foreign keys of these tables from the database itself, and adds to each what the
    description of the table and its joins tell, those too that the database does not declare.

    Args:
        retriever: Finds the tables.
        database: The database of the engine. Its tables have the names that ``retriever`` knows them by.
        k: As of :meth:`TableRetriever.retrieve`.
        complete: As of :meth:`TableRetriever.retrieve`.

    Returns:
        What ``SQLTableRetrieverQueryEngine(database, table_retriever)`` takes.
    """
    return ObjectRetriever(JoinGRRetriever(retriever, k, complete=complete), SQLTableNodeMapping(database))


def _context(table: FoundTable, description: str) -> str | None:
    """A table's description and joins, as one line."""
    parts = [" ".join(description.split())] * bool(description.strip())
    if table.joins:
        parts.append(f"joins: {'; '.join(join_text(join) for join in table.joins)}")
    return "; ".join(parts) or None
