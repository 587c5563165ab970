"""Word matches added up in compiled code. Imported only where numba is installed."""

from typing import Any

from joingr_pyg.kernels.compilation import compiled


@compiled
def add_rows(kind: int, ptr: Any, row: Any, scale: Any, matrix: tuple[Any, ...], out: Any) -> None:
    """Add up rows of the sparse matrix of one kind of word match.

    Args:
        kind: Which of ``K`` kinds.
        ptr: The rows of question ``b`` and kind ``i`` are ``row[ptr[b K + i]:ptr[b K + i + 1]]``.
        row: Numbers of rows.
        scale: ``[B, K]`` what sums are multiplied by, or more.
        matrix: Where each row of the matrix begins, and table and value of each entry.
        out: ``[B, T]`` zeros, added to.
    """
    first, table, value = matrix
    for b in range(len(out)):
        at = b * scale.shape[1] + kind
        for place in range(ptr[at], ptr[at + 1]):
            for entry in range(first[row[place]], first[row[place] + 1]):
                out[b, table[entry]] += value[entry] * scale[b, kind]
