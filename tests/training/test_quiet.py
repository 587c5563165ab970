import logging
import warnings

import pytest

from joingr_pyg.training.quiet import quiet_lightning


def test_lightning_is_quiet_only_inside_the_context(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("lightning.pytorch")
    level, filters = logger.level, warnings.filters[:]
    with quiet_lightning():
        logging.getLogger("lightning.pytorch.utilities.rank_zero").info("a tip")
        logging.getLogger("lightning.pytorch.utilities.rank_zero").error("an error")
    assert [record.message for record in caplog.records] == ["an error"]
    assert logger.level == level
    assert warnings.filters == filters


def test_log_levels_are_restored_after_an_error() -> None:
    logger = logging.getLogger("lightning.pytorch")
    level = logger.level
    with pytest.raises(RuntimeError), quiet_lightning():
        raise RuntimeError
    assert logger.level == level


def test_warnings_of_other_modules_are_shown(recwarn: pytest.WarningsRecorder) -> None:
    with quiet_lightning():
        warnings.warn_explicit("of lightning", UserWarning, "trainer.py", 1, module="lightning.pytorch.trainer")
        warnings.warn_explicit("of ours", UserWarning, "walk.py", 1, module="walk")
    assert [str(warning.message) for warning in recwarn] == ["of ours"]
