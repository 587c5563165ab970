"""``joingr serve`` as a process of its own, asked by the client of the official SDK."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client

from joingr_pyg import TableRetriever
from joingr_pyg.cli.main import main
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.integrations.mcp_tools import SchemaTools

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), placed DATE);
CREATE TABLE order_lines (order_id INTEGER REFERENCES orders (id), product_id INTEGER REFERENCES products (id));
CREATE TABLE products (id INTEGER PRIMARY KEY, title TEXT, price REAL);
"""

QUESTION = "Which customers ordered products?"


@pytest.fixture(scope="module")
def shop() -> TableRetriever:
    return TableRetriever.from_ddl(SHOP, CachedEncoder(HashingEncoder(64)))


@pytest.fixture(scope="module")
def command(shop: TableRetriever, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that serves the shop."""
    folder = tmp_path_factory.mktemp("serve") / "shop_index"
    shop.save(folder)
    return [sys.executable, "-m", "joingr_pyg", "serve", str(folder), "--mcp"]


@pytest.fixture(scope="module")
def url(command: list[str]) -> Iterator[str]:
    """The address of a server that all tests of this module ask; it ends as if by Ctrl+C, without complaint."""
    with subprocess.Popen([*command, "--http", "--port", "0"], stderr=subprocess.PIPE, text=True) as server:
        try:
            line = server.stderr.readline()
            yield re.fullmatch(r"Serving at (http://127.0.0.1:\d+/mcp); Ctrl\+C ends it.", line.strip())[1]
        finally:
            server.send_signal(signal.SIGINT)
            _, complaints = server.communicate(timeout=60)
    assert server.returncode == 0
    assert {*complaints.splitlines()} <= {"Invalid Host header: evil.example"}


async def called(client: Client, tool: str, **arguments: object) -> tuple[bool, str]:
    """Whether a tool failed, and its text."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    return bool(result.is_error), content.text


def test_many_clients_at_once_get_what_they_get_one_by_one(url: str, shop: TableRetriever) -> None:
    questions = [f"{what} of {whose}" for what in ("orders", "prices", "towns", "titles") for whose in ("Ada", "May")]
    expected = [SchemaTools(shop).find_tables(question) for question in questions]
    answers: dict[tuple[int, int], str] = {}

    async def ask() -> None:
        async def client(number: int) -> None:
            async with Client(url) as one:
                for place in range(len(questions)):
                    place = (place + number) % len(questions)
                    failed, answers[number, place] = await called(one, "find_tables", question=questions[place])
                    assert not failed

        await asyncio.gather(*(client(number) for number in range(8)))

    asyncio.run(ask())
    assert [answers[number, place] for number in range(8) for place in range(len(questions))] == 8 * expected


def test_a_client_that_disappears_leaves_the_server_as_it_was(url: str, shop: TableRetriever) -> None:
    body = (
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", '
        '"params": {"name": "find_tables", "arguments": {"question": "orders"}}}'
    )
    headers = (
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/event-stream\r\n"
        "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n"
    )

    async def ask() -> tuple[bool, str]:
        async with Client(url) as client:
            return await called(client, "find_tables", question=QUESTION)

    host = url.removeprefix("http://").removesuffix("/mcp")
    address = (host.partition(":")[0], int(host.partition(":")[2]))
    request = headers.format(host, len(body)) + body
    # In the middle of the headers, in the middle of the body, before the answer.
    for sent in (request[:40], request[:-20], request, request):
        with socket.create_connection(address) as client:
            client.sendall(sent.encode())
    assert asyncio.run(ask()) == (False, SchemaTools(shop).find_tables(QUESTION))


def test_pages_of_other_hosts_may_not_ask(url: str, shop: TableRetriever) -> None:
    """A page in a browser on this machine cannot reach the server under a name of its own."""
    host, _, port = url.removeprefix("http://").removesuffix("/mcp").partition(":")
    with socket.create_connection((host, int(port))) as client:
        client.sendall(b"POST /mcp HTTP/1.1\r\nHost: evil.example\r\n")
        client.sendall(b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
        assert client.recv(1000).split()[1] == b"421"  # Misdirected Request.


def test_a_client_starts_the_server_and_asks_it(command: list[str], shop: TableRetriever) -> None:
    program, *arguments = command

    async def ask() -> tuple[bool, str]:
        async with Client(StdioServerParameters(command=program, args=arguments, env={**os.environ})) as client:
            return await called(client, "find_tables", question=QUESTION)

    assert asyncio.run(ask()) == (False, SchemaTools(shop).find_tables(QUESTION))


def test_no_tool_tells_of_a_table_that_is_not_allowed(command: list[str]) -> None:
    program, *arguments = [*command, "--allowed", "order*,products"]
    questions = ["Who bought something?", "all places and names", "orders"]

    async def ask() -> list[tuple[bool, str]]:
        async with Client(StdioServerParameters(command=program, args=arguments, env={**os.environ})) as client:
            told = [await called(client, "find_tables", question=question, k=50) for question in questions]
            told += [await called(client, "describe_table", table=name) for name in ("orders", "customer", "CUSTOMERS")]
            told += [await called(client, "join_path", tables=["orders", name]) for name in ("products", "custom")]
            return told

    told = asyncio.run(ask())
    assert [failed for failed, _ in told] == [False, False, False, False, True, True, False, True]
    assert all(word not in text for _, text in told for word in ("customers", "customer_id = ", "town"))
    assert [sorted(table["table"] for table in json.loads(text)["tables"]) for _, text in told[:3]] == 3 * [
        ["order_lines", "orders", "products"]
    ]
    assert told[5][1].endswith("There is no table 'CUSTOMERS': find_tables tells which there are.")


def test_the_server_ends_with_its_client(command: list[str]) -> None:
    """A client that dies before it reads the answer is no error."""
    hello = (
        '{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", '
        '"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}\n'
    )
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        server.stdout.close()
        server.stdin.write(hello.encode())
        server.stdin.close()
        complaints = server.stderr.read().decode()
    assert (server.returncode, complaints) == (0, "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mcp", "--port", "80"], "serve: '--port' has a meaning only with '--http'"),
        (["--mcp", "--host", "localhost"], "serve: '--host' has a meaning only with '--http'"),
        (["--mcp"], "nowhere"),
    ],
)
def test_options_that_have_no_meaning_are_told(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "nowhere", *options]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_package_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    monkeypatch.delitem(sys.modules, "joingr_pyg.integrations.mcp_server", raising=False)
    assert main(["serve", "nowhere", "--mcp"]) == 2
    assert "pip install 'joingr-pyg[mcp]'" in capsys.readouterr().err
