"""A whole description, against a local server."""

import asyncio
import json
import logging
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.describing import LanguageModel, cost_of, describe_schema
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database, read_ddl
from joingr_pyg.schema.names.glossary import read_words
from tests.chat_server import ChatServer, Reply, describing, tables_to_describe

LINES = {"CUST": "what CUST is", "ORD": "what ORD is", "ORD_LN": "what ORD_LN is", "ORD_HIST": "what ORD_HIST is"}


@pytest.fixture
def model(chat_server: ChatServer) -> LanguageModel:
    return LanguageModel("m", chat_server.url, retries=1)


def test_every_table_and_join_is_described(
    shop: Database, model: LanguageModel, chat_server: ChatServer, tmp_path: Path
) -> None:
    words = describe_schema(shop, model, tmp_path / "words.json", batch=2, concurrent=1)
    assert words == read_words(tmp_path / "words.json")
    assert words.tables == LINES
    assert words.joins == {str(join): f"why {join}" for join in shop.joins}
    assert words.provenance == "written by the language model m from the schema alone"
    assert chat_server.asked() == [["CUST", "ORD"], ["ORD_LN", "ORD_HIST"]]
    assert "- ORD (ORD_KEY, CUST_KEY, ST_CD): what ORD is" in chat_server.requests[1]["messages"][1]["content"]


def test_the_next_run_asks_for_nothing(
    shop: Database, model: LanguageModel, chat_server: ChatServer, tmp_path: Path
) -> None:
    first = describe_schema(shop, model, tmp_path / "words.json")
    before = (tmp_path / "words.json").read_bytes()
    assert describe_schema(shop, "without a key", tmp_path / "words.json") == first
    assert len(chat_server.requests) == 1
    assert (tmp_path / "words.json").read_bytes() == before


def test_words_stay_in_memory_without_a_file(shop: Database, model: LanguageModel) -> None:
    words = describe_schema(shop, model, edge_purposes=False)
    assert (dict(words.tables), dict(words.joins)) == (LINES, {})


def test_a_notebook_has_an_event_loop_already(shop: Database, model: LanguageModel) -> None:
    async def cell() -> Any:
        return describe_schema(shop, model)

    assert asyncio.run(cell()).tables == LINES


def test_requests_run_side_by_side_up_to_a_limit(shop: Database, model: LanguageModel, chat_server: ChatServer) -> None:
    gate = threading.Barrier(2)  # Opens only if two requests are there at a time.

    def answer(request: dict[str, Any]) -> Reply:
        gate.wait(10)
        return describing(request)

    chat_server.answering = answer
    describe_schema(shop, model, batch=1, concurrent=2)
    assert chat_server.most == 2
    assert len(chat_server.requests) == 4


def test_tables_without_use_are_asked_for_again_with_what_was_wrong(
    shop: Database, model: LanguageModel, chat_server: ChatServer
) -> None:
    alike = [{"table": name, "line": "a thing", "columns": [], "joins": []} for name in LINES]
    chat_server.first = [Reply(json.dumps({"tables": alike, "abbreviations": []}))]
    words = describe_schema(shop, model)
    assert words.tables == {**LINES, "CUST": "a thing"}
    assert sorted(chat_server.asked(), key=len) == [["ORD_HIST"], ["ORD", "ORD_LN"], list(LINES)]
    wrong = "- ORD: the line was that of another table too ('a thing'): tell them apart"
    assert wrong in chat_server.requests[1]["messages"][1]["content"]


@pytest.mark.parametrize("reply", [Reply("no"), Reply("{", reason="length"), Reply("too long", status=400)])
def test_a_request_without_an_answer_is_asked_again_in_halves(
    reply: Reply, shop: Database, model: LanguageModel, chat_server: ChatServer
) -> None:
    chat_server.answering = lambda request: describing(request) if len(tables_to_describe(request)) < 3 else reply
    assert describe_schema(shop, model).tables == LINES
    assert [names for names in chat_server.asked() if len(names) < 3] == [["CUST", "ORD"], ["ORD_LN", "ORD_HIST"]]


def test_a_model_that_fails_at_json_is_asked_for_a_line_of_text(
    shop: Database, model: LanguageModel, chat_server: ChatServer, tmp_path: Path
) -> None:
    lines = {
        "CUST": "CUST (ID, NM): a person who buys from us",
        "ORD": '\n"what a customer ordered"\nORD_LN (a, b): and on',
        "ORD_LN": "one product on an order, and how many of it were ordered",  # An example.
        "ORD_HIST": "Sorry, I cannot do that.",
    }

    def answer(request: dict[str, Any]) -> Reply:
        if tables_to_describe(request):
            return Reply('{"tables": [[[[')
        table = request["messages"][-1]["content"].splitlines()[-1].partition(" ")[0]
        return Reply(lines[table], reason="length")

    chat_server.answering = answer
    words = describe_schema(shop, model, tmp_path / "words.json", batch=2)
    assert words.tables == {"CUST": "a person who buys from us", "ORD": "what a customer ordered"}
    plain = [request for request in chat_server.requests if not tables_to_describe(request)]
    assert [("response_format" in request, request["max_tokens"]) for request in plain] == [(False, 80)] * 4


def test_lines_alone_may_be_asked_for(shop: Database, model: LanguageModel, chat_server: ChatServer) -> None:
    chat_server.answering = lambda request: Reply(f"line {len(chat_server.requests)} of a table")
    assert list(describe_schema(shop, model, lines_only=True).tables) == list(LINES)
    assert ["response_format" in request for request in chat_server.requests] == [False] * 4
    assert "An earlier answer" not in chat_server.requests[0]["messages"][1]["content"]


def test_tables_that_stay_without_words_are_told_and_asked_for_next_time(
    shop: Database, model: LanguageModel, chat_server: ChatServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(request: dict[str, Any]) -> Reply:
        return Reply("no") if "ORD_HIST" in tables_to_describe(request) else describing(request)

    chat_server.answering = answer
    with caplog.at_level(logging.INFO, "joingr_pyg.describing"):
        words = describe_schema(shop, model, tmp_path / "words.json", batch=2)
    assert list(words.tables) == ["CUST", "ORD", "ORD_LN"]
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING] == [
        "1 table(s) got no usable words, the first 'ORD_HIST' (The model 'm' gave an answer that is no JSON); they are "
        "asked for again next time."
    ]
    chat_server.answering = describing
    assert describe_schema(shop, model, tmp_path / "words.json").tables == LINES
    assert chat_server.asked()[-1] == ["ORD_HIST"]


def test_a_model_of_no_use_is_given_up(
    shop: Database, model: LanguageModel, chat_server: ChatServer, tmp_path: Path
) -> None:
    chat_server.answering = lambda request: Reply("I am a teapot.")
    with pytest.raises(JoinGRError, match=r"No table got usable words from 3 request\(s\), the first 'CUST' .*no JSON"):
        describe_schema(shop, model, tmp_path / "words.json", batch=1, concurrent=1)
    assert len(chat_server.requests) == 6  # In JSON and as text, each.
    assert not (tmp_path / "words.json").exists()


def test_what_was_answered_before_a_failure_is_kept(
    shop: Database, model: LanguageModel, chat_server: ChatServer, tmp_path: Path
) -> None:
    chat_server.answering = lambda request: describing(request) if len(chat_server.requests) < 3 else Reply(status=401)
    with pytest.raises(JoinGRError, match="refuses a request without an API key"):
        describe_schema(shop, model, tmp_path / "words.json", batch=1, concurrent=1)
    assert list(read_words(tmp_path / "words.json").tables) == ["CUST", "ORD"]
    chat_server.answering = describing
    assert describe_schema(shop, model, tmp_path / "words.json").tables == LINES
    assert chat_server.asked()[-1] == ["ORD_LN", "ORD_HIST"]


KILLED = """
import sys
from pathlib import Path
from joingr_pyg.describing import LanguageModel, describe_schema
from joingr_pyg.schema import read_ddl
schema = read_ddl("".join(f"CREATE TABLE t{number} (x INT);" for number in range(3)))
describe_schema(schema, LanguageModel("m", sys.argv[1]), sys.argv[2], batch=1, concurrent=1)
"""


def test_a_killed_run_goes_on_where_it_stopped(chat_server: ChatServer, tmp_path: Path) -> None:
    arrived, never = threading.Event(), threading.Event()

    def answer(request: dict[str, Any]) -> Reply:
        if tables_to_describe(request) != ["t2"] or never.is_set():
            return describing(request)
        arrived.set()
        return Reply(wait=never)

    chat_server.answering = answer
    command = [sys.executable, "-c", KILLED, chat_server.url, str(tmp_path / "words.json")]
    process = subprocess.Popen(command)
    assert arrived.wait(60)
    process.kill()
    process.wait()
    assert list(read_words(tmp_path / "words.json").tables) == ["t0", "t1"]
    never.set()
    schema = read_ddl("".join(f"CREATE TABLE t{number} (x INT);" for number in range(3)))
    model = LanguageModel("m", chat_server.url)
    assert list(describe_schema(schema, model, tmp_path / "words.json").tables) == ["t0", "t1", "t2"]
    assert chat_server.asked() == [["t0"], ["t1"], ["t2"], ["t2"]]


def test_opinions_on_undeclared_joins_are_asked_for_and_kept(
    shop: Database, model: LanguageModel, chat_server: ChatServer, tmp_path: Path
) -> None:
    schema = Database("shop", shop.tables)

    def answer(request: dict[str, Any]) -> Reply:
        if "How probable" not in request["messages"][1]["content"]:
            return describing(request)
        return Reply('{"joins": [{"join": "ORD.CUST_KEY = CUST.CUST_KEY", "probability": 0.75}]}')

    chat_server.answering = answer
    cost = cost_of(schema, tmp_path / "words.json", judge_joins=True)
    assert (cost.tables, cost.requests) == (4, 2)
    words = describe_schema(schema, model, tmp_path / "words.json", judge_joins=True)
    assert words.opinions == {"ORD.CUST_KEY = CUST.CUST_KEY": 0.75}
    left = cost_of(schema, tmp_path / "words.json", judge_joins=True)
    assert (left.tables, left.joins) == (0, cost.joins - 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"batch": 0}, "'batch' needs"), ({"concurrent": 0}, "'concurrent' needs"), ({"batch": 1.5}, "'batch' needs")],
)
def test_bad_numbers_are_refused(options: dict[str, Any], message: str, shop: Database, model: LanguageModel) -> None:
    with pytest.raises(JoinGRError, match=message):
        describe_schema(shop, model, **options)


def test_no_row_is_read_or_sent(tmp_path: Path, model: LanguageModel, chat_server: ChatServer) -> None:
    """A live database may hold anything; requests hold names, types and keys."""
    import sqlite3

    from joingr_pyg.schema import read_database

    connection = sqlite3.connect(tmp_path / "live.sqlite")
    connection.executescript("CREATE TABLE patients (name TEXT); INSERT INTO patients VALUES ('Ada Lovelace');")
    connection.close()
    describe_schema(read_database(f"sqlite:///{tmp_path / 'live.sqlite'}"), model, judge_joins=True)
    assert "patients" in json.dumps(chat_server.requests)
    assert "Lovelace" not in json.dumps(chat_server.requests)
