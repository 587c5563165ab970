"""One Ray for all tests of corpora in parts: starting it takes seconds."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def ray() -> Iterator[Any]:
    """Ray on this machine, or a skip where it is not installed."""
    module = pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    module.init(num_cpus=4, include_dashboard=False, log_to_driver=False, configure_logging=False)
    yield module
    module.shutdown()
