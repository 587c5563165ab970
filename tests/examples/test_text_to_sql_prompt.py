"""The example runs as a user types it, and its prompt holds all that a language model needs."""

import runpy
import sys
from pathlib import Path

import pytest

from joingr_pyg.encoders.packaged import packaged_minilm

EXAMPLE = Path(__file__).parents[2] / "examples/text_to_sql_prompt.py"


@pytest.mark.skipif(packaged_minilm() is None, reason="the packaged MiniLM weights (extra 'offline') are missing")
def test_the_prompt_holds_tables_joins_and_the_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = tmp_path / "shop.sql"
    schema.write_text(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);"
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), placed DATE);"
    )
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), str(schema), "Which customers ordered something in May?"])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    prompt = capsys.readouterr().out
    assert prompt.startswith("Write one postgres query")
    assert "CREATE TABLE customers (" in prompt
    assert "CREATE TABLE orders (" in prompt
    assert "- orders.customer_id = customers.id\n" in prompt
    assert prompt.endswith("Question: Which customers ordered something in May?\nSQL:\n")
