"""A local server that speaks as OpenAI's chat completions do, for tests; what it answers, a test says."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Reply:
    """What the server sends back.

    Attributes:
        text: What the model says.
        status: The HTTP status; the body of a status above 200 is an error with ``text`` as its message.
        reason: Why the model stopped.
        body: The body in place of a chat completion.
        headers: Further headers.
        wait: Is waited for before anything is sent.
    """

    text: str = ""
    status: int = 200
    reason: str = "stop"
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    wait: threading.Event | None = None


Answering = Callable[[dict[str, Any]], Reply]


class ChatServer:
    """The server.

    Attributes:
        url: Its address, for ``base_url``.
        requests: The bodies of the requests so far.
        keys: Their headers ``Authorization``.
        answering: Answers a request; :func:`describing` where a test says nothing else.
        first: Replies to the first requests, in place of ``answering``.
        most: The largest number of requests at a time.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.answering: Answering = describing
        self.first: list[Reply] = []
        self.most = self._now = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def asked(self) -> list[list[str]]:
        """The tables that each request asked for."""
        return [tables_to_describe(request) for request in self.requests]

    def _reply(self, request: dict[str, Any], key: str | None) -> Reply:
        with self._lock:
            self.requests.append(request)
            self.keys.append(key)
            self._now += 1
            self.most = max(self.most, self._now)
            reply = self.first.pop(0) if self.first else None
        try:
            reply = reply or self.answering(request)
            if reply.wait is not None:
                reply.wait.wait(10)
            return reply
        finally:
            with self._lock:
                self._now -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = server._reply(request, self.headers["Authorization"])
                with suppress(ConnectionError):  # A client that waits no longer has gone.
                    self.send_response(reply.status)
                    for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(reply.body if reply.body is not None else completion(reply))

            def log_message(self, *arguments: Any) -> None:
                pass

        return Handler


def completion(reply: Reply) -> bytes:
    if reply.status != 200:
        return json.dumps({"error": {"message": reply.text}}).encode()
    choice = {"index": 0, "finish_reason": reply.reason, "message": {"role": "assistant", "content": reply.text}}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    content = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    return json.dumps(content).encode()


def tables_to_describe(request: dict[str, Any]) -> list[str]:
    """The tables that a request asks for."""
    return re.findall(r"^Table (\w+)", request["messages"][-1]["content"], flags=re.MULTILINE)


def describing(request: dict[str, Any]) -> Reply:
    """What a good model would say: a line for each table, and a purpose for each of its joins."""
    content = request["messages"][-1]["content"]
    joins = re.findall(r"^  ((\w+)\.\w+ = \S+)$", content, flags=re.MULTILINE)
    tables = [
        {
            "table": table,
            "line": f"what {table} is",
            "columns": [],
            "joins": [{"join": join, "words": f"why {join}"} for join, own in joins if own == table],
        }
        for table in tables_to_describe(request)
    ]
    return Reply(json.dumps({"tables": tables, "abbreviations": []}))


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    """A server of its own for a test."""
    server = ChatServer()
    yield server
    server.close()
