"""Gold tables: the tables that a question's SQL reads."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.model import Database
from joingr_pyg.schema.names.readable import match
from joingr_pyg.schema.sql.parsing import parse_sql

DIALECTS = ("sqlite", "mysql", "oracle")
"""The dialects the benchmarks write in; a query that fails in the declared one is tried in these."""


def gold_tables(sql: str, database: Database, dialect: str = "sqlite") -> tuple[str, ...]:
    """The tables of a database that a query reads.

    Aliases, subqueries, set operations, quoting, letter case and a schema prefix (``main.orders``) do not matter. A
    common table expression hides the table of its name only where it is in scope, so
    ``WITH orders AS (SELECT * FROM orders) SELECT * FROM orders`` reads ``orders``.

    Args:
        sql: The query.
        database: The schema it runs on.
        dialect: Name of the sqlglot dialect it is written in.

    Returns:
        The exact names in the schema, in order of first appearance.

    Raises:
        JoinGRError: If the SQL does not parse, is no query, reads no table, or reads one that the schema lacks.
    """
    found: dict[str, None] = {}
    for statement in _parse(sql, dialect):
        if not isinstance(statement, exp.Query):
            raise JoinGRError(f"The gold SQL is a {statement.key.upper()} statement, not a query.")
        for identifier in sorted(_tables_read(statement, database), key=lambda each: each.meta["start"]):
            table = match(identifier.name, (table.name for table in database))
            if table is None:
                raise JoinGRError(f"The gold SQL reads table {identifier.name!r}, not in database {database.name!r}.")
            found[table] = None
    if not found:
        raise JoinGRError("The gold SQL reads no table.")
    return tuple(found)


def _parse(sql: str, dialect: str) -> list[exp.Expr]:
    failures: list[JoinGRError] = []
    for each in (dialect, *(other for other in DIALECTS if other != dialect)):
        try:
            return parse_sql(sql, each)
        except JoinGRError as error:
            failures.append(error)
    raise failures[0]


def _tables_read(query: exp.Query, database: Database) -> Iterator[exp.Identifier]:
    """The names of real tables in a query, that is all that name no common table expression."""
    known = {table.name.lower() for table in database}
    for node in query.find_all(exp.Table, exp.In):
        # SQLite's `x IN orders` reads a table too, which the parser takes for a column.
        source = node if isinstance(node, exp.Table) else node.args.get("field")
        if not isinstance(source, exp.Table | exp.Column) or not isinstance(source.this, exp.Identifier):
            continue
        qualified = source.args.get("db" if isinstance(source, exp.Table) else "table") is not None
        name = source.name.lower()
        # Some databases let a common table expression use itself and later ones undeclared; a name that
        # is no table can only mean that.
        if qualified or name not in _expressions_in_scope(source, everywhere=name not in known):
            yield source.this


def _expressions_in_scope(node: exp.Expr, everywhere: bool) -> set[str]:
    """Lower-case names of the common table expressions that ``node`` can refer to.

    Within a ``WITH`` these are the earlier ones, and itself where it is recursive; with ``everywhere`` all.
    """
    names: set[str] = set()
    below, above = node, node.parent
    while above is not None:
        visible: Sequence[exp.Expr] = ()
        if isinstance(above, exp.With):
            earlier = next(position for position, each in enumerate(above.expressions) if each is below)
            visible = above.expressions[: earlier + bool(above.args.get("recursive"))]
        elif isinstance(above, exp.Query) and (everywhere or not isinstance(below, exp.With)):
            visible = above.ctes
        names.update(each.alias.lower() for each in visible)
        below, above = above, above.parent
    return names
