"""Word matches added up in compiled code. Imported only where numba is installed."""

from typing import Any

from joingr_pyg.nn.fused_kernel import compiled


@compiled
def add_rows(ptr: Any, row: Any, scale: Any, matrix: tuple[Any, ...], out: Any) -> None:
    """Add up rows of a sparse matrix.

    Args:
        ptr: ``[B + 1]`` the rows of question ``b`` are ``row[ptr[b]:ptr[b + 1]]``.
        row: Numbers of rows.
        scale: ``[B]`` what sums are multiplied by.
        matrix: The matrix: where each row begins, and table and value of each entry.
        out: ``[B, T]`` zeros, added to.
    """
    first, table, value = matrix
    for b in range(len(out)):
        for place in range(ptr[b], ptr[b + 1]):
            for entry in range(first[row[place]], first[row[place] + 1]):
                out[b, table[entry]] += value[entry] * scale[b]
