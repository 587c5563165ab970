"""``joingr ask``, ``schema``, ``index`` and ``remember``, as typed."""

import json
import sqlite3
from pathlib import Path

import pytest

from joingr_pyg.cli.main import main
from joingr_pyg.encoders.packaged import packaged_minilm

needs_minilm = pytest.mark.skipif(
    packaged_minilm() is None, reason="the packaged MiniLM weights (extra 'offline') are missing"
)

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), placed DATE);
CREATE TABLE warehouses (id INTEGER PRIMARY KEY, town TEXT);
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sql"
    path.write_text(SHOP)
    return path


def test_schema_lists_what_was_read(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", str(shop)]) == 0
    printed = capsys.readouterr().out
    assert "customer_id = customers.id" in printed
    assert "3 tables, 7 columns, joins: 1 declared." in printed
    assert "Read as sqlite: 3 tables, 7 columns, 1 foreign key." in printed


def test_schema_shows_inferred_and_given_joins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "shop.sql").write_text(SHOP.replace(" REFERENCES customers (id)", ""))
    (tmp_path / "joins.txt").write_text("orders.placed = warehouses.town\n")
    line = ["schema", str(tmp_path / "shop.sql"), "--infer-joins"]
    assert main([*line, "never"]) == 0
    assert "joins: none." in capsys.readouterr().out
    assert main([*line, "auto", "--joins", str(tmp_path / "joins.txt")]) == 0
    assert "joins: 1 given, 1 inferred." in capsys.readouterr().out


def test_schema_of_a_database_file_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "shop.bin"  # Recognised by its content.
    connection = sqlite3.connect(path)
    connection.executescript(SHOP)
    connection.close()
    assert main(["schema", str(path), "--exclude", "warehouses", "--json"]) == 0
    database = json.loads(capsys.readouterr().out)["databases"][0]
    assert [table["name"] for table in database["tables"]] == ["customers", "orders"]
    assert database["joins"] == [
        {"join": "orders.customer_id = customers.id", "source": "declared", "confidence": 1.0, "evidence": ""}
    ]


@needs_minilm
def test_ask_prints_tables_reasons_and_joins(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(shop), "Which customers ordered something in May?", "-k", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.index("customers") < printed.index("joins")
    assert "orders.customer_id = customers.id" in printed
    assert "warehouses" not in printed


@needs_minilm
def test_ask_keeps_to_the_tables_that_are_allowed(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["ask", str(shop), "Which customers ordered something in May?"]
    assert main([*line, "--allowed", "warehouses,cust*", "--databases", "shop"]) == 0
    printed = capsys.readouterr().out
    assert "customers" in printed
    assert "orders" not in printed
    assert main([*line, "--allowed", "order"]) == 2
    assert "'allowed' has 'order', which is no table here" in capsys.readouterr().err
    assert main([*line, "--databases", "shob"]) == 2
    assert "No database is named 'shob': did you mean 'shop'?" in capsys.readouterr().err


@needs_minilm
def test_an_index_is_asked_and_remembers(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, answered = tmp_path / "index", tmp_path / "answered.jsonl"
    assert main(["index", str(shop), "-o", str(folder)]) == 0
    assert "3 tables and 1 joins are indexed in" in capsys.readouterr().out
    assert main(["ask", str(folder), "Warehouses by town", "-k", "1", "--ddl"]) == 0
    assert capsys.readouterr().out.startswith("CREATE TABLE warehouses")
    answered.write_text('{"question": "Warehouses by town", "tables": ["orders"]}\n')
    assert main(["remember", str(folder), str(answered)]) == 0
    assert main(["ask", str(folder), "Warehouses by town", "--json"]) == 0
    tables = json.loads(capsys.readouterr().out.partition("\n")[2])["tables"]
    orders = next(table for table in tables if table["table"] == "orders")
    assert "similar answered questions needed it" in orders["reason"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["ask", "SHOP", "  "], "ask: The question is blank"),
        (["ask", "nowhere.sql", "Who?"], "nowhere.sql"),
        (["ask", "SHOP", "Who?", "--include", "a*"], "'--include' has no meaning for a file"),
        (["schema", "sqlite:///nowhere.sqlite"], "nowhere.sqlite"),
        (["remember", "nowhere", "answered.jsonl"], "The file 'answered.jsonl' cannot be read"),
    ],
)
def test_bad_input_is_one_sentence(
    line: list[str], message: str, shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([str(shop) if word == "SHOP" else word for word in line]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "content",
    ["", "{", '{"question": "Who?"}', '{"question": "Who?", "tables": [1]}', '{"question": 1, "tables": ["a"]}'],
)
def test_a_file_of_answers_of_another_shape_is_refused(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "answered.jsonl").write_text(content)
    assert main(["remember", str(tmp_path), str(tmp_path / "answered.jsonl")]) == 2
    assert "answered.jsonl" in capsys.readouterr().err


@needs_minilm
def test_ask_writes_a_page_beside_its_answer(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "new" / "out.html"
    line = ["ask", str(shop), "Which customers ordered something in May?", "-k", "2", "--html", str(page)]
    assert main([*line, "--json"]) == 0
    printed = capsys.readouterr()
    assert [table["table"] for table in json.loads(printed.out)["tables"]] == ["orders", "customers"]
    assert f"Written: {page}" in printed.err
    text = page.read_text(encoding="utf-8")
    assert "orders.customer_id = customers.id" in text
    assert "Which customers ordered something in May?" in text
    assert main([*line[:-1], str(shop / "out.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err


HOSTILE = """
CREATE TABLE "[red]\x1b[31mcustomers" (id INTEGER PRIMARY KEY, "\x1b[2Jname" TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES "[red]\x1b[31mcustomers" (id));
"""


@needs_minilm
@pytest.mark.parametrize("more", [["-k", "2"], ["--json"]])
def test_names_give_no_orders_to_the_terminal(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "shop.sql"
    path.write_text(HOSTILE)
    for line in (["schema", str(path)], ["ask", str(path), "Which customers ordered?", *more]):
        assert main(line) == 0
        printed = capsys.readouterr()
        assert "\x1b" not in printed.out + printed.err
        assert r"[red]\u001b[31mcustomers" in printed.out


def test_errors_give_no_orders_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", str(tmp_path / "\x1b[31mno.sql")]) == 2
    assert "\x1b" not in capsys.readouterr().err
