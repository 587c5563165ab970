"""Plain values without secrets, which a config may have from the environment or the command line."""

import os
import re
from collections.abc import Collection, Iterable
from typing import Any

MASK = "***"

_SECRET_NAME = re.compile(r"passw(or)?d|passphrase|secret|token$|api_?key|access_?key|private_?key|credential", re.I)
_LOGIN_IN_URL = re.compile(r"(?<=://)[^/@\s]+@")
_OVERRIDE = re.compile(r"(^|,)([+~]*[\w.@/-]+)=([^,]+)")


def without_secrets(values: Any, secrets: Collection[str] = ()) -> Any:
    """A copy of nested plain values in which secrets are masked.

    Masked are values whose key names a secret, also in overrides (``key=value``), the login of an address
    (``scheme://user:password@host``), the values of environment variables with the name of a secret, and ``secrets``.

    Args:
        values: Nested dictionaries and lists.
        secrets: Further secrets. Those of three characters or less are masked only under their key.
    """
    environment = [value for name, value in os.environ.items() if _SECRET_NAME.search(name)]
    held = {value for value in [*environment, *secrets] if len(value) > 3}
    return _masked(values, sorted(held, key=len, reverse=True))


def secrets_in(values: Any) -> set[str]:
    """The values, as text, whose keys name a secret."""
    if isinstance(values, dict):
        own = {str(value) for key, value in values.items() if _is_secret(key, value)}
        return own | _all_in(values.values())
    return _all_in(values) if isinstance(values, list | tuple) else set()


def _all_in(values: Iterable[Any]) -> set[str]:
    return set().union(*map(secrets_in, values))


def _is_secret(key: Any, value: Any) -> bool:
    is_value = isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""
    return is_value and _SECRET_NAME.search(str(key)) is not None


def _masked(values: Any, held: list[str]) -> Any:
    if isinstance(values, dict):
        return {key: MASK if _is_secret(key, value) else _masked(value, held) for key, value in values.items()}
    if isinstance(values, list | tuple):
        return [_masked(value, held) for value in values]
    if not isinstance(values, str):
        return values
    for secret in held:
        values = values.replace(secret, MASK)
    values = _OVERRIDE.sub(_masked_override, values)
    return _LOGIN_IN_URL.sub(f"{MASK}@", values)


def _masked_override(match: re.Match[str]) -> str:
    before, key, value = match.groups()
    return f"{before}{key}={MASK}" if _is_secret(key, value) else match[0]
