"""The reader of schema files: what every statement of a script does to the schema."""

import logging
import re
from collections.abc import Callable

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.model import Column, Database
from joingr_pyg.schema.readers.ddl.alterations import alter_table
from joingr_pyg.schema.readers.ddl.assembly import assemble
from joingr_pyg.schema.readers.ddl.catalog import Catalog, DraftTable, UnknownTableError, take_over
from joingr_pyg.schema.readers.ddl.comments import comment_on, extended_property
from joingr_pyg.schema.readers.ddl.dialects import (
    FALLBACK,
    LOOKED_AT,
    Quoting,
    contradicts,
    dialect_named,
    quoting_of,
    recognise,
)
from joingr_pyg.schema.readers.ddl.joined import parts_of, schema_created, virtual_table
from joingr_pyg.schema.readers.ddl.keywords import HARMLESS_VERBS, OTHER_OBJECTS, VERBS
from joingr_pyg.schema.readers.ddl.placeholders import without_placeholders
from joingr_pyg.schema.readers.ddl.report import DDLReading, NotUnderstood
from joingr_pyg.schema.readers.ddl.sources import Source, scripts
from joingr_pyg.schema.readers.ddl.splitting import Statement, split
from joingr_pyg.schema.readers.ddl.tables import add_column, read_table
from joingr_pyg.schema.readers.ddl.tokens import Cursor, Name, NotUnderstoodError, tokenize
from joingr_pyg.schema.readers.ddl.views import query_columns

logger = logging.getLogger(__name__)

SHOWN = 10
"""Warnings of one kind that are logged one by one."""

TEMPORARY_NAME = re.compile(
    r"[^(]*?\bTABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:\[?tempdb\]?\.+(?:\w+\.)?)?\[?#", re.IGNORECASE
)
"""SQL Server's temporary tables, whose names begin with ``#``."""

PROCEDURE = re.compile(r"EXEC(?:UTE)?\s+(?:@\w+\s*=\s*)?(?:\[?\w+\]?\s*\.\s*)*\[?(\w+)\]?", re.IGNORECASE)

DYNAMIC = re.compile(r"EXEC(?:UTE)?(?:\s*\(|\s+IMMEDIATE\b|\s+(?:\[?\w+\]?\.)?sp_executesql\b)", re.IGNORECASE)
"""Statements that run a text."""

IN_BLOCK = re.compile(
    r"""'(?:[^']|'')*'|"[^"\n]*"|--[^\n]*|/\*.*?\*/"""
    r"|(?P<statement>\b(?:(?:CREATE|ALTER)\s+(?:(?!CREATE\b|ALTER\b)\w+\s+){0,3}?|DROP\s+)TABLE\s)"
    r"|(?P<dynamic>\bEXECUTE\s+IMMEDIATE\s+(?='))",
    re.IGNORECASE | re.DOTALL,
)

DOLLAR_BODY = re.compile(r"\$(\w*)\$(.*)\$\1\$", re.DOTALL)

CONDITIONAL = re.compile(r"/\*M?!\d*(.*?)\*/", re.DOTALL)

SCHEMA_IN_USE = re.compile(
    r"(?:USE\s+(?:SCHEMA\s+)?(?!DATABASE\b|WAREHOUSE\b|ROLE\b|CATALOG\b|SECONDARY\b)"
    r"|SET\s+(?:(?:LOCAL|SESSION)\s+)?(?:search_path|SCHEMA|CURRENT\s+SCHEMA|CURRENT_SCHEMA|CURRENT\s+SQLID)\b"
    r"|ALTER\s+SESSION\s+SET\s+CURRENT_SCHEMA\b)\s*(?:=|TO\b)?\s*(?P<names>.*)",
    re.IGNORECASE | re.DOTALL,
)


def read_ddl(
    source: Source,
    name: str | None = None,
    dialect: str | None = None,
    *,
    encoding: str | None = None,
    views: bool = False,
) -> Database:
    """Read the schema that statements define, in any SQL dialect.

    Tables, columns, types, primary and foreign keys and comments are read wherever they stand: in ``CREATE TABLE``,
    ``ALTER TABLE``, ``COMMENT ON``, options and extended properties, in any order and over several files. Rows,
    procedures, triggers and other objects are passed over. A comment behind a column, before or after its comma, is the
    column's description unless it has another. ``REFERENCES`` without a column means the primary key of the table it
    names. Tables that hold but a part of the rows of another are left out, and so are SQLite's own
    (``sqlite_sequence``).

    A statement that is not understood, and a key or table that cannot be part of a schema, is left out with a warning;
    :func:`read_ddl_report` returns them.

    Args:
        source: Path of a file, the statements themselves, or a list of these.
        name: Name of the database; that of the first file where not given.
        dialect: The SQL dialect, such as ``"postgres"``, ``"mysql"``, ``"tsql"``, ``"oracle"`` or ``"snowflake"``;
            recognised where not given.
        encoding: Encoding of the files; UTF-8, UTF-16 and files with a byte order mark are recognised.
        views: Whether views become tables.

    Raises:
        JoinGRError: If a file cannot be read, the dialect or encoding does not exist, or the source creates no table.
    """
    return read_ddl_report(source, name, dialect, encoding=encoding, views=views).database


def read_ddl_report(
    source: Source,
    name: str | None = None,
    dialect: str | None = None,
    *,
    encoding: str | None = None,
    views: bool = False,
) -> DDLReading:
    """As :func:`read_ddl`, and tell what reading came to.

    Args:
        source: As for :func:`read_ddl`.
        name: As there.
        dialect: As there.
        encoding: As there.
        views: As there.

    Raises:
        JoinGRError: As there.
    """
    files = scripts(source, encoding)
    if name is None:
        name = files[0].path.stem if files[0].path is not None else "database"
    warnings: list[str] = []
    heads = [file.head(LOOKED_AT) for file in files]
    chosen = _dialect(dialect, heads, warnings)
    reader = _Reader(chosen, quoting_of(chosen, heads), views)
    for file in files:
        reader.catalog.schema = ""
        for statement in split(file.pieces(), reader.quoting):
            reader.read(statement, file.name)
        warnings += file.warnings
    reader.read_deferred()
    made = assemble(reader.catalog, name, views)
    names = [file.name for file in files]
    problems = sorted(reader.problems, key=lambda problem: (names.index(problem.file), problem.line))
    _log(warnings)
    _log([str(problem) for problem in problems])
    _log(made.left_out)
    if not made.tables:
        why = f" {problems[0]}" if problems else f" {made.left_out[0]}" if made.left_out else ""
        raise JoinGRError(f"The DDL of database {name!r} creates no table.{why}")
    return DDLReading(
        Database(name, tuple(made.tables), tuple(made.foreign_keys)),
        chosen,
        made.constraints,
        made.views,
        made.partitions,
        tuple(problems),
        tuple(made.left_out),
        tuple(warnings),
        views,
    )


def _dialect(given: str | None, heads: list[str], warnings: list[str]) -> str:
    """The dialect to read in; one that was given counts unless the scripts are clearly in another."""
    named = None if given is None else dialect_named(given)
    recognised, scores = recognise(heads)
    if named is None or recognised is None or not contradicts(named, recognised, scores):
        return named or recognised or FALLBACK
    warnings.append(f"The statements are written in {recognised}, not in {given}, and are read so.")
    return recognised


def _log(messages: list[str]) -> None:
    for message in messages[:SHOWN]:
        logger.warning("%s", message)
    if len(messages) > SHOWN:
        logger.warning("%d more of the same kind are in the report.", len(messages) - SHOWN)


class _Reader:
    """Carries out statements on a catalog, and notes those that it does not understand."""

    def __init__(self, dialect: str, quoting: Quoting, views: bool) -> None:
        self.dialect = dialect
        self.quoting = quoting
        self.views = views
        self.catalog = Catalog()
        self.problems: list[NotUnderstood] = []
        self._deferred: list[tuple[str, Statement, str]] = []

    def read(self, statement: Statement, file: str) -> None:
        """Carry out a statement; one about a table that is not there yet waits for it."""
        try:
            self._carry_out(statement.text)
        except UnknownTableError:
            self._deferred.append((self.catalog.schema, statement, file))
        except NotUnderstoodError as error:
            self._note(statement, file, error)
            return
        if statement.unclosed:
            self._note(statement, file, NotUnderstoodError(""))

    def read_deferred(self) -> None:
        """Carry out what waited for a table that is created after it, maybe in another file."""
        for schema, statement, file in self._deferred:
            self.catalog.schema = schema
            try:
                self._carry_out(statement.text)
            except NotUnderstoodError as error:
                self._note(statement, file, error)

    def _note(self, statement: Statement, file: str, error: NotUnderstoodError) -> None:
        reason = "a quote or comment that opens there is never closed" if statement.unclosed else str(error)
        beginning = " ".join(statement.text[:400].split())
        beginning = beginning if len(beginning) <= 60 else beginning[:59] + "…"
        problem = NotUnderstood(file, statement.unclosed or statement.line, reason, beginning)
        if problem not in self.problems:
            self.problems.append(problem)

    def _carry_out(self, text: str) -> None:
        """Do what a statement does to the schema.

        Raises:
            NotUnderstoodError: If it is about a table and not understood.
        """
        if "/*" in text[:20] or "/*!" in text or "/*M!" in text:
            text = CONDITIONAL.sub(lambda match: f" {match[1]} ", text) if self.quoting.conditional_comments else text
            text = text.strip()
        word = re.match(r"[A-Za-z]+", text)
        verb = word[0].upper() if word else ""
        carry_out: Callable[[str], None] | None = getattr(self, f"_{verb.lower()}", None) if verb in VERBS else None
        if carry_out is not None:
            carry_out(text)
        elif re.search(r"\bTABLE\b", text, re.IGNORECASE) and verb not in HARMLESS_VERBS:
            raise NotUnderstoodError("it mentions a table, and is no statement that is known")

    def _cursor(self, text: str) -> tuple[Cursor, str]:
        text = without_placeholders(text)
        return Cursor(tokenize(text, self.dialect), self.dialect), text

    def _create(self, text: str) -> None:
        first, *others = parts_of(text, self.dialect)
        if not others:
            self._create_one(text)
            return
        in_use = self.catalog.schema
        self.catalog.schema = schema_created(first, self.dialect) or in_use
        try:
            self._in_turn([first, *others])
        finally:
            self.catalog.schema = in_use

    def _in_turn(self, texts: list[str]) -> None:
        """Create each of several; one that is not understood is told when all others have been created."""
        failure: NotUnderstoodError | None = None
        for text in texts:
            try:
                self._create_one(text)
            except NotUnderstoodError as error:
                failure = failure or error
        if failure is not None:
            raise failure

    def _create_one(self, text: str) -> None:
        head = re.sub(r"/\*.*?\*/|--[^\n]*|DEFINER\s*=\s*\S+", " ", text[:400], flags=re.IGNORECASE | re.DOTALL)
        for word in re.findall(r"\w+", head)[1:14]:
            kind = word.upper()
            if kind in OTHER_OBJECTS:
                return
            if kind == "VIRTUAL":
                self._create_virtual_table(text)
                return
            if kind == "TABLE":
                self._create_table(text)
                return
            if kind == "VIEW":
                self._create_view(text)
                return

    def _attach(self, text: str) -> None:
        """ClickHouse's way to create a table again."""
        if re.match(r"ATTACH\s+TABLE\b[^(]*\(", text, re.IGNORECASE):
            self._create_table(text)

    def _create_table(self, text: str) -> None:
        if TEMPORARY_NAME.match(text):
            return
        cursor, text = self._cursor(text)
        replaces = cursor.word(1) == "OR" and cursor.word(2) == "REPLACE"
        cursor.skip_behind("TABLE")
        cursor.accept("IF", "NOT", "EXISTS")
        name = self.catalog.resolve(cursor.name())
        behind = cursor.place
        before = self.catalog.same(name)
        if before is not None and not replaces and not before.is_view:
            # A database keeps the first, with IF NOT EXISTS in silence.
            if re.search(r"\bIF\s+NOT\s+EXISTS\b", text[:400], re.IGNORECASE) is None:
                raise NotUnderstoodError(f"table {str(name)!r} was created before, and the first one is kept")
            return
        try:
            table = read_table(cursor, text, name)
        except NotUnderstoodError:
            query = _query(cursor, behind, text)
            if query is None:
                raise
            columns = query_columns(query, self.dialect, self.catalog)
            table = DraftTable(name)
            for column in columns:
                table.columns.append(Column(column))
        if table.partition_of is None:
            take_over(table, self.catalog)
        if before is not None:
            self.catalog.remove(before)
        self.catalog.add(table)
        if table.faults:
            raise NotUnderstoodError(f"of table {str(name)!r}: {'; '.join(table.faults)}")

    def _create_virtual_table(self, text: str) -> None:
        cursor, _ = self._cursor(text)
        cursor.skip_behind("TABLE")
        cursor.accept("IF", "NOT", "EXISTS")
        name = self.catalog.resolve(cursor.name())
        if self.catalog.same(name) is None:
            self.catalog.add(virtual_table(cursor, name))

    def _create_view(self, text: str) -> None:
        cursor, text = self._cursor(text)
        cursor.skip_behind("VIEW")
        cursor.accept("IF", "NOT", "EXISTS")
        view = DraftTable(self.catalog.resolve(cursor.name()), is_view=True)
        before = self.catalog.same(view.name)
        if self.views:
            behind = cursor.place
            if cursor.word() == "(" and cursor.word(1) not in ("SELECT", "WITH"):
                for entry in cursor.entries():
                    add_column(view, entry, text, self.dialect)
            else:
                query = _query(cursor, behind, text)
                if query is None:
                    raise NotUnderstoodError("the view has no query")
                view.columns += [Column(name) for name in query_columns(query, self.dialect, self.catalog)]
        if before is not None and not before.is_view:
            return
        if before is not None:
            self.catalog.remove(before)
        self.catalog.add(view)

    def _alter(self, text: str) -> None:
        if re.match(r"ALTER\s+SESSION\b", text, re.IGNORECASE):
            self._use(text)
        if not re.match(
            r"ALTER\s+(?:(?:FOREIGN|EXTERNAL|ICEBERG|HYBRID|DYNAMIC|EVENT)\s+)?TABLE\b", text, re.IGNORECASE
        ):
            return
        cursor, text = self._cursor(text)
        cursor.skip_behind("TABLE")
        alter_table(cursor, text, self.catalog)

    def _comment(self, text: str) -> None:
        cursor, _ = self._cursor(text)
        cursor.place += 1
        comment_on(cursor, self.catalog)

    def _exec(self, text: str) -> None:
        if DYNAMIC.match(text):
            if re.search(r"\b(?:CREATE|ALTER)\b[^']*?\bTABLE\b", text, re.IGNORECASE):
                cursor, _ = self._cursor(text)
                inside = next((token.text for token in cursor.tokens if token.quote == "string"), "")
                self._run(inside)
            return
        procedure = PROCEDURE.match(text)
        called = procedure[1].lower() if procedure else ""
        if procedure is not None and called in ("sp_addextendedproperty", "sp_updateextendedproperty"):
            cursor, _ = self._cursor(text[procedure.end() :])
            extended_property(cursor, self.catalog)
        elif procedure is not None and called == "sp_rename":
            self._sp_rename(text[procedure.end() :])

    _execute = _exec

    def _sp_rename(self, arguments: str) -> None:
        """SQL Server's procedure that gives a table or a column another name."""
        cursor, _ = self._cursor(arguments)
        texts = [token.text for token in cursor.tokens if token.quote]
        if len(texts) < 2:
            return
        old = Cursor(tokenize(texts[0], "tsql"), "tsql").parts()
        if len(texts) > 2 and texts[2].upper() == "COLUMN" and len(old) > 1:
            schema = old[-3].text if len(old) > 2 else ""
            self.catalog.get(Name(schema, old[-2].text)).rename(old[-1].text, texts[1])
        elif len(texts) == 2 or texts[2].upper() == "OBJECT":
            table = self.catalog.find(Name(old[-2].text if len(old) > 1 else "", old[-1].text))
            if table is not None:
                self.catalog.rename(table, Name(table.name.schema, texts[1]))

    def _select(self, text: str) -> None:
        """A query that makes a table of its rows."""
        into = re.search(r"\bINTO\s+((?:TEMP\s+|TEMPORARY\s+|UNLOGGED\s+)?(?:TABLE\s+)?)", text, re.IGNORECASE)
        if into is None:
            return
        cursor, _ = self._cursor(text[into.end() :])
        table = DraftTable(self.catalog.resolve(cursor.name()))
        behind = text[into.end() :][cursor.tokens[cursor.place].start :] if not cursor.at_end else ""
        query = text[: into.start()] + behind
        table.columns += [Column(name) for name in query_columns(query, self.dialect, self.catalog)]
        if self.catalog.same(table.name) is None:
            self.catalog.add(table)

    def _drop(self, text: str) -> None:
        if not re.match(r"DROP\s+(?:\w+\s+)?TABLE\b", text, re.IGNORECASE) or "#" in text:
            return
        cursor, _ = self._cursor(text)
        cursor.skip_behind("TABLE")
        cursor.accept("IF", "EXISTS")
        while not cursor.at_end:
            table = self.catalog.find(cursor.name())
            if table is not None and not table.is_view:
                self.catalog.remove(table)
            if not cursor.accept(","):
                return

    def _rename(self, text: str) -> None:
        cursor, _ = self._cursor(text)
        cursor.place += 1
        cursor.accept("TABLE")
        while not cursor.at_end:
            table = self.catalog.get(cursor.name())
            if not cursor.accept("TO"):
                return
            name = cursor.name()
            self.catalog.rename(table, name if name.schema else Name(table.name.schema, name.name, name.quoted))
            if not cursor.accept(","):
                return

    def _use(self, text: str) -> None:
        used = SCHEMA_IN_USE.match(text)
        # In SQL Server USE names a database, in which tables have schemas of their own.
        if used is None or (self.quoting.body_end == "go" and text[:3].upper() == "USE"):
            return
        # One that stands for any schema is as good as none.
        bare = "" if re.search(r"[${@&]", used["names"].replace("$user", "")) else used["names"]
        names = [name.strip().strip("\"'`[]") for name in bare.split(",")]
        self.catalog.schema = next((name for name in names if name not in ("$user", "pg_catalog")), "")

    _set = _use

    def _do(self, text: str) -> None:
        body = DOLLAR_BODY.search(text)
        self._block(body[2] if body else text)

    def _block(self, text: str) -> None:
        """Carry out what a block of statements outside any routine does to tables."""
        failure: NotUnderstoodError | None = None
        place = 0
        while (match := IN_BLOCK.search(text, place)) is not None:
            place = match.end()
            try:
                if match["statement"]:
                    statement = next(split([text[match.start() :] + "\n"], self.quoting))
                    place = max(place, match.start() + len(statement.text))
                    self._carry_out(statement.text)
                elif match["dynamic"] is not None:
                    string = re.compile(r"'((?:[^']|'')*)'").match(text, place)
                    self._run(string[1].replace("''", "'") if string else "")
            except NotUnderstoodError as error:
                failure = failure or error
        if failure is not None:
            raise failure

    _begin = _declare = _if = _block

    def _run(self, text: str) -> None:
        """Carry out a text of statements that another one runs."""
        for statement in split([text + "\n"], self.quoting):
            if re.match(r"(?:CREATE|ALTER|DROP|COMMENT|BEGIN|DECLARE)\b", statement.text, re.IGNORECASE):
                self._carry_out(statement.text)


WITH_OPTIONS = re.compile(r"\bWITH\s+(?:NO\s+)?(?:DATA|SCHEMA\s+BINDING|READ\s+ONLY|CHECK\s+OPTION)\b.*\Z", re.I | re.S)
"""What may follow the query of a statement."""


def _query(cursor: Cursor, behind: int, text: str) -> str | None:
    """The query of a statement: what follows the first ``AS``, or the first ``SELECT``, behind a place."""
    for place in range(behind, len(cursor.tokens)):
        word = cursor.tokens[place].word
        following = cursor.tokens[place + 1].word if place + 1 < len(cursor.tokens) else ""
        if word == "AS" and following == "(":
            group = Cursor(cursor.tokens, cursor.dialect)
            group.place = place + 1
            group.skip_group()
            return text[cursor.tokens[place + 1].end + 1 : cursor.tokens[group.place - 1].start]
        if word == "SELECT" or (word == "AS" and following in ("SELECT", "WITH", "FROM", "VALUES")):
            begin = cursor.tokens[place + (word == "AS")].start
            return WITH_OPTIONS.sub("", text[begin:])
    return None
