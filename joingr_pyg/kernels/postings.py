"""Sums of word matches in compiled code. Imported only where numba is installed."""

from typing import Any

from joingr_pyg.kernels.compilation import compiled


@compiled
def add_rows(kind: int, ptr: Any, row: Any, scale: Any, matrix: tuple[Any, ...], out: Any) -> None:
    """Add up rows of the sparse matrix of one kind of word match.

    Args:
        kind: Which of ``K`` kinds.
        ptr: The rows of question ``b`` and kind ``i`` are ``row[ptr[b K + i]:ptr[b K + i + 1]]``.
        row: Numbers of rows.
        scale: ``[B, K]`` factors of the sums.
        matrix: Where each row of the matrix begins, and table and value of each entry.
        out: ``[B, T]`` zeros, added to.
    """
    first, table, value = matrix
    for b in range(len(out)):
        group = b * scale.shape[1] + kind
        for position in range(ptr[group], ptr[group + 1]):
            for entry in range(first[row[position]], first[row[position] + 1]):
                out[b, table[entry]] += value[entry] * scale[b, kind]


@compiled
def add_entries(row: Any, matrix: tuple[Any, ...], table: Any, out: Any) -> None:
    """Add to ``[R, K]`` the entries of ``R`` rows of a sparse matrix at ``K`` tables."""
    first, entry_table, value = matrix
    for r in range(row.size):
        for entry in range(first[row[r]], first[row[r] + 1]):
            for k in range(table.size):
                if entry_table[entry] == table[k]:
                    out[r, k] += value[entry]
