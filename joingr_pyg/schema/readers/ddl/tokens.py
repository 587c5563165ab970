"""The tokens of one statement and the small pieces that all statements are made of: names, lists and strings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlglot.tokens import TokenType

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.readers.ddl.dialects import TOKENS_OF
from joingr_pyg.schema.sql.parsing import tokenize_sql

STRINGS = {
    TokenType.STRING,
    TokenType.NATIONAL_STRING,
    TokenType.RAW_STRING,
    TokenType.HEREDOC_STRING,
    TokenType.BYTE_STRING,
    TokenType.UNICODE_STRING,
}

FIRST_WORD = "CREATE "

NESTED_TYPES = {"STRUCT", "ARRAY", "MAP", "UNIONTYPE", "TABLE", "RANGE", "ROW", "LIST", "RECORD"}
"""Types whose parts stand between ``<`` and ``>``."""


class Token(NamedTuple):
    """A word, name, string or sign of a statement.

    Args:
        text: A name or string without its quotes, anything else as written.
        word: The upper-case word of what is not quoted; empty for quoted names and strings.
        quote: ``"name"``, ``"string"``, or empty.
        start: Place of its first letter in the statement's text.
        end: Place of its last letter.
        comments: The comments that follow it.
    """

    text: str
    word: str
    quote: str
    start: int
    end: int
    comments: Sequence[str]


@dataclass(frozen=True)
class Name:
    """The name of a table as a statement writes it, without that of its database.

    Args:
        schema: The schema; empty where none is written.
        name: The table.
        quoted: Whether the table's name stands in quotes.
    """

    schema: str
    name: str
    quoted: bool = False

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.schema else self.name


class NotUnderstoodError(Exception):
    """A statement is not of the shape that its reader expects; the message says why."""


def tokenize(text: str, dialect: str) -> list[Token]:
    """The tokens of a statement.

    Raises:
        NotUnderstoodError: If a quote or comment in it is not closed.
    """
    try:
        # Behind another word, since sqlglot reads what follows some first words as one string.
        _, *tokens = tokenize_sql(FIRST_WORD + text, TOKENS_OF.get(dialect, dialect))
    except JoinGRError as error:
        raise NotUnderstoodError("a quote or comment in it is not closed") from error
    made = []
    for token in tokens:
        kind, comments = token.token_type, token.comments
        start, end = token.start - len(FIRST_WORD), token.end - len(FIRST_WORD)
        if kind == TokenType.IDENTIFIER:
            made.append(Token(token.text, "", "name", start, end, comments))
        elif kind in STRINGS:
            made.append(Token(token.text, "", "string", start, end, comments))
        elif not token.text.isalnum() and len(token.text.split()) > 1:
            # Keywords of several words, which sqlglot joins in some dialects and not in others.
            *words, last = token.text.split()
            made += [Token(word, word.upper(), "", start, end, ()) for word in words]
            made.append(Token(last, last.upper(), "", start, end, comments))
        else:
            made.append(Token(token.text, token.text.upper(), "", start, end, comments))
    return made


class Cursor:
    """A place in the tokens of a statement, which reading moves on.

    Args:
        tokens: The tokens.
        dialect: The statement's dialect.
    """

    def __init__(self, tokens: Sequence[Token], dialect: str) -> None:
        self.tokens = tokens
        self.dialect = dialect
        self.place = 0

    @property
    def at_end(self) -> bool:
        return self.place >= len(self.tokens)

    @property
    def token(self) -> Token | None:
        return None if self.at_end else self.tokens[self.place]

    def word(self, ahead: int = 0) -> str:
        """The word at the place or some tokens ahead of it; empty for quoted names, strings and the end."""
        place = self.place + ahead
        return self.tokens[place].word if place < len(self.tokens) else ""

    def accept(self, *words: str) -> bool:
        """Move over the words if they are next."""
        if all(self.word(ahead) == word for ahead, word in enumerate(words)):
            self.place += len(words)
            return True
        return False

    def accept_any(self, *words: str) -> str:
        """Move over the next word if it is one of ``words``, and return it."""
        word = self.word()
        if word in words:
            self.place += 1
            return word
        return ""

    def skip_behind(self, word: str) -> None:
        """Move behind the next token that is the word.

        Raises:
            NotUnderstoodError: If there is none.
        """
        while not self.accept(word):
            if self.at_end:
                raise NotUnderstoodError(f"there is no {word} in it")
            self.place += 1

    def accept_string(self) -> str | None:
        """Move over strings that follow each other, and return them joined; ``None`` where there is none."""
        texts = []
        while (token := self.token) is not None and token.quote == "string":
            texts.append(token.text)
            self.place += 1
        return "".join(texts) if texts else None

    def parts(self) -> list[Token]:
        """The parts of the dotted name that is next.

        Raises:
            NotUnderstoodError: If no name is next.
        """
        parts: list[Token] = []
        while True:
            token = self.token
            if token is None or not (token.quote or re.match(r"\w", token.text)):
                raise NotUnderstoodError("a name is missing")
            self.place += 1
            if token.quote == "name" and self.dialect == "bigquery" and "." in token.text:
                parts += [token._replace(text=text) for text in token.text.split(".")]
            else:
                parts.append(self.with_adjacent(token))
            if self.word() != ".":
                return parts
            while self.word() == ".":
                self.place += 1

    def with_adjacent(self, token: Token) -> Token:
        """A bare name together with what is written right behind it, such as the rest of ``2020_sales``."""
        while not token.quote and (after := self.token) is not None and not after.quote:
            if after.start != token.end + 1 or not re.fullmatch(r"[\w$#@-]+", after.text):
                break
            if after.text == "-" and self.dialect != "bigquery":
                break
            token = token._replace(text=token.text + after.text, end=after.end, comments=after.comments)
            self.place += 1
        return token

    def name(self) -> Name:
        """The name of a table.

        Raises:
            NotUnderstoodError: If no name is next.
        """
        parts = self.parts()
        schema = parts[-2].text.strip() if len(parts) > 1 else ""
        return Name(schema, parts[-1].text, bool(parts[-1].quote))

    def entries(self) -> list[list[Token]]:
        """The entries of the parenthesised list that is next, each with the comma after it; moves behind the list.

        Commas within parentheses and within the angle brackets of nested types separate nothing.

        Raises:
            NotUnderstoodError: If no list is next or it does not end.
        """
        if self.word() != "(":
            raise NotUnderstoodError("a list in parentheses is missing")
        self.place += 1
        begin = self.place
        entries: list[list[Token]] = [[]]
        for token in _separated(self.tokens, begin):
            self.place += 1
            if token is None:
                return [entry for entry in entries if entry]
            entries[-1].append(token[0])
            if token[1]:
                entries.append([])
        raise NotUnderstoodError("its parentheses are not closed")

    def columns(self) -> list[str]:
        """The names at the beginning of the entries of the list that is next."""
        return [Cursor(entry, self.dialect).parts()[-1].text for entry in self.entries()]

    def skip_group(self) -> None:
        """Move behind the parenthesised group that is next."""
        self.entries()


def _separated(tokens: Sequence[Token], begin: int) -> Iterator[tuple[Token, bool] | None]:
    """Each token with whether it is a comma between entries; ``None`` for the parenthesis that ends them."""
    depth = angles = 0
    before = ""
    for place in range(begin, len(tokens)):
        token = tokens[place]
        word = token.word
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
            if depth < 0:
                yield None
                return
        elif word == "<" and (angles or before in NESTED_TYPES):
            angles += 1
        elif angles and word in (">", ">>"):
            angles = max(0, angles - len(word))
        yield token, word == "," and depth == 0 and angles == 0
        before = word


def split_entries(tokens: Sequence[Token]) -> list[list[Token]]:
    """Split tokens at the commas outside parentheses; the commas are left out."""
    entries: list[list[Token]] = [[]]
    for token in _separated(tokens, 0):
        if token is None:
            break
        if token[1]:
            entries.append([])
        else:
            entries[-1].append(token[0])
    return [entry for entry in entries if entry]
