"""Errors that bad input causes, whatever library raises them, as one sentence each."""

import errno
import re
from collections.abc import Iterator

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException, InstantiationException, MissingConfigException, OverrideParseException
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, MissingMandatoryValue, OmegaConfBaseException

from joingr_pyg.cli.settings.check import nearest
from joingr_pyg.errors import JoinGRError

DISK_FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Errors of a write to a disk without space. They come without the name of the file."""


def sentence(error: BaseException) -> str | None:
    """The one sentence that explains bad input; ``None`` for any other error.

    Bad input is what this package refuses, what Hydra or OmegaConf refuse, and a file or folder that cannot be used.
    """
    for cause in _chain(error):
        said = _sentence(cause)
        if said is not None:
            return said
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error's causes, the first cause first. Libraries wrap errors, and say less with each layer."""
    if error.__cause__ is not None:
        yield from _chain(error.__cause__)
    yield error


def _sentence(error: BaseException) -> str | None:
    match error:
        case JoinGRError():
            return str(error)
        case MissingMandatoryValue():
            return f"The key '{error.full_key}' needs a value: add {error.full_key}=<value>."
        case MissingConfigException():
            return _missing_choice(error)
        case OverrideParseException():
            return _unreadable(error.override)
        case ConfigAttributeError() | ConfigKeyError() if error.parent_node is not None:
            return _missing_key(error)
        case InstantiationException():
            where = re.search(r"full_key: (\S+)", str(error))
            what = f"'{where[1]}'" if where else "An object of the config"
            return f"{what} cannot be made: {_one_line(str(error.__cause__ or error))}"
        case OmegaConfBaseException():
            first = _one_line(re.split(r"\n\s*full_key: |\n\s*object_type=", str(error))[0])
            return f"The key '{error.full_key}' cannot be used: {first}" if error.full_key else first
        case HydraException() if several := re.match(r"Ambiguous value for argument '(.+?)=(.+)'", str(error)):
            key, values = several.groups()
            return (
                f"{key}={values} gives several values: add -m for a sweep over them, or write a list, {key}=[{values}]."
            )
        case HydraException():
            return _one_line(str(error))
        case ValueError() if str(error).startswith("Config group override must be"):
            return "A group of the config needs the name of one of its choices, as in loss=table (got another value)."
        case OSError() if error.strerror and (error.filename is not None or error.errno in DISK_FAULTS):
            what = "A file" if error.filename is None else f"'{error.filename}'"
            return (
                f"{what} cannot be used ({error.strerror}): {'free space, or ' * (error.errno in DISK_FAULTS)}choose "
                "another place, such as hydra.run.dir=<folder> for results or paths.cache=<folder> for the cache."
            )
    return None


def _missing_choice(error: MissingConfigException) -> str:
    """A choice that a group of the config does not have."""
    *folders, name = (error.missing_cfg_file or "").removesuffix(".yaml").split("/")
    options = list(error.options or [])
    if not folders or not options:
        return _one_line(str(error))
    said = f"There is no {'/'.join(folders)}={name}; {nearest(name, options)}"
    if folders[0] == "hydra":
        said += " More launchers and sweepers are installed with pip install 'joingr-pyg[sweep]'."
    return said


def _missing_key(error: OmegaConfBaseException) -> str:
    keys = [key for key in error.parent_node if not key.startswith("_") and key != "hydra"]
    if error.full_key == "method":  # No method was chosen, or the jobs of a sweep choose theirs later.
        hint = "choose a method first, as in method=jar method.size=5, and write ++method.size=5 in a sweep."
    else:
        hint = nearest(str(error.full_key).rpartition(".")[2], keys)
    return f"There is no key '{error.full_key}'; {hint}"


def _unreadable(override: str) -> str:
    """An override that Hydra's grammar does not read; most need quotes."""
    key, equals, value = override.partition("=")
    bare = value.strip("'\"").replace('"', r"\"")
    quoted = f'{key}="{bare}"'
    try:
        OverridesParser.create().parse_override(quoted)
    except Exception:  # The grammar raises errors of several libraries.
        equals = ""
    if not equals:
        return f"The override {override} cannot be read: write key=value, such as seed=1."
    return f"The override {override} cannot be read: quote its value, as in '{quoted}'."


def _one_line(text: str) -> str:
    return " ".join(text.split())
