"""How many inputs the tests of this folder try."""

import os

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("JOINGR_FUZZ", "1"))
"""How many times as many inputs as usual: ``JOINGR_FUZZ=50 python -m pytest -n 0 tests/fuzz`` is a long run."""


def inputs(usual: int) -> settings:
    """Try so many inputs, or a multiple of it in a long run, which never begins with the same ones."""
    return settings(
        max_examples=usual * TIMES,
        deadline=None,
        derandomize=TIMES == 1,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
    )
