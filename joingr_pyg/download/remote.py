"""What every fetch needs: the HTTP client, a second and third try, and one sentence when all of them fail."""

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
"""Tries of a fetch, the first one included."""

PAUSE = 0.5
"""Seconds before the second try; they double with each further one."""

_BUSY = {408, 425, 429}


class UnusableError(Exception):
    """What the server sent cannot be used, and asking again would not change it."""


class NoRangesError(UnusableError):
    """The server ignores range requests."""

    def __init__(self) -> None:
        super().__init__("the server does not support range requests")


def client() -> HTTPFileSystem:
    """The HTTP file system of all fetches: proxies of the environment, no compression, no endless waits."""
    return HTTPFileSystem(
        # A compressed answer has another length, and other ranges, than the file.
        headers={"Accept-Encoding": "identity"},
        client_kwargs={
            "trust_env": True,
            "timeout": aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=30),
        },
    )


@contextmanager
def ranges(url: str, size: int, cache: str) -> Iterator[AbstractBufferedFile]:
    """Open a remote file for seeking; every read becomes range requests.

    Args:
        url: The remote file.
        size: Its length in bytes.
        cache: fsspec's name of the block cache.

    Raises:
        NoRangesError: If the server sends the whole file where a part was asked for.
    """
    try:
        with client().open(url, block_size=BLOCK, cache_type=cache, size=size) as file:
            yield file
    except ValueError as error:
        if "range requests" in str(error):
            raise NoRangesError from error
        raise


def persistently(work: Callable[[], None], source: str, target: str, attempts: int, pause: float) -> None:
    """Run ``work``, again after a fault that may pass.

    Args:
        work: The fetch; running it again must be harmless.
        source: What is fetched, for the message.
        target: Where it goes, for the message.
        attempts: How often to try in all.
        pause: Seconds before the second attempt; it doubles with each further one.

    Raises:
        JoinGRError: If the last attempt fails, or any attempt fails for good.
    """
    for attempt in range(1, attempts + 1):
        try:
            work()
            return
        except (aiohttp.ClientError, UnusableError, BadZipFile, ZlibError, OSError) as error:
            reason, may_pass = _diagnose(error)
            if not may_pass or attempt == attempts:
                raise JoinGRError(
                    f"Could not fetch {source} to {target}: {reason}; place it there by hand, or point "
                    "`paths.data` at a folder that has it."
                ) from error
        time.sleep(pause * 2 ** (attempt - 1))


def _diagnose(error: BaseException) -> tuple[str, bool]:
    """What went wrong in words, and whether it may pass."""
    # fsspec wraps every failed look-up in FileNotFoundError, zipfile a failed read in BadZipFile.
    for link in _chain(error):
        match link:
            case aiohttp.ClientResponseError(status=status):
                return f"the server answered {status} {link.message}".rstrip(), status in _BUSY or status >= 500
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
