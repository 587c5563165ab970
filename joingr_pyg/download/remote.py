"""The HTTP client of all downloads, retries, and one-sentence errors."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from zipfile import BadZipFile
from zlib import error as ZlibError

import aiohttp
from fsspec.implementations.http import HTTPFileSystem
from fsspec.spec import AbstractBufferedFile

from joingr_pyg.errors import JoinGRError

BLOCK = 2**19
"""Bytes of one range request."""

ATTEMPTS = 4
"""Maximum number of attempts of a download."""

PAUSE = 0.5
"""Seconds before the second attempt; they double with each further attempt."""

_TEMPORARY_STATUS = {408, 425, 429}


class UnusableError(Exception):
    """The received data cannot be used, and another attempt would not help."""


class NoRangesError(UnusableError):
    """The server ignores range requests."""

    def __init__(self) -> None:
        super().__init__("the server does not support range requests")


def client() -> HTTPFileSystem:
    """The HTTP file system of all downloads: with proxies of the environment and timeouts, without compression."""
    return HTTPFileSystem(
        # With compression, lengths and ranges would not be those of the file.
        headers={"Accept-Encoding": "identity"},
        client_kwargs={
            "trust_env": True,
            "timeout": aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=30),
        },
    )


@contextmanager
def open_ranges(url: str, size: int, cache: str) -> Iterator[AbstractBufferedFile]:
    """Open a remote file with random access by range requests.

    Args:
        url: The remote file.
        size: Its length in bytes.
        cache: fsspec's name of the block cache.

    Raises:
        NoRangesError: If the server answers a range request with the whole file.
    """
    try:
        with client().open(url, block_size=BLOCK, cache_type=cache, size=size) as file:
            yield file
    except ValueError as error:
        if "range requests" in str(error):
            raise NoRangesError from error
        raise


def with_retries(download: Callable[[], None], source: str, target: str, attempts: int, pause: float) -> None:
    """Run a download, and repeat it after a temporary error.

    Args:
        download: The download; repeating it must be harmless.
        source: What is downloaded, for the message.
        target: Where it is written, for the message.
        attempts: Maximum number of attempts.
        pause: Seconds before the second attempt; they double with each further attempt.

    Raises:
        JoinGRError: If the last attempt fails, or an attempt fails with a permanent error.
    """
    for attempt in range(1, attempts + 1):
        try:
            download()
            return
        except (aiohttp.ClientError, UnusableError, BadZipFile, ZlibError, OSError) as error:
            reason, temporary = _diagnose(error)
            if not temporary or attempt == attempts:
                raise JoinGRError(
                    f"Could not download {source} to {target}: {reason}; put it there by hand, or set `paths.data` to "
                    "a folder that has it."
                ) from error
        time.sleep(pause * 2 ** (attempt - 1))


def _diagnose(error: BaseException) -> tuple[str, bool]:
    """The reason of an error in words, and whether it is temporary."""
    # fsspec wraps failed requests in FileNotFoundError, and zipfile wraps failed reads in BadZipFile.
    for link in _chain(error):
        match link:
            case aiohttp.ClientResponseError(status=status):
                return (
                    f"the server answered {status} {link.message}".rstrip(),
                    status in _TEMPORARY_STATUS or status >= 500,
                )
            case aiohttp.ClientConnectorError():
                return f"there is no connection ({link})", True
            case TimeoutError():
                return "the server did not answer in time", True
            case aiohttp.ClientError() | ConnectionError():
                return f"the connection broke off ({link})", True
    match error:
        case UnusableError():
            return str(error), False
        case BadZipFile() | ZlibError():
            return f"the archive is damaged ({error})", False
        case FileNotFoundError(filename=None):
            return "the server answered 404 Not Found", False
        case _:
            return f"the folder cannot be written ({getattr(error, 'strerror', None) or error})", False


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
