"""The endpoint that answers, and every way in which it does not."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from joingr_pyg.describing import language_model
from joingr_pyg.describing.language_model import LanguageModel, NoAnswerError
from joingr_pyg.errors import JoinGRError
from tests.chat_server import ChatServer, Reply

SHAPE = {"type": "object"}
QUESTION = [{"role": "user", "content": "Who?"}]
SECRET = "sk-very-secret-123"


def ask(model: LanguageModel, times: int = 1) -> Any:
    async def run() -> Any:
        async with model.connect() as connection:
            answers = [await connection.ask(QUESTION, SHAPE) for _ in range(times)]
            return answers[-1], connection.tokens_read, connection.tokens_written

    return asyncio.run(run())


def at(server: ChatServer, **options: Any) -> LanguageModel:
    return LanguageModel("m", server.url, **options)


def test_an_answer_is_plain_values_and_tokens_are_counted(chat_server: ChatServer) -> None:
    chat_server.first = [Reply('{"a": 1}'), Reply('{"a": 2}')]
    assert ask(at(chat_server), times=2) == ({"a": 2}, 200, 20)
    assert chat_server.requests[0]["model"] == "m"
    assert chat_server.requests[0]["messages"] == QUESTION
    assert chat_server.requests[0]["response_format"]["json_schema"]["schema"] == SHAPE


def test_the_key_comes_from_the_environment(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    chat_server.answering = lambda request: Reply("{}")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("OTHER", "another")
    ask(at(chat_server))
    ask(at(chat_server, api_key_env="OTHER"))
    monkeypatch.setenv("OPENAI_BASE_URL", chat_server.url)
    ask(LanguageModel("m"))
    assert chat_server.keys == [f"Bearer {SECRET}", "Bearer another", f"Bearer {SECRET}"]


def test_an_endpoint_that_takes_no_json_schema_is_asked_in_another_way(chat_server: ChatServer) -> None:
    """What it takes is remembered."""

    def answer(request: dict[str, Any]) -> Reply:
        form = request.get("response_format", {}).get("type")
        refused = Reply("response_format: no", status=500) if form == "json_schema" else Reply("no", status=422)
        return Reply("{}") if form is None else refused

    chat_server.answering = answer
    ask(at(chat_server), times=2)
    forms = [request.get("response_format", {}).get("type") for request in chat_server.requests]
    assert forms == ["json_schema", "json_object", None, None]


def test_busy_and_failing_endpoints_are_asked_again(chat_server: ChatServer) -> None:
    chat_server.first = [Reply(status=429, headers={"Retry-After": "0.001"}), Reply(status=500), Reply('{"a": 1}')]
    assert ask(at(chat_server))[0] == {"a": 1}
    assert len(chat_server.requests) == 3


def test_a_pause_grows_and_follows_the_endpoint() -> None:
    class Response:
        headers: ClassVar[dict[str, str]] = {"retry-after": "7"}

    class Error:
        response = Response()

    assert language_model._pause(0, Error()) == 7  # type: ignore[arg-type]
    Response.headers = {"retry-after": "1000"}
    assert language_model._pause(0, Error()) == language_model.LONGEST_PAUSE  # type: ignore[arg-type]
    Response.headers = {"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}
    assert 0.006 <= language_model._pause(3, Error()) <= 0.01  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply("I cannot."), "The model 'm' gave an answer that is no JSON."),
        (Reply('{"a": 1'), "no JSON"),
        (Reply(" "), "gave an empty answer"),
        (Reply('{"a": 1}', reason="length"), "broke its answer off, because it grew too long"),
        (Reply(body=b"<html>Hello</html>", headers={"Content-Type": "text/html"}), "no chat completion"),
        (Reply(body=b"{}"), "no chat completion"),
        (Reply(body=b'{"choices": []}'), "no chat completion"),
        (Reply(body=b'{"choices": [{"message": {"content": 1}, "finish_reason": "stop"}]}'), "gave an empty answer"),
        (Reply(body=b"nonsense"), "no chat completion"),
        (Reply("too large", status=413), "refused the request as too large"),
    ],
)
def test_an_answer_of_no_use_is_told(reply: Reply, message: str, chat_server: ChatServer) -> None:
    chat_server.first = [reply]
    with pytest.raises(NoAnswerError, match=message):
        ask(at(chat_server))
    assert len(chat_server.requests) == 1


def test_a_refused_request_is_told_in_the_endpoints_own_words(chat_server: ChatServer) -> None:
    chat_server.answering = lambda request: Reply("context length exceeded", status=400)
    with pytest.raises(NoAnswerError, match=r"refused the request \(context length exceeded\)"):
        ask(at(chat_server))


def test_an_answer_that_does_not_come_is_not_waited_for(chat_server: ChatServer) -> None:
    never = threading.Event()
    chat_server.first = [Reply(wait=never)]
    try:
        with pytest.raises(NoAnswerError, match=r"gave no answer within 0\.2 seconds"):
            ask(at(chat_server, timeout=0.2))
    finally:
        never.set()


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(status=401), "refuses the API key of the environment variable OPENAI_API_KEY: set it"),
        (Reply(status=403), "refuses the API key"),
        (Reply(f"no model for {SECRET}", status=404), r"no chat completions of a model 'm' \(no model for \*\*\*\)"),
        (Reply("down", status=503), r"gives no answer after 3 requests \(status 503, down\): try again later"),
        (Reply("teapot", status=418), r"gives no answer \(status 418, teapot\)"),
    ],
)
def test_what_stops_every_request_is_one_sentence_without_the_key(
    reply: Reply, message: str, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    chat_server.answering = lambda request: reply
    with pytest.raises(JoinGRError, match=message) as caught:
        ask(at(chat_server, retries=2))
    assert not isinstance(caught.value, NoAnswerError)
    assert SECRET not in str(caught.value)
    assert str(caught.value).count("\n") == 0


def test_an_endpoint_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(
        JoinGRError, match=r"The endpoint 'http://127\.0\.0\.1:1/v1' cannot be reached \(.+\): start it"
    ):
        ask(LanguageModel("m", "http://user:password@127.0.0.1:1/v1"))


def test_a_refused_request_without_a_key_says_where_to_put_one(chat_server: ChatServer) -> None:
    chat_server.first = [Reply(status=401)]
    with pytest.raises(JoinGRError, match="a request without an API key; none is in the environment variable OPENAI_A"):
        ask(at(chat_server))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ask(LanguageModel("m")), "the environment variable OPENAI_API_KEY holds none"),
        (lambda: ask(LanguageModel("m", "http://localhost", api_key_env="MY_KEY")), "variable MY_KEY holds none"),
        (lambda: LanguageModel(" "), "name of the language model is blank"),
        (lambda: LanguageModel("m", "user:password@host"), r"no HTTP address \(got 'host'\)"),
        (lambda: LanguageModel("m", timeout=0), "'timeout' needs to be at least"),
        (lambda: LanguageModel("m", retries=-1), "'retries' needs to be at least 0"),
        (lambda: LanguageModel("m", retries=1.5), "'retries' needs to be a whole number"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_asked_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(JoinGRError, match=message):
        make()
