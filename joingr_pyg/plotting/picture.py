"""What a picture of an answer shows: tables, joins, and what the walk laid on them, hop after hop."""

from dataclasses import dataclass

from joingr_pyg.schema import ForeignKey, TableName


@dataclass(frozen=True)
class PictureTable:
    """A table of the picture.

    Attributes:
        name: ``(database, table)``.
        description: What it holds, if known.
        place: Its place in the answer, from 1; ``None`` if it was not found.
        score: Its score, if it was found.
        reason: Why it is there, in one sentence.
        column: Its column that is most similar to the question, if it was found.
        similarity: Cosine of that column and the question.
        anchor: The deposit that a walk started with here; ``None`` if none started here.
        deposits: The deposit that each hop laid on its joins.
    """

    name: TableName
    description: str
    place: int | None
    score: float | None
    reason: str
    column: str
    similarity: float
    anchor: float | None
    deposits: tuple[float, ...]

    def deposit(self, hop: int) -> float:
        """What lies at the table after a hop; before the first one, what a walk starts with here."""
        return (self.anchor or 0.0) if hop == 0 else sum(self.deposits[:hop])


@dataclass(frozen=True)
class PictureJoin:
    """All joins of two tables, or of a table with itself, as one line of the picture.

    Attributes:
        ends: Positions of the tables among those of the picture; both are the same for a join of a table with itself.
        keys: The joined pairs of columns; a composite key is several.
        forward: The deposit that each hop laid from the first end to the second one.
        backward: The deposit that each hop laid the other way.
    """

    ends: tuple[int, int]
    keys: tuple[ForeignKey, ...]
    forward: tuple[float, ...]
    backward: tuple[float, ...]

    @property
    def inferred(self) -> bool:
        """Whether no pair of columns is declared or given: all were inferred or mined."""
        return all(key.source in ("inferred", "mined") for key in self.keys)

    def deposit(self, hop: int) -> float:
        """What lies on the joins after a hop."""
        return sum(self.forward[:hop]) + sum(self.backward[:hop])


@dataclass(frozen=True)
class Picture:
    """An answer, and the part of its walk that is drawn.

    Attributes:
        question: The question.
        tables: The tables that are drawn: first those found, in their order, then those that connect them, then others
            that the walk touched, the largest deposit first.
        listed: All tables found, in their order; of a long answer only the first are among :attr:`tables`.
        joins: The joins that are drawn.
        hops: Number of hops; 0 where there was no walk.
        num_tables: Number of tables that competed.
        num_touched: How many of them the walk touched.
        drawn_share: The share of all deposits at tables that lies at the drawn ones.
    """

    question: str
    tables: tuple[PictureTable, ...]
    listed: tuple[PictureTable, ...]
    joins: tuple[PictureJoin, ...]
    hops: int
    num_tables: int
    num_touched: int
    drawn_share: float

    @property
    def several_databases(self) -> bool:
        """Whether names need that of their database."""
        return len({table.name[0] for table in (*self.tables, *self.listed)}) > 1
