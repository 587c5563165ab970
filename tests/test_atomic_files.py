import os
import shutil
from pathlib import Path

import pytest

from joingr_pyg.atomic_files import atomic_write, remove_partial


def test_an_existing_file_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with atomic_write(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_no_file(tmp_path: Path) -> None:
    def fail() -> None:
        with atomic_write(tmp_path / "a.bin") as file:
            file.write(b"half")
            raise OSError("No space left on device")

    with pytest.raises(OSError, match="No space"):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_data_are_on_disk_before_the_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No copy from another file system, which could be cut."""
    for name in ("copyfile", "copyfileobj", "move"):
        monkeypatch.setattr(shutil, name, None)
    with atomic_write(tmp_path / "a.bin") as file:
        assert Path(file.name).parent == tmp_path
        file.write(b"new")
    assert (tmp_path / "a.bin").stat().st_mode & 0o777 == 0o666 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_temporary_files_of_killed_processes_are_removed(tmp_path: Path) -> None:
    (tmp_path / "fold_0").mkdir()
    names = ["last.ckpt", "last.ckpt.0f.partial", "fold_0/metrics.json.1e.partial"]
    for name in names:
        (tmp_path / name).touch()
    remove_partial(tmp_path, "metrics.json")
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*")) == names[:2]
    remove_partial(tmp_path)
    assert [path.name for path in tmp_path.rglob("*.*")] == ["last.ckpt"]
    remove_partial(tmp_path / "nowhere")
