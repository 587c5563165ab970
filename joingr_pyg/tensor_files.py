"""Files of tensors that PyTorch wrote, read only if every byte is as it was written."""

from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import torch

DIRECTORY = 0x10
"""The attribute of a folder. PyTorch reads nothing from a part that has it, and leaves its tensor to chance."""


def read_tensor_file(path: str | Path) -> Any:
    """Read a file that ``torch.save`` wrote, onto the CPU and without executing code.

    The file is an archive whose parts have checksums. PyTorch does not compare them, so that a changed bit would be a
    changed weight; they are compared here.

    Raises:
        BadZipFile: If a checksum differs, or the file is no such archive.
        Exception: As ``torch.load`` and :class:`zipfile.ZipFile` raise them, of many types, for other damage.
    """
    with ZipFile(path) as archive:
        damaged = archive.testzip()
        folders = [part.filename for part in archive.infolist() if part.external_attr & DIRECTORY]
    if folders:
        raise BadZipFile(f"Its part {folders[0]!r} is marked as a folder.")
    if damaged is not None:
        raise BadZipFile(f"The checksum of its part {damaged!r} does not match.")
    return torch.load(path, map_location="cpu", weights_only=True)
