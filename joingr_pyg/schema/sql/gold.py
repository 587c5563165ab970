"""Gold tables: the tables that a question's SQL reads."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.model import Database, Table
from joingr_pyg.schema.names.readable import match
from joingr_pyg.schema.sql.parsing import parse_sql

DIALECTS = ("sqlite", "mysql", "oracle", "tsql")
"""Dialects to try for SQL that does not parse in its declared dialect: those of benchmarks, and T-SQL."""

DEFAULT_SCHEMAS = {"", "main", "public", "dbo"}
"""Names of default schemas."""

ONE_ROW = {"dual", "sysdummy1"}
"""Built-in one-row tables of Oracle, MySQL and DB2."""


def tables_read_by(sql: str, database: Database, dialect: str = "sqlite") -> tuple[str, ...]:
    """The tables of a database that a query reads.

    Aliases, subqueries, set operations, quoting and letter case do not matter. A schema prefix (``archive.orders``)
    distinguishes tables of the same name; it may be the schema of the table, the name of the database, or a default
    schema (``main``, ``public``, ``dbo``). A common table expression hides the table of its name only where it is in
    scope, so ``WITH orders AS (SELECT * FROM orders) SELECT * FROM orders`` reads ``orders``.

    Args:
        sql: The query.
        database: The schema it runs on.
        dialect: Name of the sqlglot dialect it is written in.

    Returns:
        The exact names in the schema, in order of first appearance.

    Raises:
        JoinGRError: If the SQL does not parse, is nested too deeply, is not a query, reads no table, or reads a table
            that is not in the schema.
    """
    names: dict[str, None] = {}
    made: set[str] = set()  # tables that earlier statements made: SELECT * INTO #recent FROM orders
    for statement in parse_query(sql, dialect):
        if not isinstance(statement, exp.Query):
            raise JoinGRError(f"The gold SQL is a {statement.key.upper()} statement, not a query.")
        read = [source for source in _tables_read(statement, database) if source.name.lower() not in made]
        sources = sorted(read, key=lambda source: source.this.meta["start"])
        names |= dict.fromkeys(name for source in sources if (name := table_named(source, database)) is not None)
        made |= {into.this.name.lower() for into in statement.find_all(exp.Into) if into.this}
    if not names:
        raise JoinGRError("The gold SQL reads no table.")
    return tuple(names)


def table_named(source: exp.Expr, database: Database) -> str | None:
    """The exact name of a table that a query reads; ``None`` for a built-in one-row table.

    Raises:
        JoinGRError: If the schema has no such table, or several.
    """
    name, schema = source.name, source.text(_qualifier(source))
    bare = {table.name: _bare_name(table) for table in database}
    own = match(name, bare.values())
    alike = [table for table in database if bare[table.name] == own]
    if name.lower() in ONE_ROW and not alike:
        return None
    if not alike:
        # A name with its schema may be quoted as a whole: "archive.orders".
        whole = match(name, bare)
        if whole is None:
            raise JoinGRError(f"The gold SQL reads table {name!r}, not in database {database.name!r}.")
        return whole
    if schema.lower() in DEFAULT_SCHEMAS | {database.name.lower()}:
        chosen = [table for table in alike if table.schema.lower() in DEFAULT_SCHEMAS] or alike
    else:
        chosen = [table for table in alike if table.schema.lower() == schema.lower()]
    if not chosen:
        raise JoinGRError(
            f"The gold SQL reads table {f'{schema}.{name}'!r}, and {schema!r} is neither database "
            f"{database.name!r} nor the schema of its table."
        )
    if len(chosen) > 1:
        schemas = ", ".join(repr(table.schema) for table in chosen)
        raise JoinGRError(f"The gold SQL reads table {name!r}, which the schemas {schemas} all have.")
    return chosen[0].name


def _bare_name(table: Table) -> str:
    """A table's name without its schema."""
    return table.name.removeprefix(f"{table.schema}.") if table.schema else table.name


def _qualifier(source: exp.Expr) -> str:
    """The argument of a syntax-tree node with the schema of a table (which may be parsed as a column)."""
    return "db" if isinstance(source, exp.Table) else "table"


def parse_query(sql: str, dialect: str) -> list[exp.Expr]:
    """Parse SQL in its dialect, or else in the first of :data:`DIALECTS` in which it parses.

    Raises:
        JoinGRError: If it parses in none of them. The message is that of its own dialect.
    """
    failures: list[JoinGRError] = []
    for tried in (dialect, *(other for other in DIALECTS if other != dialect)):
        try:
            # sqlglot returns a comment after the last semicolon as a statement.
            # A file's byte order mark may have stayed in its first query.
            parts = parse_sql(sql.removeprefix("\ufeff"), tried)
            return [part for part in parts if not isinstance(part, exp.Semicolon)]
        except JoinGRError as error:
            failures.append(error)
    raise failures[0]


def _tables_read(query: exp.Query, database: Database) -> Iterator[exp.Table | exp.Column]:
    """The tables in a query, without references to common table expressions."""
    table_names = {_bare_name(table).lower() for table in database}
    for node in query.find_all(exp.Table, exp.In):
        # SQLite's `x IN orders` reads a table too, but is parsed as a column.
        source = node if isinstance(node, exp.Table) else node.args.get("field")
        if isinstance(node.parent, exp.Into) or node.arg_key == "indexed":
            continue  # the name of a table that the query makes, or of an index
        if not isinstance(source, exp.Table | exp.Column) or not isinstance(source.this, exp.Identifier):
            continue
        qualified = source.args.get(_qualifier(source)) is not None
        name = source.name.lower()
        # Some databases allow a common table expression to use itself and later ones without RECURSIVE. A name that is
        # not a table of the schema can only mean that.
        if qualified or name not in _expressions_in_scope(source, everywhere=name not in table_names):
            yield source


def _expressions_in_scope(node: exp.Expr, everywhere: bool) -> set[str]:
    """Lower-case names of the common table expressions that ``node`` can refer to.

    Inside a ``WITH`` these are the earlier ones, and itself if it is recursive. With ``everywhere``, all of them.
    """
    names: set[str] = set()
    below, above = node, node.parent
    while above is not None:
        visible: Sequence[exp.Expr] = ()
        if isinstance(above, exp.With):
            earlier = next(position for position, child in enumerate(above.expressions) if child is below)
            visible = above.expressions[: earlier + bool(above.args.get("recursive"))]
        elif isinstance(above, exp.Query) and (everywhere or not isinstance(below, exp.With)):
            visible = above.ctes
        names.update(expression.alias.lower() for expression in visible)
        below, above = above, above.parent
    return names
