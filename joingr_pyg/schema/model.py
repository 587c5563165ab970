"""The data model of a relational schema: databases, tables, columns and foreign keys."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any, Literal, get_args

from joingr_pyg.errors import JoinGRError

TableName = tuple[str, str]
"""A table within a corpus of databases: ``(database, table)``."""

JoinSource = Literal["declared", "given", "inferred", "mined"]
"""Where a join comes from."""

JOIN_SOURCES: tuple[str, ...] = get_args(JoinSource)


@dataclass(frozen=True)
class Column:
    """A column as its database declares it.

    Args:
        name: Exact name in the database. It may be any string, even empty.
        type: Declared type, as written in the source.
        natural_name: Readable form of the name, if known.
        description: What the column holds, if known.
    """

    name: str
    type: str = ""
    natural_name: str = ""
    description: str = ""


@dataclass(frozen=True)
class Table:
    """A table with its columns in declaration order.

    Args:
        name: Exact name in the database.
        columns: The columns, at least one.
        primary_key: Names of the columns of the primary key.
        natural_name: Readable form of the name, if known.
        description: What the table holds, if known.
        schema: Schema (namespace) of the table, if the source names one. If two schemas have a table of the same name,
            ``name`` is ``"schema.table"`` for both.
    """

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    natural_name: str = ""
    description: str = ""
    schema: str = ""

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True)
class ForeignKey:
    """One pair of joined columns. A composite foreign key is several pairs.

    Foreign keys are equal if they join the same columns in the same direction; other arguments are not compared.

    Args:
        table: The referencing table.
        column: The referencing column.
        referenced_table: The referenced table.
        referenced_column: The referenced column.
        description: Meaning of the join, if known.
        source: Where the join comes from: ``"declared"`` by the schema, ``"given"`` by the user, ``"inferred"`` from
            names and types, or ``"mined"`` from queries.
        confidence: Probability that the two are joined, above 0 and at most 1.
        evidence: Reason for a join that is not declared, in words.
    """

    table: str
    column: str
    referenced_table: str
    referenced_column: str
    description: str = field(default="", compare=False)
    source: JoinSource = field(default="declared", compare=False)
    confidence: float = field(default=1.0, compare=False)
    evidence: str = field(default="", compare=False)

    @property
    def endpoints(self) -> frozenset[tuple[str, str]]:
        """The two joined columns, each ``(table, column)``, without direction."""
        return frozenset({(self.table, self.column), (self.referenced_table, self.referenced_column)})

    @property
    def length(self) -> float:
        """Length of the join on a path: 1 if it is certain, up to 2."""
        return 2.0 - self.confidence

    def __str__(self) -> str:
        return f"{self.table}.{self.column} = {self.referenced_table}.{self.referenced_column}"


@dataclass(frozen=True)
class Database:
    """A database schema. It is validated when it is created.

    Args:
        name: Name of the database, unique in a corpus.
        tables: The tables in declaration order.
        foreign_keys: Joined column pairs in declaration order. Repetitions are allowed.

    Raises:
        JoinGRError: If there is no table, a table or column is listed twice, a table has no column, a key names a
            column that does not exist, a name, type or description is no text that UTF-8 can hold, or a join has
            another source or confidence than :class:`ForeignKey` allows.
    """

    name: str
    tables: tuple[Table, ...]
    foreign_keys: tuple[ForeignKey, ...] = field(default=())

    def __post_init__(self) -> None:
        _require_texts("A database", name=self.name)
        if not self.tables:
            raise JoinGRError(f"Database {self.name!r} has no tables.")
        seen: set[str] = set()
        for table in self.tables:
            _require_texts(f"A table of database {self.name!r}", name=table.name)
            where = f"table {table.name!r} of database {self.name!r}"
            texts = {"natural_name": table.natural_name, "description": table.description, "schema": table.schema}
            _require_texts(f"The {where}", **texts)
            for column in table.columns:
                _require_texts(f"A column of {where}", **column.__dict__)
            if table.name in seen:
                raise JoinGRError(f"Database {self.name!r} lists table {table.name!r} twice.")
            seen.add(table.name)
            if not table.columns:
                raise JoinGRError(f"The {where} has no columns.")
            names = set(table.column_names)
            if len(names) != len(table.columns):
                twice = next(n for n in names if table.column_names.count(n) > 1)
                raise JoinGRError(f"The {where} lists column {twice!r} twice.")
            for member in table.primary_key:
                _require_texts(f"The primary key of {where}", column=member)
                if member not in names:
                    raise JoinGRError(f"The primary key of {where} names column {member!r}, which does not exist.")
        for key in self.foreign_keys:
            ends = {"table": key.table, "column": key.column}
            ends |= {"referenced_table": key.referenced_table, "referenced_column": key.referenced_column}
            what = f"A foreign key of database {self.name!r}"
            _require_texts(what, **ends, description=key.description, evidence=key.evidence)
            if key.source not in JOIN_SOURCES:
                raise JoinGRError(f"{what} has the source {key.source!r}: write {' or '.join(JOIN_SOURCES)}.")
            if not isinstance(key.confidence, Real) or not 0 < key.confidence <= 1:
                raise JoinGRError(f"{what} has the confidence {key.confidence!r}: it is above 0 and at most 1.")
            for table_name, column in ((key.table, key.column), (key.referenced_table, key.referenced_column)):
                if table_name not in seen or column not in self[table_name].column_names:
                    raise JoinGRError(
                        f"A foreign key of database {self.name!r} names {table_name!r}.{column!r}, "
                        "which does not exist."
                    )

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Database":
        """Convert back from the values of :meth:`to_dict`, which may have been saved as JSON."""
        return cls(
            values["name"],
            tuple(
                Table(
                    **{
                        **table,
                        "columns": tuple(Column(**column) for column in table["columns"]),
                        "primary_key": tuple(table["primary_key"]),
                    }
                )
                for table in values["tables"]
            ),
            tuple(ForeignKey(**key) for key in values["foreign_keys"]),
        )

    @cached_property
    def _by_name(self) -> dict[str, Table]:
        return {table.name: table for table in self.tables}

    def __getitem__(self, table: str) -> Table:
        return self._by_name[table]

    def __contains__(self, table: object) -> bool:
        return table in self._by_name

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables)

    @cached_property
    def joins(self) -> tuple[ForeignKey, ...]:
        """The distinct joined pairs without regard to direction, each as first declared, without self-references."""
        distinct: dict[frozenset[tuple[str, str]], ForeignKey] = {}
        for key in self.foreign_keys:
            if len(key.endpoints) == 2:
                distinct.setdefault(key.endpoints, key)
        return tuple(distinct.values())

    @cached_property
    def join_by_name(self) -> dict[str, ForeignKey]:
        """The same by their texts, ``"a.x = b.y"``."""
        return {str(join): join for join in self.joins}

    @cached_property
    def neighbors(self) -> dict[str, dict[str, float]]:
        """For each table with joins, the tables that it is joined with, and the least length of the joins to each."""
        neighbors: dict[str, dict[str, float]] = {}
        for join in self.joins:
            for one, other in ((join.table, join.referenced_table), (join.referenced_table, join.table)):
                lengths = neighbors.setdefault(one, {})
                lengths[other] = min(lengths.get(other, join.length), join.length)
        return neighbors

    @cached_property
    def keys(self) -> frozenset[tuple[str, str]]:
        """The key columns ``(table, column)``: columns of a primary key or of a join (section 3.1)."""
        members = {(table.name, column) for table in self.tables for column in table.primary_key}
        return frozenset(members.union(*(key.endpoints for key in self.joins)))


def _require_texts(where: str, **texts: object) -> None:
    """Check names and descriptions, given as ``name=value``; JSON files may hold anything in their place."""
    for name, text in texts.items():
        if not isinstance(text, str):
            raise JoinGRError(f"{where} has a {name} that is no text (got {text!r:.40}): write it as a text.")
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise JoinGRError(f"{where} has a {name} with half of a letter (got {text!r:.40}): write whole letters.")
