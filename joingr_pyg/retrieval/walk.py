"""The walk that led to an answer, told in the names of the schema."""

from collections.abc import Mapping
from dataclasses import dataclass

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models.walk_deposits import WalkDeposits
from joingr_pyg.schema import TableName


@dataclass(frozen=True)
class JoinDeposit:
    """What the walks of a question laid on one join in one hop, in one direction.

    Attributes:
        database: The database.
        frontier: The table that the walks stood on.
        neighbor: The table that they went to.
        join: The join, as ``"a.x = b.y"``.
        hop: The hop, counted from 1.
        deposit: The deposit, summed over the walks.
    """

    database: str
    frontier: str
    neighbor: str
    join: str
    hop: int
    deposit: float


@dataclass(frozen=True)
class AnswerWalk:
    """The walk of one question.

    Attributes:
        hops: Number of hops.
        anchors: The tables that walks started from, with the deposits that they started with.
        deposits: What was laid on the joins, hop after hop.
        num_tables: Number of tables that competed.
    """

    hops: int
    anchors: Mapping[TableName, float]
    deposits: tuple[JoinDeposit, ...]
    num_tables: int

    @classmethod
    def named(cls, walk: WalkDeposits, corpus: Corpus) -> "AnswerWalk":
        """Turn the numbers of a walk into names.

        Args:
            walk: The walk.
            corpus: The corpus that its tables are from.
        """
        steps = sorted(
            zip(
                *(part.tolist() for part in (walk.hop, walk.edge, walk.frontier, walk.neighbor, walk.deposit)),
                strict=True,
            )
        )
        return cls(
            hops=walk.hops,
            anchors={
                corpus.tables[table]: deposit
                for table, deposit in zip(walk.anchor.tolist(), walk.anchor_deposit.tolist(), strict=True)
            },
            deposits=tuple(
                JoinDeposit(
                    corpus.tables[frontier][0],
                    corpus.tables[frontier][1],
                    corpus.tables[neighbor][1],
                    corpus.join_name(edge),
                    hop,
                    deposit,
                )
                for hop, edge, frontier, neighbor, deposit in steps
            ),
            num_tables=corpus.num_tables,
        )
