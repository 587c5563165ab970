"""Plain values without the secrets that a config may have taken from the environment."""

import os
import re
from typing import Any

MASK = "***"

_SECRET_NAME = re.compile(r"passw(or)?d|passphrase|secret|token$|api_?key|access_?key|private_?key|credential", re.I)
_LOGIN_IN_URL = re.compile(r"(?<=://)[^/@\s]+@")


def without_secrets(values: Any) -> Any:
    """A copy of nested plain values in which secrets are masked.

    Masked are values whose key names a secret, the login of an address (``scheme://user:password@host``), and whatever
    an environment variable holds whose name says so.
    """
    held = [value for name, value in os.environ.items() if _SECRET_NAME.search(name) and len(value) > 3]
    return _masked(values, sorted(held, key=len, reverse=True))


def _masked(values: Any, held: list[str]) -> Any:
    if isinstance(values, dict):
        return {
            key: MASK if isinstance(value, str) and value and _SECRET_NAME.search(str(key)) else _masked(value, held)
            for key, value in values.items()
        }
    if isinstance(values, list | tuple):
        return [_masked(value, held) for value in values]
    if not isinstance(values, str):
        return values
    for secret in held:
        values = values.replace(secret, MASK)
    return _LOGIN_IN_URL.sub(f"{MASK}@", values)
