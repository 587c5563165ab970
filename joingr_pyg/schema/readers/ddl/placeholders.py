"""Placeholders that a script's author meant to be filled in, such as ``@cdmDatabaseSchema.person``."""

import re

QUOTED = r"""'(?:[^']|'')*'|"[^"\n]*"|`[^`\n]*`|--[^\n]*|/\*.*?\*/"""

SCHEMA = re.compile(
    rf"({QUOTED})"
    r"|(?:(?<![\w@])@\w+|&&?\w+\.?|\$\(\w+\)|\$\{[^}\n]*\}|\{\{[^}\n]*\}\}|\{\w+\}(?:\{\w+\})*|%\(\w+\)s|(?<=\s):\"?\w+\"?"
    r"|(?<=\s)<\w+>)"
    r"\s*\.\s*(?=[\w\"`\[{$@&])",
    re.DOTALL,
)
"""One that stands for a schema, with the dot behind it."""

NAME = re.compile(rf"({QUOTED})|\$?\{{\{{?\s*([\w.:]+)\s*\}}?\}}(\w?)", re.DOTALL)
"""One that stands for a name or the beginning of a name."""


def without_placeholders(text: str) -> str:
    """A statement without placeholders: those for schemas are left out, those for tables become names.

    Args:
        text: The statement.
    """
    if not re.search(r"[@&$:%<{]", text):
        return text
    text = SCHEMA.sub(lambda match: match[1] or "", text)
    return NAME.sub(_name, text) if "{" in text else text


def _name(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    # What is written right behind a placeholder is a name already, of which it is but the prefix.
    return match[3] or re.split(r"[.:]", match[2])[-1]
