"""A clock that goes back, and files from the future, change nothing."""

import os
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import torch

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import CachedEncoder, HashingEncoder

DDL = "CREATE TABLE a (id INT PRIMARY KEY, n TEXT); CREATE TABLE b (id INT, a_id INT REFERENCES a);"
YEAR_2100 = 4102444800
SMALL = ("encoder=hashing", "encoder.dim=16", "model.hidden_channels=8", "trainer.max_epochs=2", "baselines=[]")


def test_a_training_under_a_clock_that_goes_back(command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = command("train.py", *SMALL)
    seconds = count(YEAR_2100, -7)
    monkeypatch.setattr(time, "time", lambda: float(next(seconds)))
    ended = command("train.py", *SMALL)
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.metrics["metrics"] == expected.metrics["metrics"]
    assert all(spent >= 0 for spent in ended.metrics["timing"].values())


def test_files_from_the_future_are_read(tmp_path: Path) -> None:
    encoder = CachedEncoder(HashingEncoder(dim=16), tmp_path / "cache")
    retriever = TableRetriever.from_ddl(DDL, encoder)
    retriever.save(tmp_path / "saved")
    for path in tmp_path.rglob("*"):
        os.utime(path, (YEAR_2100, YEAR_2100))
    again = CachedEncoder(HashingEncoder(dim=16), tmp_path / "cache")
    loaded = TableRetriever.load(tmp_path / "saved", encoder=again)
    assert loaded.retrieve("Which a?").to_dict() == retriever.retrieve("Which a?").to_dict()
    loaded.remember(["Which a?"], [["b"]]).save(tmp_path / "saved")
    assert len(TableRetriever.load(tmp_path / "saved", encoder=again).model.memory) == 1
    assert torch.equal(again.encode_documents(["new"]), HashingEncoder(dim=16).encode_documents(["new"]))
