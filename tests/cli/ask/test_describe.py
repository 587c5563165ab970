"""``joingr describe``, as typed."""

import json
from pathlib import Path

import pytest

from joingr_pyg.cli.main import main
from joingr_pyg.schema.names.glossary import read_words
from tests.chat_server import ChatServer, Reply

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), placed DATE);
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    Path("shop.sql").write_text(SHOP)


def test_a_schema_is_described_and_then_up_to_date(chat_server: ChatServer, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["describe", "shop.sql", "-o", "words.json", "--model", "m", "--base-url", chat_server.url]
    assert main(line) == 0
    printed = capsys.readouterr().out
    assert "2 tables to describe, in 1 requests: about" in printed
    assert "words.json describes 2 of 2 tables, 0 columns and 0 abbreviations." in printed
    assert 'joingr ask shop.sql "your question" --words words.json' in printed
    assert read_words("words.json").joins == {
        "orders.customer_id = customers.id": "why orders.customer_id = customers.id"
    }
    assert main(line) == 0
    assert capsys.readouterr().out == "All tables are described, and none has changed.\n"
    content = json.loads(Path("words.json").read_text())
    Path("words.json").write_text(json.dumps({**content, "tables": {**content["tables"], "orders": "ours"}}))
    Path("shop.sql").write_text(SHOP.replace("placed", "posted"))
    assert main(line) == 0
    assert "1 changed table(s) keep their words, which people wrote: orders." in capsys.readouterr().out
    assert len(chat_server.requests) == 1
    assert main(["schema", "shop.sql", "--words", "words.json"]) == 0
    assert "what customers is" in capsys.readouterr().out


def test_a_dry_run_tells_the_cost_and_needs_neither_model_nor_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "shop.sql", "-o", "words.json", "--dry-run", "--prices", "1000,1000000"]) == 0
    assert "175 to write, which costs about 17" in capsys.readouterr().out
    assert not Path("words.json").exists()


def test_what_was_answered_before_an_interruption_is_kept(
    chat_server: ChatServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("joingr_pyg.cli.ask.describe.describe_schema", interrupted)
    assert main(["describe", "shop.sql", "-o", "words.json", "--model", "m", "--base-url", chat_server.url]) == 2
    assert "Interrupted; what was answered is in 'words.json'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "No language model is named: add --model NAME"),
        (["--model", "m"], "the environment variable OPENAI_API_KEY holds none"),
        (["--model", "m", "--base-url", "http://127.0.0.1:1"], "The endpoint 'http://127.0.0.1:1' cannot be reached"),
        (["--model", "m", "--base-url", "URL"], "gave an answer that is no JSON"),
        (["--model", "m", "--prices", "cheap"], "'--prices' needs two numbers"),
        (["--model", "m", "--batch", "0"], "'batch' needs to be at least 1"),
        (["--dry-run", "--include", "a*"], "'--include' has no meaning for a file"),
    ],
)
def test_bad_input_is_one_sentence(
    options: list[str], message: str, chat_server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.answering = lambda request: Reply("no")
    given = [chat_server.url if option == "URL" else option for option in options]
    assert main(["describe", "shop.sql", "-o", "words.json", *given]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") <= 2  # The second tells the tokens that were used.
