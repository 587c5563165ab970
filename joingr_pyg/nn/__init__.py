"""Layers: tensors in, tensors out; no schema, no training framework."""

from joingr_pyg.nn.edge_scorer import EdgeScorer, Projections
from joingr_pyg.nn.interaction import InteractionScorer, Potentials
from joingr_pyg.nn.join_walk import JoinWalk, WalkOutput
from joingr_pyg.nn.plan import Hop, WalkPlan, WalkPlanner
from joingr_pyg.nn.segment import segment_softmax

__all__ = [
    "EdgeScorer",
    "Hop",
    "InteractionScorer",
    "JoinWalk",
    "Potentials",
    "Projections",
    "WalkOutput",
    "WalkPlan",
    "WalkPlanner",
    "segment_softmax",
]
