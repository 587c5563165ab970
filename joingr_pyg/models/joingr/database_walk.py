"""Walks over a corpus too large to keep projections of all of its columns: database by database."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from joingr_pyg.data.corpus import WalkGraph
from joingr_pyg.nn import EdgeScorer, WalkOutput
from joingr_pyg.nn.compiled_walk import Reached

if TYPE_CHECKING:
    from joingr_pyg.models.joingr.model import JoinGR


class DatabaseWalk:
    """The walk of JoinGR where vectors are in half precision and may lie on disk.

    Walks never leave a database, so that a question reads the vectors of its anchors' databases and of no other. The
    projections of the best columns of their tables are made for each question, which takes some milliseconds; kept for
    all columns, they and the vectors in single precision would take 3 KB a column.

    Args:
        model: The model.
    """

    def __init__(self, model: "JoinGR") -> None:
        self.model = model

    def __call__(self, query: Tensor, seed: Tensor, deposit: Tensor) -> Reached:
        """Walk for questions ``[B, d]`` from tables ``[B, A]``, ``-1`` for empty places, with deposits ``[B, A]``."""
        sizes, tables, scores = [0], [torch.empty(0, dtype=torch.long)], [torch.empty(0)]
        for each in zip(query.split(1), seed.split(1), deposit.split(1), strict=True):
            output, table = self._walk(*each)
            score = output.node_scores()[0]
            reached = score > 0
            tables.append(table[reached])
            scores.append(score[reached])
            sizes.append(int(reached.sum()))
        return Reached(torch.tensor(sizes).cumsum(0), torch.cat(tables), torch.cat(scores))

    def output(self, query: Tensor, seed: Tensor, deposit: Tensor) -> WalkOutput:
        """The deposits of the walks of one question, with tables and joins numbered as in the corpus."""
        corpus = self.model.corpus
        output, table = self._walk(query, seed, deposit)
        plan, join = output.plan, torch.from_numpy(corpus.joins_of(self._databases(seed[0])))
        numbered = replace(
            plan,
            edge=join[plan.edge],
            frontier=table[plan.frontier],
            neighbor=table[plan.neighbor],
            num_nodes=corpus.num_tables,
            num_edges=corpus.join_index.size(1),
        )
        return WalkOutput(output.deposit, numbered)

    def _walk(self, query: Tensor, seed: Tensor, deposit: Tensor) -> tuple[WalkOutput, Tensor]:
        """What the walks of one question leave among the tables of its databases, and the numbers of these tables."""
        walk = self.model.walk
        graph = self.model.corpus.walk_graph(self._databases(seed[0]))
        table = torch.from_numpy(graph.table)
        place = (seed[0] >= 0).nonzero()[:, 0]
        start = torch.searchsorted(table, seed[0, place])
        planner = walk.planner(graph.edge_index, len(table), graph.edge_weight)
        plan = planner(start, torch.zeros_like(start), 1)
        score = None
        if isinstance(walk.scorer, EdgeScorer) and len(table):
            projections = walk.scorer.project(query, graph.edge_attr, graph.x[_best_columns(graph, query[0])])
            score = walk.scorer.along(plan, projections)
        return WalkOutput(walk.propagate(plan, deposit[0, place], score), plan), table

    def _databases(self, seed: Tensor) -> np.ndarray:
        """The databases of the seeds ``[A]`` of a question, ascending."""
        return np.unique(self.model.corpus.database[seed[seed >= 0]].numpy())


def _best_columns(graph: WalkGraph, query: Tensor) -> Tensor:
    """``[T]`` most similar column of each table, the first of equals."""
    score = (graph.x @ query).numpy()
    first = graph.first_column
    best = np.maximum.reduceat(score, first[:-1]).repeat(np.diff(first))
    column = np.where(score == best, np.arange(len(score)), len(score))
    return torch.from_numpy(np.minimum.reduceat(column, first[:-1]))
