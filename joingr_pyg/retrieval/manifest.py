"""Where a saved retriever lies; reading it is the matter of :mod:`joingr_pyg.retrieval.saving`, which imports torch."""

from pathlib import Path

from joingr_pyg.errors import require_path

MANIFEST = "retriever.json"
"""The file that says what the folder holds; it names the file of tensors and is written last."""


def is_saved_retriever(path: str | Path) -> bool:
    """Whether there is a folder with a saved retriever.

    Raises:
        JoinGRError: If ``path`` is no path.
    """
    require_path(path=path)
    return (Path(path) / MANIFEST).is_file()
