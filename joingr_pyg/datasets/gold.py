"""Gold tables and joins of questions as table and join numbers of a corpus."""

from collections.abc import Sequence

import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.datasets.benchmark import Question


def gold_table_numbers(questions: Sequence[Question], corpus: Corpus) -> Tensor:
    """``[Q, G]`` numbers of the gold tables, padded with ``-1``."""
    return _padded([[corpus.table_number[name] for name in question.gold] for question in questions])


def bridge_table_numbers(questions: Sequence[Question], corpus: Corpus) -> Tensor:
    """``[Q, G]`` numbers of the gold tables that only connect others, padded with ``-1``."""
    return _padded(
        [[corpus.table_number[question.database, table] for table in question.bridge_tables] for question in questions]
    )


def gold_join_numbers(questions: Sequence[Question], corpus: Corpus) -> Tensor:
    """``[Q, G]`` numbers of the annotated gold join edges; ``-1`` is padding, or a join that is not in the graph."""
    owner = corpus.owner.tolist()
    names = [(*corpus.tables[table], column) for table, column in zip(owner, corpus.columns, strict=True)]
    edges = {frozenset((names[a], names[b])): edge for edge, (a, b) in enumerate(corpus.join_index.t().tolist())}
    return _padded(
        [[edges.get(frozenset((q.database, *end) for end in join), -1) for join in q.gold_joins] for q in questions]
    )


def _padded(rows: list[list[int]]) -> Tensor:
    width = max(map(len, rows), default=0)
    return torch.tensor([row + [-1] * (width - len(row)) for row in rows], dtype=torch.long).reshape(len(rows), width)
