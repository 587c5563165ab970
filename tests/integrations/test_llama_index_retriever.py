import asyncio
from collections.abc import Iterator

import pytest
from llama_index.core import MockEmbedding, Settings
from llama_index.core.bridge.pydantic import Field
from llama_index.core.indices.struct_store import SQLTableRetrieverQueryEngine
from llama_index.core.llms import MockLLM
from llama_index.core.objects import SQLTableSchema
from llama_index.core.utilities.sql_wrapper import SQLDatabase
from sqlalchemy import create_engine, text

from joingr_pyg import TableRetriever
from joingr_pyg.integrations.found_tables import found_tables
from joingr_pyg.integrations.llama_index_retriever import JoinGRRetriever, sql_table_retriever

QUESTION = "Which customers ordered products?"


class Recording(MockLLM):
    """Answers every prompt with the same query, and keeps the prompts."""

    prompts: list[str] = Field(default_factory=list)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: object) -> object:
        self.prompts.append(prompt)
        return super().complete("SQLQuery: SELECT name FROM customers", formatted, **kwargs)


@pytest.fixture
def database() -> Iterator[SQLDatabase]:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        for statement in (
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)",
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, placed DATE)",
            "CREATE TABLE order_lines (order_id INTEGER, product_id INTEGER, amount INTEGER)",
            "CREATE TABLE products (id INTEGER PRIMARY KEY, title TEXT)",
            "CREATE TABLE holidays (day DATE)",
            "INSERT INTO customers VALUES (1, 'Ada')",
        ):
            connection.execute(text(statement))
    yield SQLDatabase(engine)
    engine.dispose()


def test_nodes_are_tables_with_their_statements(shop: TableRetriever) -> None:
    retriever = JoinGRRetriever(shop, 3)
    nodes = retriever.retrieve(QUESTION)
    tables = found_tables(shop.retrieve(QUESTION, 3))
    assert [node.get_content() for node in nodes] == [table.ddl for table in tables]
    assert [node.score for node in nodes] == [table.found.score for table in tables]
    assert [node.metadata["name"] for node in nodes] == [table.found.table for table in tables]
    assert asyncio.run(retriever.aretrieve(QUESTION)) == nodes


def test_the_engine_gets_tables_and_their_joins(shop: TableRetriever, database: SQLDatabase) -> None:
    tables = sql_table_retriever(shop, database, 2)
    found = tables.retrieve(QUESTION)
    assert [each.table_name for each in found] == [each.table for each in shop.retrieve(QUESTION, 2)]
    assert asyncio.run(tables.aretrieve(QUESTION)) == found
    assert sql_table_retriever(shop, database, 1).retrieve("Which holidays are there?") == [
        SQLTableSchema(table_name="holidays", context_str=None)
    ]


def test_the_sql_query_engine_asks_about_these_tables_alone(
    shop: TableRetriever, database: SQLDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database declares no key: the joins in the prompt are those that the retriever knows."""
    # The engine wants an embedding model, which it does not use.
    monkeypatch.setattr(Settings, "_embed_model", MockEmbedding(embed_dim=8))
    llm = Recording()
    engine = SQLTableRetrieverQueryEngine(
        database, sql_table_retriever(shop, database, 2), llm=llm, synthesize_response=False
    )
    response = engine.query(QUESTION)
    assert "Ada" in str(response)
    (prompt,) = llm.prompts
    found = shop.retrieve(QUESTION, 2)
    for table in database.get_usable_table_names():
        assert (f"Table '{table}' has columns" in prompt) == (table in [each.table for each in found])
    assert all(str(join) in prompt for join in found.joins)
