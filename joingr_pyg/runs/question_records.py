"""The ranked tables of each question of a finished run, from its ``questions.jsonl``."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.errors import JoinGRError
from joingr_pyg.runs.files import QUESTIONS


@dataclass(frozen=True)
class QuestionRecord:
    """One question of a run.

    Args:
        index: Its number in the benchmark.
        question: Its text.
        database: The database it is asked of.
        gold: Its gold tables, as ``"database.table"``.
        ranked: Its ranked tables, best first.
        scores: Their scores.
    """

    index: int
    question: str
    database: str
    gold: frozenset[str]
    ranked: tuple[str, ...]
    scores: tuple[float, ...] = ()


def read_questions(folder: Path) -> list[QuestionRecord]:
    """The questions of a run, in the order of their numbers.

    Raises:
        JoinGRError: If the file is missing, damaged or empty.
    """
    path = folder / QUESTIONS
    try:
        lines = [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
        records = [
            QuestionRecord(
                line["index"],
                line["question"],
                line["database"],
                frozenset(line["gold"]),
                tuple(hit["table"] for hit in line["ranked"]),
                tuple(float(hit["score"]) for hit in line["ranked"]),
            )
            for line in lines
        ]
    except OSError as error:
        raise JoinGRError(f"'{path}' cannot be read ({error.strerror}): name the folder of a finished run.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise JoinGRError(f"'{path}' was not written by 'joingr train' or 'joingr evaluate': run it again.") from error
    if not records:
        raise JoinGRError(f"'{path}' holds no question: name the folder of a run that evaluated some.")
    return sorted(records, key=lambda record: record.index)


def measures(records: Sequence[QuestionRecord], ks: Sequence[int]) -> dict[str, NDArray[np.float64]]:
    """``P@K``, ``R@K`` and ``PR@K`` of each question, ``[Q]`` each.

    They are defined as in :class:`~joingr_pyg.evaluation.metrics.RetrievalMetrics`. The records need to hold at least
    ``K`` tables of a question.
    """
    values: dict[str, NDArray[np.float64]] = {}
    gold = np.array([len(record.gold) for record in records])
    for k in ks:
        hits = np.array([len(record.gold.intersection(record.ranked[:k])) for record in records])
        values |= {f"P@{k}": hits / k, f"R@{k}": hits / gold, f"PR@{k}": (hits == gold).astype(float)}
    return values


def kept(metrics: Sequence[str]) -> tuple[int, ...]:
    """The cut-offs ``K`` that metrics such as ``"R@15"`` name, ascending."""
    return tuple(sorted({int(name.rpartition("@")[2]) for name in metrics if name.rpartition("@")[2].isdecimal()}))
