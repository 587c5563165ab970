"""The type within a column's definition."""

import re
from collections.abc import Sequence

from joingr_pyg.schema.readers.ddl.tokens import NESTED_TYPES, NotUnderstoodError, Token, tokenize

CONSTRAINT = re.compile(
    r"(?:NOT|NULL|DEFAULT|AUTO_?INCREMENT|CHARACTER\s+SET|CHARSET|COLLATE|COMMENT|UNIQUE|PRIMARY|GENERATED|AS|CHECK"
    r"|REFERENCES|CONSTRAINT|ON|MATERIALIZED|ALIAS|EPHEMERAL|OPTIONS)\b",
    re.IGNORECASE,
)
"""What may follow the name of a column without a type."""

AFTER_TYPE = re.compile(
    r"(?:IDENTITY|ENCODE|ENCODING|DISTKEY|SORTKEY|CODEC|TTL|STATISTICS|SETTINGS|ROWGUIDCOL|SPARSE|MASKED|FILESTREAM"
    r"|PERSISTED|HIDDEN|VISIBLE|INVISIBLE|ENABLE|DISABLE|STORAGE|COMPRESSION|COMPRESS|INLINE|LOGGED|COMPACT|FOREIGN|KEY"
    r"|FORMAT|TITLE|CASESPECIFIC|UPPERCASE|TAG|MASKING|POLICY|DEFERRABLE|INITIALLY|VIRTUAL|STORED|FIRST|AFTER|START"
    r"|WITH(?!\s+(?:LOCAL\s+)?TIME)|FOR(?!\s+BIT)|USING|CLUSTERED|NONCLUSTERED)\b",
    re.IGNORECASE,
)
"""What may follow a type, beside that."""


def declared_type(definition: str, dialect: str) -> str:
    """The type that a column's definition without its name begins with.

    Args:
        definition: The definition, such as ``"int NOT NULL AUTO_INCREMENT"``.
        dialect: The dialect it is written in.
    """
    try:
        return leading_type(definition, tokenize(definition, dialect))
    except NotUnderstoodError:
        return definition


def leading_type(text: str, tokens: Sequence[Token]) -> str:
    """The type that the tokens begin with, as the text spells it; empty where the column has none.

    Args:
        text: The text that was split into tokens.
        tokens: Those after the column's name.
    """
    depth = angles = 0
    end = start = tokens[0].start if tokens else 0
    before = ""
    for token in tokens:
        depth += (token.word == "(") - (token.word == ")")
        if token.word == "<" and (angles or before in NESTED_TYPES):
            angles += 1
        elif angles and token.word in (">", ">>"):
            angles -= len(token.word)
        ends = token.word == "," or CONSTRAINT.match(text, token.start) or (before and _follows(text, token))
        if depth < 0 or (depth == 0 and angles <= 0 and not token.quote and ends):
            break
        end = token.end + 1
        before = token.word or token.text
    # SQL Server's scripts put types in brackets too.
    return re.sub(r"\[([A-Za-z_]\w*)\]", r"\1", text[start:end])


def _follows(text: str, token: Token) -> bool:
    return AFTER_TYPE.match(text, token.start) is not None
