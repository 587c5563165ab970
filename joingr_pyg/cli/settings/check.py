"""The check of a whole config: every value, and the arguments of every object it describes."""

import inspect
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, cast

from hydra.utils import get_object
from omegaconf import DictConfig, OmegaConf

from joingr_pyg.cli.settings.added import ADDED
from joingr_pyg.cli.settings.allowed import ALLOWED
from joingr_pyg.cli.settings.rules import group
from joingr_pyg.errors import JoinGRError

SPECIAL = ("_target_", "_partial_", "_recursive_", "_convert_", "_args_")
"""Keys that Hydra reads where a config describes an object."""


def check_config(cfg: DictConfig) -> None:
    """Check a config before anything is done with it.

    Keys that a user adds (``+trainer.max_time=...``) need to be arguments of their object; of those of the trainer the
    values are checked too.

    Raises:
        JoinGRError: For the first value that its key may not have, argument that an object does not take, or object
            that cannot be found. The message names the key, what it may be, and what it is.
        omegaconf.errors.OmegaConfBaseException: If a value is missing or refers to a key that does not exist.
    """
    values = cast(dict[str, Any], OmegaConf.to_container(cfg, resolve=True, throw_on_missing=True))
    values.pop("hydra", None)
    written = dict(leaves(cast(dict[str, Any], OmegaConf.to_container(cfg))))
    # Values that refer to other keys come last: the key that a user gave is the one to name.
    for name, value in sorted(leaves(values), key=lambda leaf: "${" in str(written.get(leaf[0]))):
        # A source takes its options from its dataset, but they can be given to it too.
        key = name if name in ALLOWED else name.replace("dataset.source.", "dataset.")
        rule = ALLOWED.get(key) or ADDED.get(key)
        if rule is not None and not rule.allows(value):
            raise JoinGRError(f"'{key}' needs to be {rule.wanted} (got {_shown(value)}).")
        below = [known for known in ALLOWED if known.startswith(f"{key}.")]
        if rule is None and below and value is not None:
            raise JoinGRError(f"'{key}' holds further keys, such as {below[0]}: set those (got {_shown(value)}).")
    for key, node in _objects(values):
        _require_arguments(key, node)


def leaves(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a config under dotted keys; a list, and a dictionary where there should be a value, are values."""
    for name, value in values.items():
        key = f"{prefix}{name}"
        is_group = (key not in ALLOWED and key not in ADDED) or (
            ALLOWED.get(key) is group and isinstance(value, dict) and "_target_" in value
        )
        if isinstance(value, dict) and value and is_group:
            yield from leaves(value, f"{key}.")
        elif name not in SPECIAL:
            yield key, value


def _objects(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The parts of a config that describe an object, under dotted keys."""
    for name, value in values.items():
        if isinstance(value, dict):
            if "_target_" in value:
                yield f"{prefix}{name}", value
            yield from _objects(value, f"{prefix}{name}.")


def _require_arguments(key: str, node: Mapping[str, Any]) -> None:
    target = node["_target_"]
    try:
        parameters = inspect.signature(get_object(target)).parameters
    except Exception as error:  # Importing it may fail in any way.
        reason = " ".join(str(error.__cause__ or error).split())
        raise JoinGRError(f"'{key}._target_' names {target!r}, which cannot be imported ({reason}).") from error
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for name in node:
        if name not in parameters and name not in SPECIAL:
            raise JoinGRError(
                f"There is no key '{key}.{name}'; {nearest(name, [n for n in parameters if n != 'self'])}"
            )


def nearest(name: str, others: list[str]) -> str:
    """What to do about a name that does not exist: the nearest of those that do, and all of them."""
    if not others:
        return "there is no other beside it."
    similar = get_close_matches(name, others, n=1)
    return f"{f'did you mean {similar[0]}? B' if similar else 'b'}eside it there are {', '.join(others)}."


def _shown(value: Any) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
