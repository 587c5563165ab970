"""Files of tensors are read only as they were written."""

from pathlib import Path
from zipfile import BadZipFile

import pytest
import torch

from joingr_pyg.tensor_files import read_tensor_file


def test_a_changed_bit_is_seen(tmp_path: Path) -> None:
    tensor = torch.arange(8.0)
    torch.save({"x": tensor}, tmp_path / "x.pt")
    assert torch.equal(read_tensor_file(tmp_path / "x.pt")["x"], tensor)
    raw = (tmp_path / "x.pt").read_bytes()
    place = raw.index(tensor.numpy().tobytes()) + 5
    (tmp_path / "x.pt").write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
    # PyTorch reads another number without a word.
    assert not torch.equal(torch.load(tmp_path / "x.pt", weights_only=True)["x"], tensor)
    with pytest.raises(BadZipFile, match="checksum"):
        read_tensor_file(tmp_path / "x.pt")


def test_a_part_that_is_marked_as_a_folder_is_seen(tmp_path: Path) -> None:
    torch.save({"x": torch.arange(8.0)}, tmp_path / "x.pt")
    raw = bytearray((tmp_path / "x.pt").read_bytes())
    # The attributes of a part stand 8 bytes before its name in the list at the archive's end.
    entry = raw.rindex(b"PK\1\2", 0, raw.rindex(b"/data/0"))
    raw[entry + 38] |= 0x10
    (tmp_path / "x.pt").write_bytes(raw)
    with pytest.raises(BadZipFile, match="'x/data/0' is marked as a folder"):
        read_tensor_file(tmp_path / "x.pt")
