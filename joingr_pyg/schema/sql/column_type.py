"""The type within a column's definition."""

import re
from collections.abc import Sequence

from sqlglot.tokens import Token, TokenType

CONSTRAINT = re.compile(
    r"(?:NOT|NULL|DEFAULT|AUTO_?INCREMENT|CHARACTER\s+SET|COLLATE|COMMENT|UNIQUE|PRIMARY|GENERATED|AS|CHECK|REFERENCES"
    r"|CONSTRAINT|ON)\b",
    re.IGNORECASE,
)
"""What may follow the type in a column's definition."""


def leading_type(text: str, tokens: Sequence[Token]) -> str:
    """The type that the tokens begin with, as the text spells it; empty where the column has none.

    Args:
        text: The text that was split into tokens.
        tokens: Those after the column's name.
    """
    depth = 0
    end = start = tokens[0].start if tokens else 0
    for token in tokens:
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if depth < 0 or (depth == 0 and (token.token_type == TokenType.COMMA or CONSTRAINT.match(text, token.start))):
            break
        end = token.end + 1
    return text[start:end]
