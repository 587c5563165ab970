"""The columns of what a query makes: of views, and of tables that are created from one."""

from sqlglot import exp

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.readers.ddl.catalog import Catalog
from joingr_pyg.schema.readers.ddl.dialects import TOKENS_OF
from joingr_pyg.schema.readers.ddl.tokens import Name, NotUnderstoodError
from joingr_pyg.schema.sql.parsing import parse_sql


def query_columns(sql: str, dialect: str, catalog: Catalog) -> list[str]:
    """The names of the columns that a query returns, ``*`` spelled out; expressions without a name are left out.

    Args:
        sql: The query.
        dialect: Its dialect.
        catalog: The tables it may read.

    Raises:
        NotUnderstoodError: If the query does not parse, no column has a name, or ``*`` is of a table that was not
            created.
    """
    try:
        statements = parse_sql(sql, TOKENS_OF.get(dialect, dialect))
        if not statements or not isinstance(statements[0], exp.Query):
            raise NotUnderstoodError("its query is not understood")
        names = _outputs(statements[0], catalog)
    except JoinGRError as error:
        raise NotUnderstoodError("its query is not understood") from error
    if not names:
        raise NotUnderstoodError("its query names no column")
    return names


def _outputs(query: exp.Query, catalog: Catalog) -> list[str]:
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select):
        raise NotUnderstoodError("its query is not understood")
    names: list[str] = []
    for column in query.expressions:
        if isinstance(column, exp.Star) or (isinstance(column, exp.Column) and isinstance(column.this, exp.Star)):
            names += _star(query, column.text("table").lower(), catalog)
        elif isinstance(column, exp.Alias | exp.Column | exp.Dot):
            names.append(column.alias_or_name)
    return names


def _star(query: exp.Select, owner: str, catalog: Catalog) -> list[str]:
    """The columns of all tables of a query, or of the one that ``owner`` names."""
    clause = query.args.get("from_") or query.args.get("from")
    sources = [(clause.this, None)] if clause is not None else []
    sources += [(join.this, join) for join in query.args.get("joins") or ()]
    names: list[str] = []
    for source, join in sources:
        if owner in ("", source.alias_or_name.lower()):
            columns = _columns_of(source, query, catalog)
            names += columns if join is None or owner else [name for name in columns if not _shared(name, join, names)]
    if not names:
        raise NotUnderstoodError("its query reads all columns of a table that no statement creates")
    return names


def _shared(name: str, join: exp.Join, before: list[str]) -> bool:
    """Whether a column of a joined table is one with a column before it."""
    if join.method.upper() == "NATURAL":
        return name.lower() in map(str.lower, before)
    return name.lower() in {column.name.lower() for column in join.args.get("using") or ()}


def _columns_of(source: exp.Expr, query: exp.Select, catalog: Catalog) -> list[str]:
    if isinstance(source, exp.Subquery):
        return _outputs(source.this, catalog)
    if isinstance(source, exp.Table):
        scope: exp.Expr | None = query
        while scope is not None and not source.db:
            for expression in scope.ctes if isinstance(scope, exp.Query) else ():
                if expression.alias.lower() == source.name.lower():
                    return expression.alias_column_names or _outputs(expression.this, catalog)
            scope = scope.parent
        table = catalog.find(Name(source.db, source.name))
        if table is not None:
            return [column.name for column in table.columns]
    raise NotUnderstoodError("its query reads all columns of a table that no statement creates")
