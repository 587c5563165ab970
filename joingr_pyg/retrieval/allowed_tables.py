"""Which tables a question may be answered with: names, patterns, or a function that decides.

Nothing here tells a table that is not allowed from one that does not exist.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from difflib import get_close_matches
from typing import Any

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database, Table, TableName
from joingr_pyg.schema.readers.live.selection import matches

Allowed = str | Iterable[str | TableName] | Callable[[str, str], bool]
"""Tables that a question may be answered with, in one of three forms.

- Names, as ``["orders", "customers"]``, or patterns as ``include=`` of :meth:`TableRetriever.from_database` takes them:
  ``["sales.*", "dim_*"]``. A text that is the exact name of a table stands for this table alone, and for those of the
  same name in other databases.
- Pairs of a database and such a name or pattern, as ``[("shop", "orders"), ("crm", "*")]``.
- A function of a database's and a table's name that returns ``True`` for a table that is allowed.
"""


def allowed_tables(
    databases: Sequence[Database], allowed: Allowed | None, names: Iterable[str] | None
) -> frozenset[TableName]:
    """The tables that are allowed.

    Args:
        databases: All schemas.
        allowed: The tables; all where ``None``.
        names: The databases that they may be of; all where ``None``.

    Raises:
        JoinGRError: If ``allowed`` is of no form of :data:`Allowed`, one of its names or patterns is of no table, a
            database has no table that is allowed, or there is no table at all.
    """
    if allowed is None:
        tables = {(database.name, table.name) for database in databases for table in database}
    elif callable(allowed):
        tables = _decided(databases, allowed)
    else:
        tables = _named(databases, _listed(allowed))
    if not tables:
        raise JoinGRError("'allowed' leaves no table to answer with: allow at least one.")
    if names is not None:
        wanted = _wanted(names, dict.fromkeys(database.name for database in databases), {name for name, _ in tables})
        tables = {table for table in tables if table[0] in wanted}
    return frozenset(tables)


def _decided(databases: Iterable[Database], allows: Callable[[str, str], bool]) -> set[TableName]:
    """The tables for which a function returns ``True``."""
    tables = set()
    for database in databases:
        for table in database:
            answer = allows(database.name, table.name)
            # What a forgotten 'await' returns counts as true.
            if not isinstance(answer, bool):
                raise JoinGRError(f"The function 'allowed' needs to return True or False (got {answer!r:.60}).")
            if answer:
                tables.add((database.name, table.name))
    return tables


def _listed(allowed: str | Iterable[Any]) -> list[str | tuple[str, str]]:
    """Names, patterns and pairs as a list."""
    if isinstance(allowed, Sequence | Set) and not isinstance(allowed, str | bytes):
        listed = [tuple(each) if isinstance(each, list) else each for each in allowed]
    else:
        listed = [allowed]
    for each in listed:
        parts = each if isinstance(each, tuple) and len(each) == 2 else (each,)
        if not all(isinstance(part, str) and part for part in parts):
            raise JoinGRError(
                "'allowed' needs to be a list of names or patterns of tables, as ['sales.*'], of pairs of a database "
                f"and such a name, or a function (got {each!r:.60})."
            )
    return listed


def _named(databases: Iterable[Database], listed: Iterable[str | tuple[str, str]]) -> set[TableName]:
    """The tables that names, patterns and pairs are of, each of at least one."""
    by_name: dict[str, set[TableName]] = defaultdict(set)
    every: list[tuple[TableName, str, str]] = []
    for database in databases:
        for table in database:
            name = (database.name, table.name)
            by_name[table.name].add(name)
            every.append((name, table.schema, _own_name(table)))
    tables: set[TableName] = set()
    for each in listed:
        base, pattern = ("", each) if isinstance(each, str) else each
        found = {name for name in by_name.get(pattern, ()) if base in ("", name[0])}
        if not found:
            found = {name for name, *table in every if base in ("", name[0]) and matches(pattern, *table)}
        if not found:
            raise JoinGRError(f"'allowed' has {each!r}, which is no table here: correct it, or leave it out.")
        tables |= found
    return tables


def _own_name(table: Table) -> str:
    """A table's name without its schema, which stands before it where two schemas have a table of one name."""
    return table.name.removeprefix(f"{table.schema}.") if table.schema else table.name


def _wanted(names: Iterable[str], all_names: Iterable[str], visible: Set[str]) -> frozenset[str]:
    """The databases that are wanted, all of which have a table that is allowed."""
    wanted: list[Any] = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    if not wanted or not all(isinstance(name, str) for name in wanted):
        raise JoinGRError(f"'databases' needs to be a list of names of databases (got {names!r:.60}).")
    for name in wanted:
        if name not in visible:
            by_lower_case = {each.lower(): each for each in all_names if each in visible}
            near = get_close_matches(name.lower(), by_lower_case, 1)
            hint = f"did you mean {by_lower_case[near[0]]!r}?" if near else "correct it, or leave it out."
            raise JoinGRError(f"No database is named {name!r}: {hint}")
    return frozenset(wanted)
