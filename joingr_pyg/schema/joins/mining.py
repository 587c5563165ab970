"""Joins that people use: pairs of columns that queries equate."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.joins.column_lineage import ColumnLineage, unwrapped
from joingr_pyg.schema.joins.direction import End, directed_join
from joingr_pyg.schema.model import Database, ForeignKey
from joingr_pyg.schema.sql.gold import parse_query

logger = logging.getLogger(__name__)

EXAMPLES = 3
"""Queries that are kept as examples of a join, at most."""

Pair = frozenset[End]
"""Two columns that are equated."""

_CONDITIONS = (exp.And, exp.Or, exp.Paren)
_CLAUSES = (exp.Where, exp.Join, exp.Having, exp.Qualify)
_CONDITIONAL = (exp.Not, exp.Case, exp.If)


@dataclass(frozen=True)
class MinedJoin:
    """A pair of columns that queries equate.

    Args:
        join: The pair, as a foreign key of source ``"mined"``.
        count: Number of queries that equate it.
        examples: The first of these queries, at most :data:`EXAMPLES`.
    """

    join: ForeignKey
    count: int
    examples: tuple[str, ...]


def mine_joins(sql_texts: Iterable[str], database: Database, dialect: str = "sqlite") -> tuple[MinedJoin, ...]:
    """Find the pairs of columns that queries equate.

    Pairs are read from ``ON``, ``USING``, ``NATURAL`` and ``WHERE``, from ``IN`` and from correlated subqueries;
    columns are traced through aliases, common table expressions and derived tables to those of the database. What is
    equated under ``NOT``, ``CASE`` or in a computed column is no join. A query that does not parse is left out, and
    one log line counts them.

    The confidence of a pair that ``n`` queries equate is ``(n + 1) / (n + 2)`` (Laplace's rule of succession).

    Args:
        sql_texts: The queries, each one or several statements.
        database: The schema they run on.
        dialect: Name of the sqlglot dialect they are written in.

    Returns:
        The pairs that join two different columns, those of most queries first.
    """
    queries: dict[Pair, list[str]] = defaultdict(list)
    total, failures = 0, []
    for sql in sql_texts:
        total += 1
        try:
            pairs = dict.fromkeys(_pairs(sql, database, dialect))
        except (JoinGRError, RecursionError) as error:
            failures.append(str(error))
            continue
        for pair in pairs:
            queries[pair].append(sql)
    if failures:
        logger.warning(
            "%d of %d queries could not be read and give no joins; the first: %s", len(failures), total, failures[0]
        )
    mined = [_mined(database, pair, equating) for pair, equating in queries.items()]
    return tuple(sorted(mined, key=lambda each: (-each.count, str(each.join))))


def _mined(database: Database, pair: Pair, queries: list[str]) -> MinedJoin:
    count = len(queries)
    first, second = sorted(pair)
    evidence = f"{count} {'queries equate' if count > 1 else 'query equates'} the two columns"
    join = directed_join(database, first, second, "mined", (count + 1) / (count + 2), evidence)
    return MinedJoin(join, count, tuple(queries[:EXAMPLES]))


def _pairs(sql: str, database: Database, dialect: str) -> Iterator[Pair]:
    """The pairs of different columns that a text of SQL equates, with repetitions."""
    for statement in parse_query(sql, dialect):
        for query in _outermost(statement):
            lineage = ColumnLineage(query, database)
            for select in lineage.selects():
                for first, second in (*_conditions(select, lineage), *_shared_names(select, lineage)):
                    yield from (pair for a in first for b in second if len(pair := frozenset((a, b))) == 2)


def _outermost(statement: exp.Expr) -> list[exp.Query]:
    """The queries of a statement that lie in no other: itself, or those of a view or an insertion."""
    return [
        query
        for query in statement.find_all(exp.Select, exp.SetOperation)
        if query.find_ancestor(exp.Select, exp.SetOperation) is None
    ]


def _conditions(select: exp.Select, lineage: ColumnLineage) -> Iterator[tuple[set[End], set[End]]]:
    """What the conditions of a query equate, those of its nested queries left out."""
    for node in select.find_all(exp.EQ, exp.NullSafeEQ, exp.In):
        if node.find_ancestor(exp.Select) is not select or not _is_condition(node):
            continue
        for left, right in _sides(node, lineage):
            (first, owner), (second, other_owner) = _columns(left, select, lineage), _columns(right, select, lineage)
            if all(_holds(select, each) for each in (owner, other_owner)):
                yield first, second


def _columns(side: exp.Expr | set[End], select: exp.Select, lineage: ColumnLineage) -> tuple[set[End], exp.Expr]:
    return (side, select) if isinstance(side, set) else lineage.columns(side, select)


def _sides(node: exp.Expr, lineage: ColumnLineage) -> Iterator[tuple[exp.Expr, exp.Expr | set[End]]]:
    """The two sides of an equation; tuples are equated member by member."""
    left = unwrapped(node.this)
    lefts = left.expressions if isinstance(left, exp.Tuple) else [left]
    if isinstance(node, exp.In):
        if query := node.args.get("query"):
            yield from zip(lefts, lineage.projections(query), strict=False)
    else:
        right = unwrapped(node.expression)
        rights = right.expressions if isinstance(right, exp.Tuple) else [right]
        yield from zip(lefts, rights, strict=False)


def _is_condition(node: exp.Expr) -> bool:
    """Whether an equation is a condition of its query, rather than part of a value or of another condition."""
    above = node.parent
    while isinstance(above, _CONDITIONS):
        above = above.parent
    return isinstance(above, _CLAUSES)


def _holds(select: exp.Select, owner: exp.Expr) -> bool:
    """Whether nothing between a subquery and the outer query it refers to makes its conditions hold at times only."""
    node: exp.Expr | None = select
    while node is not None and node is not owner:
        if isinstance(node, _CONDITIONAL):
            return False
        node = node.parent
    return True


def _shared_names(select: exp.Select, lineage: ColumnLineage) -> Iterator[tuple[set[End], set[End]]]:
    """What ``USING`` and ``NATURAL`` equate: columns of one name."""
    sources = lineage.sources(select)
    for join in select.args.get("joins") or ():
        position = next((p for p, (alias, _) in enumerate(sources) if alias == join.alias_or_name.lower()), 0)
        right = lineage.offered(sources[position][1]) if position else {}
        before = [lineage.offered(source) for _, source in sources[:position]]
        if join.args.get("method", "") == "NATURAL":
            names = list(right)
        else:
            names = [name.name.lower() for name in join.args.get("using") or ()]
        for name in names:
            left = next((columns[name] for columns in before if name in columns), None)
            if left and name in right:
                yield left, right[name]
