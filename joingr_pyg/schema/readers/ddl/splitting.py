"""Splitting a script into its statements without building tokens, so that megabytes of rows cost next to nothing."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from joingr_pyg.schema.readers.ddl.dialects import Quoting


@dataclass(frozen=True)
class Statement:
    """One statement of a script.

    Args:
        text: The statement without what ends it.
        line: The line that it begins in, counted from 1.
        unclosed: The line of a quote or comment in it that is never closed; 0 where all are.
    """

    text: str
    line: int
    unclosed: int = 0


TRANSACTION = r"(?:TRAN|TRANSACTION|WORK|DEFERRED|IMMEDIATE|EXCLUSIVE|ISOLATION|READ)\b"

PASSED_OVER = re.compile(
    r"(?:INSERT|REPLACE\s+INTO|UPSERT|UPDATE|DELETE|MERGE|COPY|LOAD|WITH|FROM|VALUES|TRUNCATE|GRANT|REVOKE|DENY|LOCK"
    r"|UNLOCK|PRINT|RAISERROR|ANALYZE|VACUUM|OPTIMIZE|PRAGMA|COMMIT|ROLLBACK|START|SAVEPOINT|SHOW|EXPLAIN|REFRESH|MSCK"
    r"|CHECKPOINT|FLUSH|KILL|WAITFOR|DBCC|RECONFIGURE|RETURN)\b"
    # Unless it makes a table.
    r"|SELECT\b(?![^;']{0,2000}?\bINTO\s+[\w\"\[.]+\s+FROM\b)"
    rf"|(?:BEGIN|END)(?:\s+{TRANSACTION}[^;\n]*)?\s*(?:;|\Z)",
    re.IGNORECASE,
)
"""Statements that shape no schema; their text is dropped while it is read."""

ROWS = re.compile(r"(?:INSERT|REPLACE|UPSERT|UPDATE|DELETE|MERGE|VALUES|WITH)\b", re.IGNORECASE)
"""Statements among these whose values may be whole scripts."""

COPY_FROM_INPUT = re.compile(r"COPY\b[^;]*\bFROM\s+STDIN\b", re.IGNORECASE)
"""The statement of pg_dump that rows follow, up to a line with a backslash and a dot."""

COPY_ENDS = re.compile(r"^\\\.[ \t]*$", re.MULTILINE)

ROUTINE = re.compile(
    r"(?:/\*M?!\d*\s*)?(?:CREATE|ALTER)\b(?:\s|/\*M?!\d*|\*/|DEFINER\s*=\s*\S+"
    r"|(?:OR|REPLACE|ALTER|EDITIONABLE|NONEDITIONABLE|AGGREGATE|CONSTRAINT|TEMP|TEMPORARY|SECURE|EVENT(?=\s+TRIGGER)"
    r"|IF|NOT|EXISTS)\b)+"
    r"(?:PROCEDURE|PROC|FUNCTION|TRIGGER|PACKAGE|EVENT|TYPE\s+BODY)\b",
    re.IGNORECASE,
)
"""Statements with a body of further statements."""

BLOCK = re.compile(
    rf"(?:BEGIN(?!\s*;|\s+{TRANSACTION})|DECLARE(?!\s+(?:@|GLOBAL\b|LOCAL\b)))\b",
    re.IGNORECASE,
)
"""A block of statements outside any routine."""

MAY_QUOTE_STATEMENTS = re.compile(r"(?:EXEC|EXECUTE|DO|SET|IF|CALL)\b", re.IGNORECASE)
"""Statements whose quotes may well hold whole statements, as those of a function do."""

STATEMENT_LINE = (
    r"(?:CREATE\s+(?!(?:TABLE|VIEW)\s*[,;])\w|ALTER\s+TABLE\b|COMMENT\s+ON\b|INSERT\s|EXEC(?:UTE)?\s|DROP\s+TABLE\b"
    r"|DELIMITER[ \t]+[^\w\s,()]\S*[ \t]*(?=\n|\Z))"
)
"""What a new statement begins with at the beginning of a line, even if nothing ended the one before."""

TABLE_LINE = re.compile(r"\n[ \t]*(?=(?:CREATE|ALTER)\s+(?:\w+\s+){0,3}?TABLE\s+[\w\"`\[@$&{])", re.IGNORECASE)

CLIENT_COMMAND = (
    r"\\[^\n]*"  # psql
    r"|\.[a-z]\w*[^\n]*"  # sqlite3
    r"|:(?:setvar|on|r|connect|out|error|exit|quit)\b[^\n]*"  # sqlcmd
    r"|(?:PROMPT|REM|REMARK|SPOOL|WHENEVER|PAUSE|ACCEPT|DEFINE|UNDEFINE|HOST|QUIT|EXIT)\b[^\n]*"  # SQL*Plus
    r"|@@?[\w./\\$-]+[ \t]*(?=\n|\Z)"
    r"|SET\s+(?:DEFINE|SCAN|ECHO|FEEDBACK|VERIFY|SERVEROUTPUT|SQLBLANKLINES|HEADING|PAGESIZE|LINESIZE|TERMOUT)\b[^\n]*"
)
"""Lines that are meant for the program that runs the script rather than for the database."""

UNDO = r"--[ \t]*(?:\+goose[ \t]+Down|\+migrate[ \t]+Down|migrate:down|//@UNDO)\b"
"""What the part of a migration begins with that takes back the part before it."""

BATCH_ENDS = r"GO(?:[ \t]+\d+)?[ \t]*;?[ \t]*(?=\n|\Z)"
SLASH = r"/[ \t]*(?=\n|\Z)"

CHUNK = 1 << 20
"""Letters that are looked at together."""

HEAD = 4096
"""Letters that are at hand when the kind of a statement is decided."""


def split(chunks: Iterable[str], quoting: Quoting) -> Iterator[Statement]:
    r"""Split a script into its statements.

    Statements end with a semicolon, with the delimiter that a ``DELIMITER`` line sets, with a line ``GO`` or ``/``, or
    where a line begins a new one. Bodies of procedures, functions and triggers are one statement with their head.
    Rows (``INSERT``, ``COPY`` with its data) and other statements that shape no schema are left out and never held in
    memory whole.

    Args:
        chunks: The script in pieces of any size that end with a line, all lines ending with ``"\n"``.
        quoting: How its dialect quotes.
    """
    return iter(_Splitter(chunks, quoting))


class _Splitter:
    """Holds the part of the script that is looked at: ``text``, from which ``at`` is the place of the statement."""

    def __init__(self, chunks: Iterable[str], quoting: Quoting) -> None:
        self.chunks = iter(chunks)
        self.quoting = quoting
        self.delimiter = quoting.delimiter
        self.text = ""
        self.at = 0
        self.complete = False
        self._counted = 0, 1

    def __iter__(self) -> Iterator[Statement]:
        while self._move_to_statement():
            if not PASSED_OVER.match(self.text, self.at):
                yield self._read()
            elif unclosed := self._pass_over():
                yield Statement("", unclosed, unclosed)

    def _fill(self) -> bool:
        """Drop what lies before the statement and append what follows; false where the script holds no more."""
        if self.complete:
            return False
        self._counted = 0, self._line_of(self.at)
        pieces = [self.text[self.at :]]
        self.at = 0
        # Twice as much as is kept, so that a long statement is not looked at again and again.
        missing = max(CHUNK, 2 * len(pieces[0]))
        while missing > 0 and not self.complete:
            piece = next(self.chunks, None)
            self.complete = piece is None
            pieces.append(piece or "")
            missing -= len(piece or "")
        self.text = "".join(pieces)
        return True

    @property
    def _end(self) -> int:
        """Where looking stops: before the last line break, since what it means depends on the line after it."""
        return len(self.text) if self.complete else max(self.text.rfind("\n"), self.at)

    def _line_of(self, place: int) -> int:
        """The line of a place; counted from the place that was looked up before."""
        counted, line = self._counted
        if place < counted:
            return line - self.text.count("\n", place, counted)
        self._counted = place, line + self.text.count("\n", counted, place)
        return self._counted[1]

    def _move_to_statement(self) -> bool:
        """Move over blanks, comments and commands of client programs; false at the end of the script."""
        while True:
            if len(self.text) - self.at < HEAD:
                self._fill()
            between = _between(self.quoting, self.delimiter).match(self.text, self.at)
            if between is None:
                if self.at == len(self.text):
                    return False
                if not self.text.startswith("/*", self.at) or self.complete or _is_code(self.text, self.at):
                    return True
                # A comment that goes on behind what is looked at.
                self._fill()
                continue
            if between["undo"]:
                return False
            self.delimiter = between["delimiter"] or between["terminator"] or self.delimiter
            self.at = between.end()

    def _pass_over(self) -> int:
        """Move behind a statement that shapes no schema; the line of a quote in it that is never closed, else 0."""
        rows_follow = COPY_FROM_INPUT.match(self.text, self.at) is not None
        has_rows = ROWS.match(self.text, self.at) is not None
        events = _events(self.quoting, self.delimiter)
        place, unclosed = self.at, 0
        while True:
            event = events.search(self.text, place, self._end)
            kind = None if event is None else event.lastgroup
            if event is None:
                self.at = self._end
                if not self._fill():
                    return unclosed
                place = self.at
            elif kind in SKIPPED:
                place = event.end()
                if kind in QUOTED and (_is_unbalanced(event) or (not has_rows and TABLE_LINE.search(event[0]))):
                    unclosed = unclosed or self._line_of(event.start())
                    place = self._end_of_line(event.start())
            elif kind in OPENING:
                self.at = event.start()
                if self._fill():
                    place = self.at
                else:
                    unclosed = unclosed or self._line_of(event.start())
                    place = self._behind_opening(event)
            else:
                self.at = event.start() + 1 if kind == "line" else event.end()
                break
        while rows_follow:
            last = COPY_ENDS.search(self.text, self.at)
            rows_follow = last is None
            if last is not None:
                self.at = last.end()
            else:
                self.at = self._end
                rows_follow = self._fill()
        return unclosed

    def _read(self) -> Statement:
        """The statement that begins here; moves behind it. Places are counted from its beginning."""
        head = _Head(self.text, self.at, self.quoting, self.delimiter)
        events = _events(self.quoting, self.delimiter, words=head.nests)
        place, depth, unclosed = 0, 0, 0
        first_end: int | None = None
        while True:
            event = events.search(self.text, self.at + place, self._end)
            kind = None if event is None else event.lastgroup
            if event is None or kind in OPENING:
                place = (self._end if event is None else event.start()) - self.at
                if self._fill():
                    continue
                if event is not None:
                    unclosed = unclosed or self._line_of(event.start())
                    place = self._behind_opening(event) - self.at
                elif head.body and first_end is not None and self.quoting.body_end != "go":
                    # The body never ends: what follows its first statement is read for itself.
                    return self._cut(first_end, len(self.delimiter), unclosed)
                else:
                    return self._cut(len(self.text) - self.at, 0, unclosed)
                continue
            start, place = event.start() - self.at, event.end() - self.at
            if kind in SKIPPED:
                if kind in QUOTED and (
                    _is_unbalanced(event)
                    or (not head.may_quote_statements and TABLE_LINE.search(self.text, event.start(), event.end()))
                ):
                    unclosed = unclosed or self._line_of(event.start())
                    place = self._end_of_line(event.start()) - self.at
            elif kind == "word":
                depth = max(0, depth + _deeper(event["word"]))
            elif kind == "end":
                first_end = start if first_end is None else first_end
                if not head.body or self.delimiter != ";" or (head.nests and depth == 0):
                    return self._cut(start, place - start, unclosed)
            elif kind == "line":
                if head.ends_at(event["line"].upper()):
                    return self._cut(start, 1, unclosed)
            elif kind == "batch" or not head.body or self.quoting.body_end != "go":
                return self._cut(start, place - start, unclosed)

    def _cut(self, length: int, end: int, unclosed: int) -> Statement:
        statement = Statement(self.text[self.at : self.at + length], self._line_of(self.at), unclosed)
        self.at += length + end
        return statement

    def _end_of_line(self, place: int) -> int:
        line_break = self.text.find("\n", place)
        return len(self.text) if line_break < 0 else line_break

    def _behind_opening(self, event: re.Match[str]) -> int:
        """Where reading goes on behind what never closes: a string ends with its line, the rest counts as nothing."""
        return self._end_of_line(event.end()) if event.lastgroup == "open_quote" else event.end()


def _is_unbalanced(event: re.Match[str]) -> bool:
    """Whether a string of several lines is rather what stands between two strings, one of which is not closed."""
    string = event[0]
    if "\n" not in string or string[0] not in "'\"":
        return False
    text, start, end = event.string, event.start(), event.end()
    if text[end : end + 1].isalnum():
        return True
    return (
        TABLE_LINE.search(string) is not None
        and re.search(r"(?:^|[\s(,=|+]|\b[NEXBRnexbr])$", text[:start][-3:]) is None
    )


class _Head:
    """What the first words of a statement say of where it ends."""

    def __init__(self, text: str, at: int, quoting: Quoting, delimiter: str) -> None:
        routine = ROUTINE.match(text, at) is not None
        block = quoting.body_end != "go" and BLOCK.match(text, at) is not None
        self.body = routine or block
        """Whether semicolons within do not end the statement."""
        self.nests = self.body and quoting.body_end == "end" and delimiter == ";"
        """Whether the last ``END`` ends it."""
        self.may_quote_statements = self.body or MAY_QUOTE_STATEMENTS.match(text, at) is not None
        # PL/SQL has no statements that create tables, so a line with one is no part of a body.
        self._body_lines = {"DELIMITER"} | ({"CREATE", "ALTER", "COMMENT"} if quoting.body_end == "slash" else set())

    def ends_at(self, word: str) -> bool:
        """Whether a line that begins with the word begins a new statement."""
        return not self.body or word in self._body_lines


def _deeper(word: str) -> int:
    """How many levels deeper a word of a body leads."""
    words = word.upper().split()
    if words[0] != "END":
        return 1
    return 0 if words[1:] and words[1] != "CASE" else -1


def _is_code(text: str, at: int) -> bool:
    """Whether a comment of MySQL is meant to be executed."""
    return text.startswith(("/*!", "/*M!"), at)


QUOTED = {None, "q"}
"""Groups of complete quotes that may be unbalanced."""

SKIPPED = {None, "tag", "q", "line_comment", "hash_comment", "comment"}
"""Groups of complete quotes and comments."""

OPENING = {"open_quote", "open_name", "open_comment", "open_dollar"}
"""Groups of quotes and comments that are not closed in what is looked at."""


@lru_cache
def _events(quoting: Quoting, delimiter: str, words: bool = False) -> re.Pattern[str]:
    """Matches what decides where a statement ends; the name of its last group says what it is.

    All alternatives but that of ``words`` begin with a letter of their own, which lets the search skip quickly.
    """
    comment = _comment(quoting)
    escaped, doubled = r"(?:\\.|{0}{0})", "{0}{0}"

    def quoted(quote: str, escape: str) -> str:
        letters = rf"[^{quote}\\]*+" if escape is escaped else rf"[^{quote}]*+"
        return rf"{quote}{letters}(?:{escape.format(quote)}{letters})*+{quote}"

    escape = escaped if quoting.backslash else doubled
    alternatives = [
        rf"{re.escape(delimiter)}(?P<end>)",
        rf"\n[ \t]*(?:(?P<batch>{BATCH_ENDS})|(?P<slash>{SLASH})|(?P<line>(?={STATEMENT_LINE})\w+))",
        r"--[^\n]*+(?P<line_comment>)",
        rf"{comment}(?P<comment>)",
    ]
    if quoting.q_quotes:
        alternatives.append(r"'(?<=[qQ]')(?:\[.*?\]|\{.*?\}|\(.*?\)|<.*?>|(?P<q>[^\s\[{(<]).*?(?P=q))'")
    if quoting.dollar and not quoting.backslash:
        alternatives.append(r"'(?<=\b[eE]')" + quoted("'", escaped)[1:])
    alternatives += [quoted("'", escape), quoted('"', escape), r"`[^`\n]*+`"]
    if quoting.brackets:
        alternatives.append(r"\[[^\]\n]*+\]")
    if quoting.hash_comments:
        alternatives.append(r"#[^\n]*+(?P<hash_comment>)")
    if quoting.dollar:
        alternatives.append(r"\$(?<!\w\$)(?P<tag>[^\W\d]\w*+|)\$.*?\$(?P=tag)\$")
        alternatives.append(r"\$(?<!\w\$)(?:[^\W\d]\w*+|)\$(?P<open_dollar>)")
    alternatives += ["'(?P<open_quote>)", '"(?P<open_name>)']
    alternatives.append(r"/\*" + (r"(?!M?!)" if quoting.conditional_comments else "") + "(?P<open_comment>)")
    if words:
        alternatives.append(r"(?P<word>\b(?:BEGIN(?!\s+TRAN)|CASE|END(?:\s+(?:IF|LOOP|WHILE|REPEAT|FOR|CASE))?)\b)")
    return re.compile("|".join(alternatives), re.IGNORECASE | re.DOTALL)


@lru_cache
def _between(quoting: Quoting, delimiter: str) -> re.Pattern[str]:
    """Matches one thing that may stand between statements."""
    alternatives = [
        r"\s+",
        r"--#SET[ \t]+TERMINATOR[ \t]+(?P<terminator>\S+)[^\n]*",
        rf"(?P<undo>{UNDO})",
        r"--[^\n]*",
        _comment(quoting),
        r"DELIMITER[ \t]+(?P<delimiter>\S+)[^\n]*",
        re.escape(delimiter),
        ";",
        BATCH_ENDS,
        SLASH,
        CLIENT_COMMAND,
    ]
    if quoting.hash_comments:
        alternatives.append(r"#[^\n]*")
    return re.compile("|".join(alternatives), re.IGNORECASE | re.DOTALL)


def _comment(quoting: Quoting) -> str:
    return r"/\*(?!M?!).*?\*/" if quoting.conditional_comments else r"/\*.*?\*/"
