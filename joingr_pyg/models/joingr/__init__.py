"""JoinGR: the model as the paper states it, and how it ranks small and large corpora, on tensors or compiled."""

from joingr_pyg.models.joingr.model import JoinGR, WalkEvidence, heuristic

__all__ = ["JoinGR", "WalkEvidence", "heuristic"]
