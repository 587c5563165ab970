"""Errors of libraries as sentences. Those of Hydra itself are tried with the commands, in ``tests/test_train.py``."""

import pytest
from hydra.errors import HydraException, InstantiationException
from omegaconf import OmegaConf
from omegaconf.errors import MissingMandatoryValue

from joingr_pyg.cli.bad_input import sentence
from joingr_pyg.errors import JoinGRError


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (JoinGRError("Wrong."), "Wrong."),
        (caused(RuntimeError("Error in call to target"), JoinGRError("Wrong.")), "Wrong."),
        (
            caused(InstantiationException("Error in call\nfull_key: encoder"), TypeError("no\nnumber")),
            "'encoder' cannot be made: no number",
        ),
        (HydraException("two\nlines"), "two lines"),
        (
            PermissionError(13, "Permission denied", "/runs"),
            "'/runs' cannot be used (Permission denied): choose another place, such as hydra.run.dir=<folder> for "
            "results or paths.cache=<folder> for the cache.",
        ),
    ],
    ids=lambda given: type(given).__name__,
)
def test_bad_input_is_one_sentence(error: Exception, said: str) -> None:
    assert sentence(error) == said


def test_a_value_that_is_missing_is_asked_for() -> None:
    with pytest.raises(MissingMandatoryValue) as error:
        _ = OmegaConf.create({"encoder": {"model": "???"}}).encoder.model
    assert sentence(error.value) == "The key 'encoder.model' needs a value: add encoder.model=<value>."


@pytest.mark.parametrize(
    "error", [KeyError("gone"), ValueError("2"), OSError("no file"), ZeroDivisionError()], ids=repr
)
def test_a_bug_has_no_sentence(error: Exception) -> None:
    assert sentence(error) is None
