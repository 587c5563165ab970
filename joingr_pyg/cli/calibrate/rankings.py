"""The rankings of a finished run as tensors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from joingr_pyg.models.calibration import CANDIDATES, lengths
from joingr_pyg.runs.question_records import QuestionRecord


@dataclass(frozen=True)
class Rankings:
    """What ``Q`` questions got in their first ``C`` places.

    Attributes:
        asked: ``Q`` names of the databases that were asked.
        table: ``[Q, C]`` table numbers, ``-1`` for empty places.
        score: ``[Q, C]`` scores, ``-inf`` for empty places.
        database: ``[Q, C]`` number of each table's database, ``-1`` for empty places.
        gold: ``[Q, G]`` gold table numbers, ``-1`` for empty places.
        length: ``[Q]`` lengths of the questions.
    """

    asked: tuple[str, ...]
    table: Tensor
    score: Tensor
    database: Tensor
    gold: Tensor
    length: Tensor

    @classmethod
    def of(cls, records: Sequence[QuestionRecord]) -> "Rankings":
        """The first :data:`~joingr_pyg.models.calibration.CANDIDATES` places of questions."""
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
    return {name: number for number, name in enumerate(dict.fromkeys(name for each in names for name in each))}


def _padded(rows: Sequence[Sequence[float]], width: int, empty: float) -> Tensor:
    """``[Q, width]``, whole numbers where ``empty`` is one."""
    return torch.tensor([[*row, *[empty] * (width - len(row))] for row in rows])
