"""A buffer for tensors that grow by appending rows."""

import torch
from torch import Tensor


class GrowingRows:
    """Appends rows to tensors at an amortised cost linear in the appended rows.

    :meth:`append` returns a view of a buffer with spare rows, and the next call writes to these. Rows in use are never
    overwritten, so tensors returned earlier do not change.
    """

    def __init__(self) -> None:
        self._memory = torch.empty(0)
        self._used = 0

    def __reduce__(self) -> tuple[type["GrowingRows"], tuple[()]]:
        # A pickled or copied buffer starts empty; the returned tensors are copied by themselves.
        return GrowingRows, ()

    def append(self, rows: Tensor, more: Tensor) -> Tensor:
        """``torch.cat([rows, more])``, without copying ``rows`` if the last call returned them and there is space.

        Args:
            rows: ``[n, ...]`` existing rows.
            more: ``[m, ...]`` rows to append.

        Returns:
            ``[n + m, ...]`` rows.
        """
        start, end = rows.size(0), rows.size(0) + more.size(0)
        latest = rows.data_ptr() == self._memory.data_ptr() and rows.shape == (self._used, *self._memory.shape[1:])
        if not latest or end > self._memory.size(0):
            # Growing by half keeps the total cost of copies linear in the number of rows.
            self._memory = rows.new_empty(end + end // 2, *rows.shape[1:])
            self._memory[:start] = rows
        self._memory[start:end] = more
        self._used = end
        return self._memory[:end]
