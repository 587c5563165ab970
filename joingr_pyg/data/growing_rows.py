"""Memory for tensors that grow at their end."""

import torch
from torch import Tensor


class GrowingRows:
    """Appends rows to tensors at a cost that follows the rows added, not those there are.

    A tensor that :meth:`append` gave out is a view of memory with room behind it, where the next rows go. Tensors given
    out before stay as they are: memory in use is never written again.
    """

    def __init__(self) -> None:
        self._memory = torch.empty(0)
        self._used = 0

    def __reduce__(self) -> tuple[type["GrowingRows"], tuple[()]]:
        # Copies start without memory: the tensors given out travel by themselves.
        return GrowingRows, ()

    def append(self, rows: Tensor, more: Tensor) -> Tensor:
        """``torch.cat([rows, more])``, without copying ``rows`` if they are what was given out last and there is room.

        Args:
            rows: ``[n, ...]`` rows there are.
            more: ``[m, ...]`` rows to put behind them.
        """
        start, end = rows.size(0), rows.size(0) + more.size(0)
        latest = rows.data_ptr() == self._memory.data_ptr() and rows.shape == (self._used, *self._memory.shape[1:])
        if not latest or end > self._memory.size(0):
            # A half more each time keeps the cost of all copies linear in the rows.
            self._memory = rows.new_empty(end + end // 2, *rows.shape[1:])
            self._memory[:start] = rows
        self._memory[start:end] = more
        self._used = end
        return self._memory[:end]
