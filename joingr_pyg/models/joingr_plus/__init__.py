"""JoinGR+: beyond the paper, in parts that can be switched off one by one."""

from joingr_pyg.models.joingr_plus.model import JoinGRPlus, untrained
from joingr_pyg.models.joingr_plus.prior import TableEvidence, TablePrior
from joingr_pyg.models.joingr_plus.reranker import CandidateReranker

__all__ = ["CandidateReranker", "JoinGRPlus", "TableEvidence", "TablePrior", "untrained"]
