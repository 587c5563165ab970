"""What comes back: joins, statements for a prompt, plain values."""

import json
import sys
from pathlib import Path

import pytest

from joingr_pyg import RetrievalResult, RetrievedJoin, RetrievedTable, TableRetriever
from joingr_pyg.encoders import Encoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.readers.ddl import read_ddl

DDL = """
CREATE TABLE customers (id INT PRIMARY KEY, town TEXT, boss_id INT REFERENCES customers(id));
CREATE TABLE subscriptions (id INT PRIMARY KEY, customer_id INT REFERENCES customers(id), plan TEXT);
CREATE TABLE invoices (id INT PRIMARY KEY, customer_id INT REFERENCES customers(id),
                       subscription_id INT REFERENCES subscriptions(id), due DATE);
CREATE TABLE invoice_lines (id INT PRIMARY KEY, invoice_id INT REFERENCES invoices(id), amount INT);
CREATE TABLE weather (id INT PRIMARY KEY, wind INT);
"""
QUESTION = "In which town are invoices due?"


@pytest.fixture(scope="module")
def retriever(encoder: Encoder) -> TableRetriever:
    zoo = Database("zoo", (Table("cage", (Column("customers"),)),))
    return TableRetriever([read_ddl(DDL, "shop"), zoo], encoder)


@pytest.fixture(scope="module")
def every(retriever: TableRetriever) -> RetrievalResult:
    return retriever.retrieve(QUESTION, k=100)


def of(every: RetrievalResult, *tables: str) -> RetrievalResult:
    chosen = tuple(table for table in every if table.table in tables)
    return RetrievalResult(every.question, chosen, every.databases)


def test_a_result_is_a_sequence_of_tables(every: RetrievalResult) -> None:
    assert len(every) == 6
    assert every[0] == next(iter(every)) == every.tables[0]
    assert isinstance(every[0], RetrievedTable)
    assert every[:2] == RetrievalResult(QUESTION, every.tables[:2], every.databases)
    assert every[0] in every


def test_all_joins_among_the_tables(every: RetrievalResult) -> None:
    result = of(every, "customers", "subscriptions", "invoices", "cage")
    assert [str(join) for join in result.joins] == [
        "customers.boss_id = customers.id",
        "subscriptions.customer_id = customers.id",
        "invoices.customer_id = customers.id",
        "invoices.subscription_id = subscriptions.id",
    ]
    assert all(join.direct and join.source == "declared" and join.database == "shop" for join in result.joins)
    assert [str(join) for join in of(every, "customers").joins] == ["customers.boss_id = customers.id"]


def test_a_path_over_other_tables_is_marked(every: RetrievalResult) -> None:
    result = of(every, "customers", "invoice_lines", "weather")
    assert [(str(join), join.direct) for join in result.joins] == [
        ("customers.boss_id = customers.id", True),
        ("invoices.customer_id = customers.id", False),
        ("invoice_lines.invoice_id = invoices.id", False),
    ]


def test_joins_that_are_not_declared_are_marked(encoder: Encoder) -> None:
    tables = tuple(Table(name, (Column("id", "INT"), Column("town", "INT"))) for name in ("firm", "place", "note"))
    guess = ForeignKey("firm", "town", "place", "id", "", "inferred", 0.5, "names")
    retriever = TableRetriever([Database("d", tables, (guess,))], encoder)
    result = retriever.retrieve("town of a firm", k=3)
    assert result.joins == (RetrievedJoin("d", "firm", "town", "place", "id", "inferred", 0.5, True),)
    assert "FOREIGN KEY (town) REFERENCES place (id)  -- inferred, confidence 0.50" in result.to_ddl()
    reached = next(table for table in result if table.joins)
    assert "firm.town = place.id (inferred)" in reached.reason


def test_statements_for_a_prompt(every: RetrievalResult) -> None:
    result = of(every, "invoices", "customers")
    ddl = result.to_ddl()
    again = read_ddl(ddl, "again")
    assert [table.name for table in again] == [table.table for table in result]
    assert {str(join) for join in again.joins} == {str(join) for join in result.joins}
    assert "subscription_id INT" in ddl
    matching = result.to_ddl("postgres", matching_columns=True)
    assert "subscription_id" not in matching
    assert "due DATE" in matching
    assert "town TEXT" in matching
    both = every.to_ddl()
    assert both.startswith("-- Database shop\n\n") or both.startswith("-- Database zoo\n\n")
    assert both.count("CREATE TABLE") == 6
    with pytest.raises(JoinGRError, match="There is no SQL dialect"):
        result.to_ddl("klingon")


def test_plain_values(every: RetrievalResult) -> None:
    values = every.to_dict()
    assert json.loads(every.to_json()) == values
    assert values["question"] == QUESTION
    assert [table["table"] for table in values["tables"]] == [table.table for table in every]
    assert values["tables"][0].keys() == RetrievedTable.__dataclass_fields__.keys()
    assert values["joins"][0] == {
        "database": "shop",
        "table": "customers",
        "column": "boss_id",
        "referenced_table": "customers",
        "referenced_column": "id",
        "source": "declared",
        "confidence": 1.0,
        "direct": True,
    }


def test_a_table_that_the_question_names_says_so_first(retriever: TableRetriever) -> None:
    result = {table.table: table for table in retriever.retrieve("How many invoice lines has a customer?", k=100)}
    for name in ("invoice_lines", "customers"):
        assert result[name].reason.startswith("the question names it")
        assert result[name].joins == ()
    assert not result["subscriptions"].reason.startswith("the question names it")
    assert result["weather"].reason == "nothing in the question speaks for it"


def test_a_name_of_stop_words_alone_is_not_named(encoder: Encoder, tmp_path: Path) -> None:
    other = Database("d", (Table("other", (Column("id"),)), Table("room", (Column("id"),))))
    result = {table.table: table for table in TableRetriever([other], encoder).retrieve("Which room?", k=2)}
    assert result["room"].reason.startswith("the question names it")
    assert not result["other"].reason.startswith("the question names it")


def test_a_page_and_a_frame_of_the_answer(every: RetrievalResult) -> None:
    page = every[:3].to_html()
    assert page.startswith("<!DOCTYPE html>")
    assert QUESTION in page
    assert "Found: 3 of 6 tables." in page
    assert "the whole walk" in page
    assert every._repr_html_().startswith("<iframe srcdoc=")
    assert "No table was found" in every[:0].to_html()


def test_a_figure_of_the_answer(every: RetrievalResult) -> None:
    pytest.importorskip("matplotlib")
    assert QUESTION in {text.get_text() for text in every.plot().axes[0].texts}


def test_a_figure_needs_matplotlib(every: RetrievalResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "joingr_pyg.plotting.figure", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(JoinGRError, match=r"Drawing an answer needs 'matplotlib'.*joingr-pyg\[plot\]"):
        every.plot()


def test_a_page_names_no_table_that_was_not_allowed(retriever: TableRetriever) -> None:
    result = retriever.retrieve(QUESTION, allowed=["invoices", "customers"])
    assert result.walk is not None
    assert result.walk.num_tables == 2
    for other in ("subscriptions", "invoice_lines", "weather", "cage"):
        assert other not in result.to_html()
