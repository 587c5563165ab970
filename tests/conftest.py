"""Fixtures every test may use."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def benchmarks() -> Path:
    """The folder with the real benchmarks, or a skip where it is not there."""
    root = os.environ.get("JOINGR_DATA")
    if not root or not Path(root).is_dir():
        pytest.skip("the real benchmarks are not here: set JOINGR_DATA to their folder")
    return Path(root)
