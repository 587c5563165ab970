"""Softmax over the edges that leave each frontier node."""

import torch
from torch import Tensor

from joingr_pyg.nn.rows import sum_rows, take_rows

try:
    import torch_scatter
except (ImportError, OSError):  # OSError: built against another torch.
    torch_scatter = None


def segment_softmax(score: Tensor, index: Tensor, ptr: Tensor) -> Tensor:
    r"""Softmax of ``score`` within consecutive segments, the normalisation of section 3.2.3.

    .. math::
        \pi_e = \exp(u_e) / \sum_{e'} \exp(u_{e'}) \quad \text{over the edges } e' \text{ of the segment of } e.

    Uses torch-scatter's segment kernels where that package is installed and the code is not being compiled, torch's
    own scatter operations otherwise; both give the same values and gradients.

    Args:
        score: ``[L]`` scores, sorted by segment.
        index: ``[L]`` segment of each score, ascending.
        ptr: ``[S + 1]`` segment ``i`` is ``ptr[i]:ptr[i + 1]``; segments may be empty.

    Returns:
        ``[L]`` weights that sum to one within every segment that is not empty.
    """
    if torch_scatter is not None and not torch.compiler.is_compiling():
        peak = torch_scatter.segment_csr(score.detach(), ptr, reduce="max")
        weight = (score - torch_scatter.gather_csr(peak, ptr)).exp()
        return weight / torch_scatter.gather_csr(torch_scatter.segment_csr(weight, ptr, reduce="sum"), ptr)
    segments = ptr.numel() - 1
    peak = score.new_full((segments,), float("-inf")).scatter_reduce(0, index, score.detach(), "amax")
    weight = (score - peak[index]).exp()
    return weight / take_rows(sum_rows(weight, index, segments), index)
