"""Rules on values: what is allowed, in code and in words."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Rule:
    """What a value may be.

    Args:
        wanted: What it needs to be, as in "'seed' needs to be ...".
        allows: Whether a value is allowed.
    """

    wanted: str
    allows: Callable[[Any], bool]

    def __or__(self, other: "Rule") -> "Rule":
        """What either rule allows."""
        return Rule(f"{self.wanted}, or {other.wanted}", lambda value: self.allows(value) or other.allows(value))


def whole(least: int, most: int | None = None) -> Rule:
    """A whole number from ``least`` to ``most``."""
    wanted = f"a whole number, at least {least}" if most is None else f"a whole number from {least} to {most}"
    return Rule(wanted, lambda value: type(value) is int and least <= value and (most is None or value <= most))


def number(
    least: float = -math.inf, most: float = math.inf, *, above: float = -math.inf, below: float = math.inf
) -> Rule:
    """A finite number, with bounds that are allowed (``least``, ``most``) or not (``above``, ``below``)."""
    bounds = {"at least": least, "above": above, "at most": most, "below": below}
    said = " and ".join(f"{words} {bound:g}" for words, bound in bounds.items() if math.isfinite(bound))

    def allows(value: Any) -> bool:
        is_number = type(value) in (int, float) and math.isfinite(value)
        return is_number and least <= value <= most and above < value < below

    return Rule(f"a number{', ' * bool(said)}{said}", allows)


def choice(*options: object) -> Rule:
    """One of some values."""
    shown = {None: "null", True: "true", False: "false"}
    names = list(
        dict.fromkeys(
            shown[option] if option is None or option is True or option is False else str(option) for option in options
        )
    )
    said = f"one of {', '.join(names)}" if names[1:] else names[0]
    return Rule(said, lambda value: any(type(value) is type(option) and value == option for option in options))


def list_of(rule: Rule, *, empty: bool = True) -> Rule:
    """A list whose values follow a rule."""

    def allows(value: Any) -> bool:
        return isinstance(value, list) and (empty or bool(value)) and all(map(rule.allows, value))

    return Rule(f"a list{'' if empty else ' that is not empty'}, each value {rule.wanted}", allows)


flag = Rule("true or false", lambda value: isinstance(value, bool))
text = Rule("text", lambda value: isinstance(value, str) and bool(value.strip()))
null = Rule("null", lambda value: value is None)
group = Rule("null, or an object with a _target_", lambda value: value is None)
folder = Rule("a folder that exists", lambda value: isinstance(value, str) and Path(value).is_dir())
