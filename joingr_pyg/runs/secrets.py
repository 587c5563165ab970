"""Plain values without secrets, which a config may have from the environment or the command line."""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any
from urllib.parse import unquote

MASK = "***"

FOLDERS = ("PWD", "OLDPWD")
"""Variables of shells that hold folders."""

_FUSED = r"passw(?:or)?d|passphrase|passcode|secret|credential|(?:api|access|private|account|signing)[_-]?key"
_SECRET_NAME = re.compile(
    # Words of a name: db_pass, user-pw, dbPwd; hf_token, but not max_tokens; some names run together, but not compass.
    rf"(?i:{_FUSED}|token$|authorization$|(?<![a-z])(?:pass|pwd|pw)(?![a-z])|pwd$"
    r"|(?:db|user|root|admin|my|pg|sql|ssl)pass$)|(?<=[a-z])(?:Pass|Pwd)(?![a-z])"
)
_NAME = r"[\w.@/-]*"
_PAIR = re.compile(
    # In texts: password=x of a DSN or of the query of an address, PWD%3Dx within another, 'password': 'x' of JSON.
    rf"(?<![\w.@/-])(?P<key>{_NAME})(?P<equals>\s?=\s?|%3D)"
    r"(?P<value>'[^']*'|\"[^\"]*\"|\{[^}]*\}|(?:(?!%3B)[^\s;&,'\"])+)"
    rf"|(?P<quote>['\"])(?P<json>{_NAME})(?P=quote)(?P<colon>\s?:\s?)(?P<said>'[^']*'|\"[^\"]*\")",
    re.IGNORECASE,
)
_OVERRIDE = re.compile(r"(^|,)([+~]*[\w.@/-]+)=([^,]+)")
_WHOLE_ADDRESS = re.compile(r"(?P<before>(?:[+~]*[\w.@/-]+=)?['\"]?[\w+.-]+://)(?P<rest>.*)", re.DOTALL)
_ADDRESS = re.compile(r"(?P<before>[\w+.-]+://)(?P<rest>[^\s'\"<>]+)")
_KEYS = re.compile(
    r"(?<=Bearer )[\w.~+/=-]{8,}"
    r"|\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|hf_[A-Za-z0-9]{20,}"
    r"|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,})"
    r"|(?<=PRIVATE KEY-----)(?:(?!-----END).)+",
    re.DOTALL,
)
"""Keys of common services, which are told by how they begin."""


def without_secrets(values: Any, secrets: Collection[str] = ()) -> Any:
    """A copy of nested plain values in which secrets are masked.

    Masked are values whose key names a secret, also in overrides (``key=value``), in the parts of a DSN and of the
    query of an address (``password=x``), the login of an address (``scheme://user:password@host``), keys of common
    services, the values of environment variables with the name of a secret, and ``secrets``.

    Args:
        values: Nested dictionaries and lists.
        secrets: Further secrets. Those of three characters or less are masked only under their key.
    """
    environment = [value for name, value in os.environ.items() if _SECRET_NAME.search(name) and name not in FOLDERS]
    held = {value for value in [*environment, *secrets] if len(value) > 3}
    return _masked(values, sorted(held, key=len, reverse=True))


def secrets_in(values: Any) -> set[str]:
    """The values, as text, whose keys name a secret, and the passwords within addresses and DSNs."""
    if isinstance(values, dict):
        own = {str(value) for key, value in values.items() if _is_secret(key, value)}
        return own | _all_in(values.values())
    if isinstance(values, str):
        return set(_passwords_in(values))
    return _all_in(values) if isinstance(values, list | tuple) else set()


def _all_in(values: Iterable[Any]) -> set[str]:
    return set().union(*map(secrets_in, values))


def _passwords_in(text: str) -> Iterator[str]:
    for address in _addresses(text):
        login = _login(address["rest"])
        if login is not None and ":" in login:
            password = login.partition(":")[2]
            yield from (password, unquote(password))
    for pair in _PAIR.finditer(text):
        key, value = pair["key"] or pair["json"], pair["value"] or pair["said"]
        if key and _SECRET_NAME.search(key) and value:
            yield value.strip("'\"{}")


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
    whole = _WHOLE_ADDRESS.fullmatch(values)
    values = _without_login(whole) if whole else _ADDRESS.sub(_without_login, values)
    return _KEYS.sub(MASK, _PAIR.sub(_masked_pair, values))


def _addresses(text: str) -> list[re.Match[str]]:
    whole = _WHOLE_ADDRESS.fullmatch(text)
    return [whole] if whole else list(_ADDRESS.finditer(text))


def _login(rest: str) -> str | None:
    """The user and the password of what follows ``scheme://``; a password that is not escaped may hold anything."""
    login, at, _ = rest.rpartition("@")
    if not at:
        return None
    user, colon, password = login.partition(":")
    if colon and "/" not in user:
        # host:5432/... is no login.
        return None if re.match(r"\d{1,5}[/?#]", password) else login
    login = rest.partition("@")[0]
    return login if not re.search(r"[/?\s]", login) else None


def _without_login(address: re.Match[str]) -> str:
    login = _login(address["rest"])
    rest = address["rest"] if login is None else MASK + address["rest"][len(login) :]
    return address["before"] + rest


def _masked_pair(pair: re.Match[str]) -> str:
    if pair["json"] is not None:
        quote = pair["quote"]
        masked = f"{quote}{pair['json']}{quote}{pair['colon']}{quote}{MASK}{quote}"
        return masked if _SECRET_NAME.search(pair["json"]) else pair[0]
    return f"{pair['key']}{pair['equals']}{MASK}" if _SECRET_NAME.search(pair["key"]) else pair[0]


def _masked_override(match: re.Match[str]) -> str:
    before, key, value = match.groups()
    return f"{before}{key}={MASK}" if _is_secret(key, value) else match[0]
