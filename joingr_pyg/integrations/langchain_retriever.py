"""A retriever of LangChain whose documents are tables (extra ``langchain``)."""

import asyncio
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from joingr_pyg.integrations.found_tables import found_tables, join_text
from joingr_pyg.retrieval import RetrievalResult, TableRetriever

__all__ = ["JoinGRRetriever"]


class JoinGRRetriever(BaseRetriever):
    """Retrieves the tables that a question needs, one document each, best first.

    The text of a document is the ``CREATE TABLE`` statement of its table, with foreign keys to the other tables found.
    Its metadata hold ``database``, ``table``, ``score``, ``reason``, and ``joins``: those with the other tables found
    and with those that connect them, as ``"a.x = b.y"``.

    Args:
        retriever: Finds the tables.
        k: As of :meth:`TableRetriever.retrieve`.
        complete: As of :meth:`TableRetriever.retrieve`.
        dialect: The SQL dialect of the statements, such as ``"postgres"``; where not given, types stand as the source
            of the schema spells them.

    Asking it raises :class:`~joingr_pyg.errors.JoinGRError` as :meth:`TableRetriever.retrieve` does, and if there is no
    such dialect.
    """

    retriever: TableRetriever
    k: int | None = 5
    complete: float = 0.9
    dialect: str | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return self._documents(self.retriever.retrieve(query, self.k, **self._options))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        result = await self.retriever.aretrieve(query, self.k, **self._options)
        return await asyncio.to_thread(self._documents, result)

    @property
    def _options(self) -> dict[str, Any]:
        return {"complete": self.complete}

    def _documents(self, result: RetrievalResult) -> list[Document]:
        return [
            Document(
                table.ddl,
                metadata={
                    "database": table.found.database,
                    "table": table.found.table,
                    "score": table.found.score,
                    "reason": table.found.reason,
                    "joins": [join_text(join) for join in table.joins],
                },
            )
            for table in found_tables(result, self.dialect)
        ]
