"""The rankings of a finished run as tensors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from joingr_pyg.models.calibration import CANDIDATES, lengths
from joingr_pyg.runs.question_records import QuestionRecord


@dataclass(frozen=True)
class Rankings:
    """The first ``C`` ranked tables of ``Q`` questions.

    Attributes:
        question_database: ``Q`` names of the databases that the questions are asked of.
        table: ``[Q, C]`` table numbers, ``-1`` for empty places.
        score: ``[Q, C]`` scores, ``-inf`` for empty places.
        database: ``[Q, C]`` number of each table's database, ``-1`` for empty places.
        gold: ``[Q, G]`` gold table numbers, ``-1`` for empty places.
        length: ``[Q]`` lengths of the questions.
    """

    question_database: tuple[str, ...]
    table: Tensor
    score: Tensor
    database: Tensor
    gold: Tensor
    length: Tensor

    @classmethod
    def of(cls, records: Sequence[QuestionRecord]) -> "Rankings":
        """The rankings of question records, cut to :data:`~joingr_pyg.models.calibration.CANDIDATES` tables."""
        ranked = [record.ranked[:CANDIDATES] for record in records]
        gold = [sorted(record.gold) for record in records]
        table = _numbers([*ranked, *gold])
        database = _numbers([[_database(name) for name in names] for names in ranked])
        most = max(map(len, gold))
        return cls(
            tuple(record.database for record in records),
            _padded([[table[name] for name in names] for names in ranked], CANDIDATES, -1),
            _padded([record.scores[:CANDIDATES] for record in records], CANDIDATES, -torch.inf),
            _padded([[database[_database(name)] for name in names] for names in ranked], CANDIDATES, -1),
            _padded([[table[name] for name in names] for names in gold], most, -1),
            lengths([record.question for record in records]),
        )

    @property
    def needed(self) -> Tensor:
        """``[Q, C]`` whether each table is gold."""
        return (self.table.unsqueeze(2) == self.gold.unsqueeze(1)).any(dim=2) & (self.table >= 0)


def _database(table: str) -> str:
    return table.partition(".")[0]


def _numbers(names: Iterable[Sequence[str]]) -> dict[str, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(name for group in names for name in group))}


def _padded(rows: Sequence[Sequence[float]], width: int, empty: float) -> Tensor:
    """Rows filled up with ``empty``: ``[Q, width]``, of integers if all values are integers."""
    return torch.tensor([[*row, *[empty] * (width - len(row))] for row in rows])
