"""A language model behind an OpenAI-compatible endpoint, asked for JSON."""

import asyncio
import os
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from joingr_pyg.describing.json_in_text import json_in_text
from joingr_pyg.errors import JoinGRError, MissingPackageError, require_at_least, require_whole

if TYPE_CHECKING:
    import openai

KEY = "OPENAI_API_KEY"
"""The environment variable that holds the API key, where no other is named."""

FIRST_PAUSE = 0.5
"""Seconds before a request is sent again; each further pause is twice as long."""

LONGEST_PAUSE = 60.0
"""Seconds that a pause takes at most, also where the endpoint asks for a longer one."""

LINE_TOKENS = 80
"""Tokens of a line at most; what a model writes behind its line is of no use."""

EXCERPT = 200
"""Characters of an endpoint's own message that a message of this package repeats."""


class NoAnswerError(JoinGRError):
    """The model gave no usable answer to this request; to a smaller one it may."""


@dataclass(frozen=True)
class LanguageModel:
    """A language model and how to reach it.

    The API key is read from the environment when the model is asked, and appears in no message.

    Args:
        name: Name of the model, as its endpoint knows it.
        base_url: Address of the endpoint, such as ``http://localhost:8000/v1``; where not given, the environment
            variable ``OPENAI_BASE_URL``, or else OpenAI's own.
        api_key_env: Name of the environment variable that holds the API key. Where not given it is
            ``OPENAI_API_KEY``, and an endpoint at another address than OpenAI's may do without.
        timeout: Seconds that an answer may take.
        retries: How often a request is sent again, with growing pauses, where the endpoint is busy, fails, or breaks
            off.

    Raises:
        JoinGRError: If the name is blank, the address is no HTTP address, or a number is out of range.
    """

    name: str
    base_url: str | None = None
    api_key_env: str | None = None
    timeout: float = 120.0
    retries: int = 5

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise JoinGRError("The name of the language model is blank: give the name that its endpoint knows.")
        require_at_least(0.001, timeout=self.timeout)
        require_whole(retries=self.retries)
        require_at_least(0, retries=self.retries)
        address = self._given_address()
        if address is not None and (urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).netloc):
            raise JoinGRError(
                f"The address of the language model is no HTTP address (got {address.rpartition('@')[2]!r}): write it "
                "as 'http://localhost:8000/v1'."
            )

    def _given_address(self) -> str | None:
        return self.base_url or os.environ.get("OPENAI_BASE_URL") or None

    def _key(self) -> str:
        """The API key; blank where there is none and none is needed."""
        name = self.api_key_env or KEY
        key = os.environ.get(name, "").strip()
        if not key and (self.api_key_env or self._given_address() is None):
            raise JoinGRError(
                f"The language model {self.name!r} needs an API key, and the environment variable {name} holds none: "
                "set it, or name another variable (--api-key-env)."
            )
        return key

    @asynccontextmanager
    async def connect(self) -> "AsyncIterator[Connection]":
        """A connection for the running event loop.

        Raises:
            JoinGRError: If there is no API key where one is needed, or the extra ``llm`` is not installed.
        """
        key = self._key()
        try:
            import openai
        except ModuleNotFoundError as error:
            raise MissingPackageError("Asking a language model", "openai", "llm") from error
        # The client's own retries would also send again what took too long, and that as often as what failed at once.
        async with openai.AsyncOpenAI(
            api_key=key or "none", base_url=self._given_address(), timeout=self.timeout, max_retries=0
        ) as client:
            yield Connection(self, client, key)


class Connection:
    """A language model that is being asked; requests may run side by side.

    Args:
        model: The model.
        client: Its client.
        key: The API key, which is kept out of all messages.

    Attributes:
        tokens_read: Tokens of all requests that were answered, as the endpoint counts them.
        tokens_written: Tokens of all answers.
    """

    def __init__(self, model: LanguageModel, client: "openai.AsyncOpenAI", key: str) -> None:
        self.model = model
        self.tokens_read = self.tokens_written = 0
        self._client = client
        self._key = key
        self._reached = False
        self._form = 0

    async def ask(self, messages: Sequence[Mapping[str, str]], shape: Mapping[str, Any]) -> Any:
        """Ask for an answer in JSON.

        The answer's shape is asked for as a JSON schema. An endpoint that refuses this is asked for a JSON object, and
        then without any such option; what it takes is remembered.

        Args:
            messages: The messages, each with ``role`` and ``content``.
            shape: JSON schema of the answer.

        Returns:
            The answer's plain values, which may have another shape all the same.

        Raises:
            NoAnswerError: If the answer took too long, broke off or is no JSON, or this request was refused.
            JoinGRError: If the endpoint cannot be reached, refuses the key, has no such model, or failed again and
                again.
        """
        import openai

        forms = _forms(shape)
        refused: openai.APIStatusError | None = None
        for form in range(self._form, len(forms)):
            try:
                text = await self._send(messages, forms[form])
            except openai.APIStatusError as error:
                refused = refused or error
                continue
            self._form = max(self._form, form)
            try:
                return json_in_text(text)
            except ValueError as error:
                raise self._no_answer("gave an answer that is no JSON") from error
        raise self._no_answer(f"refused the request ({self._excerpt(refused)})") from refused

    async def ask_line(self, messages: Sequence[Mapping[str, str]]) -> str:
        """Ask for one line of text.

        Args:
            messages: The messages, each with ``role`` and ``content``.

        Returns:
            The first line of the answer that is not blank. Where the model goes on and on, it was cut off.

        Raises:
            NoAnswerError: As of :meth:`ask`, and if the answer is blank.
            JoinGRError: As of :meth:`ask`.
        """
        import openai

        try:
            text = await self._send(messages, {"max_tokens": LINE_TOKENS}, cut=True)
        except openai.APIStatusError as error:
            raise self._no_answer(f"refused the request ({self._excerpt(error)})") from error
        return next(line.strip() for line in text.splitlines() if line.strip())

    async def _send(self, messages: Sequence[Mapping[str, str]], form: Mapping[str, Any], cut: bool = False) -> str:
        """The text of an answer, after as many requests as it takes; it may be cut off where ``cut`` says so."""
        import openai

        for sent in range(self.model.retries + 1):
            try:
                # The client's own timeout starts again with every piece of an answer that comes.
                async with asyncio.timeout(self.model.timeout):
                    completion = await self._client.chat.completions.create(
                        model=self.model.name,
                        messages=messages,  # type: ignore[arg-type]
                        **form,
                    )
            except (TimeoutError, openai.APITimeoutError) as error:
                raise self._no_answer(f"gave no answer within {self.model.timeout:g} seconds") from error
            except (openai.APIStatusError, openai.APIConnectionError) as error:
                if _is_refused(error):
                    raise
                if sent == self.model.retries or not self._passes(error):
                    raise self._failure(error) from error
                await asyncio.sleep(_pause(sent, error))
            except (openai.APIError, ValueError) as error:
                raise self._no_answer("gave an answer that is no chat completion") from error
            else:
                self._reached = True
                return self._text(completion, cut)
        raise AssertionError("every way through the loop returns or raises")

    def _text(self, completion: Any, cut: bool) -> str:
        usage = getattr(completion, "usage", None)
        self.tokens_read += getattr(usage, "prompt_tokens", None) or 0
        self.tokens_written += getattr(usage, "completion_tokens", None) or 0
        try:
            choice = completion.choices[0]
            text, why = choice.message.content, choice.finish_reason
        except (AttributeError, IndexError, TypeError) as error:
            raise self._no_answer("gave an answer that is no chat completion") from error
        if why == "length" and not cut:
            raise self._no_answer("broke its answer off, because it grew too long")
        if not isinstance(text, str) or not text.strip():
            raise self._no_answer("gave an empty answer")
        return text

    def _passes(self, error: "openai.APIError") -> bool:
        """Whether what is wrong may pass: the endpoint is busy or failed, or a connection broke that stood before."""
        status = getattr(error, "status_code", None)
        return self._reached if status is None else status in (408, 409, 429) or status >= 500

    def _failure(self, error: "openai.APIError") -> JoinGRError:
        """The sentence that says what is wrong."""
        status = getattr(error, "status_code", None)
        if status == 413:
            return self._no_answer("refused the request as too large")
        if status is None:
            cause = error.__cause__ or error
            return JoinGRError(
                f"The endpoint {self._address} cannot be reached ({self._hidden(str(cause) or type(cause).__name__)}): "
                "start it, or give its address (--base-url)."
            )
        if status in (401, 403):
            name = self.model.api_key_env or KEY
            key = "the API key of" if self._key else "a request without an API key; none is in"
            return JoinGRError(f"The endpoint {self._address} refuses {key} the environment variable {name}: set it.")
        if status == 404:
            return JoinGRError(
                f"The endpoint {self._address} has no chat completions of a model {self.model.name!r} "
                f"({self._excerpt(error)}): check the name (--model) and the address (--base-url)."
            )
        tried = f" after {self.model.retries + 1} requests" if self._passes(error) else ""
        return JoinGRError(
            f"The endpoint {self._address} gives no answer{tried} (status {status}, {self._excerpt(error)}): try again "
            "later, with fewer requests at a time (--concurrent)."
        )

    def _no_answer(self, what: str) -> NoAnswerError:
        return NoAnswerError(f"The model {self.model.name!r} {what}.")

    @property
    def _address(self) -> str:
        return f"'{_shown(str(self._client.base_url))}'"

    def _excerpt(self, error: "openai.APIError | None") -> str:
        body = getattr(error, "body", None)
        message = body.get("message") if isinstance(body, dict) else None
        text = " ".join(str(message or getattr(error, "message", "no message")).split())
        return self._hidden(text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…")

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _is_refused(error: "openai.APIError") -> bool:
    """Whether the endpoint does not take a request as it is; some call it their own error."""
    status = getattr(error, "status_code", None)
    return status in (400, 422) or (status == 500 and "response_format" in str(error))


def _forms(shape: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The options that ask for JSON, from the strictest to none."""
    strict = {"name": "answer", "strict": True, "schema": shape}
    return [
        {"response_format": {"type": "json_schema", "json_schema": strict}},
        {"response_format": {"type": "json_object", "schema": shape}},  # As llama.cpp's Python server takes it.
        {},
    ]


def _pause(sent: int, error: "openai.APIError") -> float:
    """Seconds to wait: as long as the endpoint says, or else longer every time, and never alike for two requests."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    try:
        wanted = float(headers.get("retry-after", ""))
    except ValueError:
        wanted = FIRST_PAUSE * 2**sent * random.uniform(0.75, 1.25)
    return min(max(wanted, 0.0), LONGEST_PAUSE)


def _shown(address: str) -> str:
    """An address without a login and without options, which may hold secrets."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".removesuffix("/")
