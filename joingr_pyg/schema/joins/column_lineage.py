"""Which columns of the database a column of a query stands for."""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, build_scope

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.joins.direction import End
from joingr_pyg.schema.model import Database
from joingr_pyg.schema.sql.gold import table_named

WRAPPERS = (exp.Paren, exp.Cast, exp.TryCast, exp.Lower, exp.Upper, exp.Trim, exp.Alias)
"""What may stand around a column without making it another value."""

Source = exp.Table | Scope
"""What a query reads: a table of the database, or a derived table or common table expression."""

Outputs = dict[str, set[End]]
"""The columns that a source offers, by name in lower case, each with the columns of the database it stands for."""


class ColumnLineage:
    """Traces the columns of one query through aliases, derived tables and common table expressions.

    Args:
        query: The outermost query.
        database: The schema it runs on. Its names are matched without regard to letter case.
    """

    def __init__(self, query: exp.Query, database: Database) -> None:
        self._database = database
        self._tables: dict[tuple[str, str], Outputs] = {}
        self._outputs: dict[int, Outputs] = {}
        root = build_scope(query)
        self._scopes = {id(scope.expression): scope for scope in root.traverse()} if root else {}

    def selects(self) -> Iterator[exp.Select]:
        """All ``SELECT`` expressions of the query, nested ones included."""
        for scope in self._scopes.values():
            if isinstance(scope.expression, exp.Select):
                yield scope.expression

    def columns(self, value: exp.Expr, select: exp.Select) -> tuple[set[End], exp.Expr]:
        """The columns of the database that a value stands for.

        Args:
            value: Part of ``select``: a column, also in parentheses or cast, or a subquery of one column.
            select: The query that holds the value.

        Returns:
            The columns, several where the value comes from a ``UNION`` and none where it is computed, and the query
            whose ``FROM`` names their source: an outer one where a subquery refers to it.
        """
        value = unwrapped(value)
        if isinstance(value, exp.Query):
            return next(iter(self.projections(value)), set()), select
        scope = self._scopes.get(id(select))
        while isinstance(value, exp.Column) and scope is not None:
            for alias, source in self._sources(scope):
                if value.table and value.table.lower() != alias:
                    continue
                if (columns := self.offered(source).get(value.name.lower())) is not None:
                    return columns, scope.expression
            scope = scope.parent if scope.is_subquery or scope.is_udtf else None
        return set(), select

    def projections(self, query: exp.Query) -> list[set[End]]:
        """The columns of the database that the columns of a query's result stand for, in their order."""
        scope = self._scopes.get(id(query.unnest()))
        return list(self.offered(scope).values()) if scope is not None else []

    def sources(self, select: exp.Select) -> list[tuple[str, Source]]:
        """What a query reads, with its alias or name in lower case, in the order of its ``FROM`` and joins."""
        scope = self._scopes.get(id(select))
        return [] if scope is None else self._sources(scope)

    def offered(self, source: Source) -> Outputs:
        """The columns that a source offers."""
        if isinstance(source, exp.Table):
            name = (source.db, source.name)
            if name not in self._tables:
                self._tables[name] = self._columns_of(source)
            return self._tables[name]
        key = id(source)
        if key not in self._outputs:
            self._outputs[key] = {}  # A recursive expression that reads itself finds nothing new there.
            self._outputs[key] = self._results(source)
        return self._outputs[key]

    def _columns_of(self, source: exp.Table) -> Outputs:
        try:
            table = table_named(source, self._database)
        except JoinGRError:  # A table that the schema lacks has no columns that are known.
            return {}
        return {} if table is None else {name.lower(): {(table, name)} for name in self._database[table].column_names}

    def _results(self, scope: Scope) -> Outputs:
        if scope.set_operation_scopes:
            first, *others = (self.offered(part) for part in scope.set_operation_scopes)
            outputs = {name: set(columns) for name, columns in first.items()}
            for other in others:
                for columns, more in zip(outputs.values(), other.values(), strict=False):
                    columns |= more
        elif isinstance(scope.expression, exp.Select):
            outputs = self._selected(scope, scope.expression)
        else:
            outputs = {}
        if names := scope.outer_columns:
            return {name.lower(): columns for name, columns in zip(names, outputs.values(), strict=False)}
        return outputs

    def _selected(self, scope: Scope, select: exp.Select) -> Outputs:
        outputs: Outputs = {}
        for position, projection in enumerate(select.expressions):
            if projection.is_star:
                qualifier = projection.table.lower() if isinstance(projection, exp.Column) else ""
                for alias, source in self._sources(scope):
                    if qualifier in ("", alias):
                        for name, columns in self.offered(source).items():
                            outputs.setdefault(name, columns)
            else:
                name = projection.alias_or_name.lower() or f"#{position}"
                outputs.setdefault(name, self.columns(projection, select)[0])
        return outputs

    @staticmethod
    def _sources(scope: Scope) -> list[tuple[str, Source]]:
        return [(alias.lower(), source) for alias, (_, source) in scope.selected_sources.items()]


def unwrapped(value: exp.Expr) -> exp.Expr:
    """A value without what stands around it and does not change which value it is."""
    while isinstance(value, (*WRAPPERS, exp.Subquery, exp.Any)):
        value = value.this
    return value
