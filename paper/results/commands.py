"""The commands that reproduce a run, without folders of the machine that ran it."""

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePath

from omegaconf import OmegaConf

from joingr_pyg.runs.collect import SEED, Run, in_order, without
from joingr_pyg.runs.files import WITHOUT_EFFECT

_FIRST = ("experiment", "method", "checkpoint", "dataset", "encoder")
_ABSOLUTE = re.compile(r"^(?:[/~]|[A-Za-z]:[\\/])")


def overrides_of(run: Run) -> list[str]:
    """The overrides of a run that affect its results; empty if they are not recorded.

    They are read from ``metrics.json``, or from the ``.hydra`` folder of runs that do not record them there.
    """
    overrides = run.summary.get("overrides")
    if overrides is None and run.folder is not None:
        path = run.folder / ".hydra" / "overrides.yaml"
        overrides = OmegaConf.to_container(OmegaConf.load(path)) if path.is_file() else None
    texts = [str(override) for override in overrides or []]
    return [text for text in texts if _key(text).split(".")[0] not in WITHOUT_EFFECT]


def commands_of(runs: Sequence[Run]) -> list[str]:
    """The commands that reproduce runs that differ only in their seeds, in order.

    Folders of the machine that ran them are replaced: checkpoints are at ``outputs/train/.../best.ckpt``.
    """
    first = runs[0]
    given = overrides_of(first)
    seeds = sorted({run.seed for run in runs}, key=in_order)
    trained = first.summary.get("trained")
    if trained is None:
        return [_command("train.py" if "epochs" in first.summary else "evaluate.py", given, seeds)]
    folder = "multirun/train/.../" if len(seeds) > 1 else "outputs/train/.../"
    placed = [_placed(override, folder) if _key(override) == "checkpoint" else override for override in given]
    evaluation = _command("evaluate.py", placed, [])
    if "overrides" not in trained:
        return [evaluation]
    return [_command("train.py", trained["overrides"], seeds), evaluation]


def _command(program: str, overrides: Sequence[str], seeds: Sequence[int]) -> str:
    lower_case = [
        re.sub(r"=(True|False)$", lambda value: value[0].lower(), override) for override in without(overrides, SEED)
    ]
    arguments = sorted(map(_without_folder, lower_case), key=_position)
    if len(seeds) > 1 or seeds not in ([], [0]):
        arguments.append(f"seed={','.join(map(str, seeds))}")
    sweep = ["-m"] if len(seeds) > 1 else []
    return " ".join(["python", program, *sweep, *map(_quoted, arguments)])


def _key(override: str) -> str:
    return override.partition("=")[0].lstrip("+~")


def _position(override: str) -> int:
    return _FIRST.index(_key(override)) if _key(override) in _FIRST else len(_FIRST)


def _placed(override: str, folder: str) -> str:
    key, _, value = override.partition("=")
    return f"{key}={folder}{PurePath(value.strip(chr(34) + chr(39))).name}"


def _without_folder(override: str) -> str:
    value = override.partition("=")[2].strip("\"'")
    return _placed(override, ".../") if _ABSOLUTE.match(value) else override


def _quoted(override: str) -> str:
    # Brackets of a list, as in ks=[5,10], need no quotes: a shell keeps a pattern that matches no file.
    return override if re.fullmatch(r"[\w@%+=:,./\[\]~-]+", override) else shlex.quote(override)
