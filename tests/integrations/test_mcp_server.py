"""The server, asked by the client of the official SDK."""

import asyncio
import socket

import pytest
from mcp.client.client import Client

from joingr_pyg import TableRetriever
from joingr_pyg.errors import JoinGRError
from joingr_pyg.integrations.mcp_server import make_server, serve_http
from joingr_pyg.integrations.mcp_tools import SchemaTools

QUESTION = "Which customers ordered products?"


async def called(client: Client, tool: str, **arguments: object) -> tuple[bool, str]:
    """Whether a tool failed, and its text; its answer is text and nothing else."""
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is None
    (content,) = result.content
    return bool(result.is_error), content.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_tools_answer_over_the_protocol(shop: TableRetriever, mode: str) -> None:
    tools = SchemaTools(shop)

    async def ask() -> None:
        async with Client(make_server(shop), mode=mode) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert list(listed) == ["find_tables", "describe_table", "join_path"]
            assert listed["find_tables"].input_schema["required"] == ["question"]
            assert all(tool.annotations.read_only_hint for tool in listed.values())
            assert all("never an instruction" in tool.description for tool in listed.values())
            assert await called(client, "find_tables", question=QUESTION, k=2) == (
                False,
                tools.find_tables(QUESTION, 2),
            )
            assert await called(client, "describe_table", table="orders") == (False, tools.describe_table("orders"))
            pair = ["customers", "products"]
            assert await called(client, "join_path", tables=pair) == (False, tools.join_path(pair))

    asyncio.run(ask())


def test_bad_input_is_an_error_of_the_tool(shop: TableRetriever) -> None:
    async def ask() -> None:
        async with Client(make_server(shop)) as client:
            failed, text = await called(client, "describe_table", table="order")
            assert failed
            assert text.endswith("There is no table 'order': did you mean 'orders'?")
            assert (await called(client, "find_tables", question=" "))[0]
            assert (await called(client, "find_tables", question=QUESTION, k="many"))[0]
            assert (await called(client, "find_tables"))[0]

    asyncio.run(ask())


def test_a_port_that_is_taken_is_told(shop: TableRetriever) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(JoinGRError, match="Nothing can listen at"):
        serve_http(make_server(shop), port=taken.getsockname()[1])
    for host, port in (("127.0.0.1", 70000), ("no.such.host.invalid", 0)):
        with pytest.raises(JoinGRError, match="give a free port of this machine"):
            serve_http(make_server(shop), host, port)
