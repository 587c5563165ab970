"""What reading a script came to: counts, and what was not understood."""

from dataclasses import dataclass

from joingr_pyg.schema.model import Database


@dataclass(frozen=True)
class NotUnderstood:
    """A statement about a table that was not understood.

    Args:
        file: Name of the file; empty for a text.
        line: The line it begins in, or that of a quote in it that is never closed, counted from 1.
        reason: What was not understood.
        statement: Its beginning.
    """

    file: str
    line: int
    reason: str
    statement: str

    def __str__(self) -> str:
        beginning = f" ({self.statement!r})" if self.statement else ""
        return f"{self.where} is not understood: {self.reason}{beginning}."

    @property
    def where(self) -> str:
        return f"Line {self.line}{f' of {self.file}' if self.file else ''}"


@dataclass(frozen=True)
class DDLReading:
    """A schema and what reading it came to.

    Args:
        database: The schema.
        dialect: The dialect that it was read in.
        foreign_keys: How many foreign keys the schema has, composite ones counted once.
        views: How many views the scripts create.
        partitions: How many tables were left out because they hold but a part of the rows of another.
        not_understood: The statements about tables that were not understood.
        left_out: Tables and keys that cannot be part of a schema, one sentence each.
        warnings: What else the user should know, one sentence each.
    """

    database: Database
    dialect: str
    foreign_keys: int
    views: int
    partitions: int
    not_understood: tuple[NotUnderstood, ...]
    left_out: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    views_are_tables: bool = False

    def without_joins(self) -> str:
        """What to do where the schema declares no key between tables."""
        return (
            f"The schema {self.database.name!r} declares no foreign key, so that no join leads from one table to "
            "another but those that are given or inferred from names: if its keys are in another file, give both files "
            "as a list."
        )

    def summary(self) -> str:
        """One line: ``"139 tables, 1,691 columns, 339 foreign keys, 4 statements not understood, first at line 8"``."""
        columns = sum(len(table.columns) for table in self.database)
        counts = [
            _count(len(self.database.tables), "table"),
            _count(columns, "column"),
            _count(self.foreign_keys, "foreign key"),
        ]
        if self.views:
            counts.append(_count(self.views, "view") + (" among the tables" if self.views_are_tables else " left out"))
        if self.partitions:
            counts.append(_count(self.partitions, "partition") + " left out")
        if self.left_out:
            counts.append(_count(len(self.left_out), "table or key", "tables or keys") + " left out")
        if self.not_understood:
            first = self.not_understood[0].where
            counts.append(f"{_count(len(self.not_understood), 'statement')} not understood")
            counts.append(f"first at {first[0].lower()}{first[1:]}")
        return ", ".join(counts)


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
