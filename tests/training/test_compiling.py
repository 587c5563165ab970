import logging

import pytest
import torch

from joingr_pyg.training.compiling import FEW_STEPS, warn_of_compiling


@pytest.mark.parametrize(
    ("device", "steps", "message"),
    [
        ("cpu", 10**6, "compile=true makes training slower on a CPU"),
        ("cuda", FEW_STEPS - 1, "compile=true spends minutes on compiling, which 1999 steps cannot save again"),
        ("cuda", FEW_STEPS, ""),
        ("cuda", -1, ""),
    ],
)
def test_it_warns_where_compiling_cannot_pay(
    device: str, steps: int, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        warn_of_compiling(torch.device(device), steps)
    assert [record.message.startswith(message) for record in caplog.records] == [True] * bool(message)
