"""JoinGR+: beyond the paper, in parts that can be switched off one by one. :mod:`.model` shows it whole."""

from joingr_pyg.models.joingr_plus.evidence import TableEvidence
from joingr_pyg.models.joingr_plus.features import Feature
from joingr_pyg.models.joingr_plus.model import JoinGRPlus, untrained
from joingr_pyg.models.joingr_plus.prior import TablePrior
from joingr_pyg.models.joingr_plus.reranker import CandidateReranker

__all__ = ["CandidateReranker", "Feature", "JoinGRPlus", "TableEvidence", "TablePrior", "untrained"]
