import asyncio

import pytest
from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from joingr_pyg import TableRetriever
from joingr_pyg.errors import JoinGRError
from joingr_pyg.integrations.found_tables import found_tables
from joingr_pyg.integrations.langchain_retriever import JoinGRRetriever

QUESTION = "Which customers ordered products?"


def test_documents_are_tables_with_their_statements(shop: TableRetriever) -> None:
    documents = JoinGRRetriever(retriever=shop, k=3).invoke(QUESTION)
    tables = found_tables(shop.retrieve(QUESTION, 3))
    assert [document.page_content for document in documents] == [table.ddl for table in tables]
    assert [document.metadata["table"] for document in documents] == [table.found.table for table in tables]
    orders = next(document.metadata for document in documents if document.metadata["table"] == "orders")
    assert "orders.customer_id = customers.id" in orders["joins"]
    assert set(orders) == {"database", "table", "score", "reason", "joins"}


def test_it_is_asked_in_batches_and_awaited(shop: TableRetriever) -> None:
    retriever = JoinGRRetriever(retriever=shop, k=None, complete=0.5, dialect="postgres")
    questions = [QUESTION, "Which holidays are there?", "products by price"]
    alone = [retriever.invoke(question) for question in questions]
    assert retriever.batch(questions) == alone
    assert asyncio.run(retriever.abatch(questions)) == alone
    assert [len(documents) for documents in alone] == [
        len(shop.retrieve(question, None, complete=0.5)) for question in questions
    ]


def test_a_chain_takes_it(shop: TableRetriever) -> None:
    def text(documents: list[Document]) -> str:
        return "\n".join(document.page_content for document in documents)

    prompt = ChatPromptTemplate.from_template("{schema}\n-- {question}")
    chain = {"schema": JoinGRRetriever(retriever=shop, k=1) | text, "question": RunnablePassthrough()} | prompt
    (message,) = chain.invoke("Which holidays are there?").to_messages()
    assert message.content.startswith("CREATE TABLE holidays (")
    assert message.content.endswith("-- Which holidays are there?")


def test_bad_input_is_told(shop: TableRetriever) -> None:
    with pytest.raises(JoinGRError, match="The question is blank"):
        JoinGRRetriever(retriever=shop).invoke(" ")
    with pytest.raises(JoinGRError, match="There is no SQL dialect 'klingon'"):
        JoinGRRetriever(retriever=shop, dialect="klingon").invoke(QUESTION)
