"""Models on disk: plain values and tensors, read without executing code."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

import joingr_pyg
from joingr_pyg.atomic_files import atomic_write
from joingr_pyg.errors import JoinGRError, require_path
from joingr_pyg.models.calibration import Calibration
from joingr_pyg.models.joingr import JoinGR
from joingr_pyg.models.joingr_plus import JoinGRPlus
from joingr_pyg.models.reranking import RerankedJoinGRPlus
from joingr_pyg.models.trainable import TrainableRetriever
from joingr_pyg.tensor_files import read_tensor_file

VERSION = 1
"""Version of the format of checkpoints; those without a version have this one."""

KEY = "joingr"
"""Where a checkpoint describes itself, beside what the trainer keeps in it."""

CALIBRATION = "calibration"
"""Where a checkpoint keeps the numbers of the model's calibration, if it is calibrated."""

STATE_PREFIX = "model."
"""How the trainer prefixes the names of the model's weights."""


KINDS: dict[str, type[TrainableRetriever]] = {model.kind: model for model in (JoinGR, JoinGRPlus, RerankedJoinGRPlus)}
"""The models that a checkpoint may hold, by name."""


@dataclass(frozen=True)
class Description:
    """What a checkpoint says of itself.

    Args:
        model: Arguments of the model.
        encoder: Name of the encoder it was trained with.
        encoder_identity: Exact identity of that encoder's vectors.
        dataset: Dataset it was trained on; empty where it was not.
        seed: Seed it was trained with.
        kind: Name of the model, one of :data:`KINDS`.
        version: Version of the format.
    """

    model: dict[str, Any]
    encoder: str
    encoder_identity: str
    dataset: str
    seed: int
    kind: str = JoinGR.kind
    version: int = VERSION


def save_checkpoint(path: str | Path, model: TrainableRetriever, description: Description) -> None:
    """Write a model so that :func:`load_checkpoint` reads it.

    Raises:
        JoinGRError: If the file cannot be written.
    """
    weights = {STATE_PREFIX + name: value for name, value in model.state_dict().items()}
    content: dict[str, Any] = {KEY: asdict(description), "state_dict": weights}
    if model.calibration is not None:
        content[CALIBRATION] = asdict(model.calibration)
    try:
        with atomic_write(Path(path)) as file:
            torch.save(content, file)
    except OSError as error:
        raise JoinGRError(
            f"The checkpoint '{path}' cannot be written ({error.strerror}): give a file in a folder that exists."
        ) from error


def load_checkpoint(path: str | Path) -> tuple[TrainableRetriever, Description]:
    """Load a trained model.

    Raises:
        JoinGRError: If the file is missing, damaged, not a checkpoint of this package, or has another format version.
    """
    require_path(path=path)
    path = Path(path)
    if not path.is_file():
        raise JoinGRError(f"There is no checkpoint at '{path}': train one with train.py, or correct the path.")
    try:
        stored = read_tensor_file(path)
        require_version(stored[KEY].get("version", VERSION), VERSION, f"The checkpoint '{path}'")
        description = Description(**stored[KEY])
        weights = stored["state_dict"]
        state = {
            name.removeprefix(STATE_PREFIX): value for name, value in weights.items() if name.startswith(STATE_PREFIX)
        }
        model = make_model(description.kind, description.model, state, stored.get(CALIBRATION))
    except VersionError:
        raise
    except Exception as error:  # What is no checkpoint, or a damaged one, fails in many ways.
        raise JoinGRError(
            f"The file '{path}' is no JoinGR checkpoint ({type(error).__name__}): give one that train.py wrote."
        ) from error
    return model, description


def make_model(
    kind: str, arguments: dict[str, Any], state: dict[str, Any], calibration: dict[str, float] | None
) -> TrainableRetriever:
    """Make a model from what a file keeps of it.

    Args:
        kind: Name of the model, one of :data:`KINDS`.
        arguments: Arguments of the model.
        state: Its weights and whatever else its ``state_dict`` holds.
        calibration: The numbers of its :class:`~joingr_pyg.models.calibration.Calibration`, if it is calibrated.

    Returns:
        The model in evaluation mode.
    """
    model = KINDS[kind](**arguments)
    model.load_state_dict(state)
    if calibration is not None:
        model.calibration = Calibration(**calibration)
    return model.eval()


class VersionError(JoinGRError):
    """A file has another format version than the one that is read."""


def require_version(found: object, readable: int, what: str) -> None:
    """Refuse a file whose format has another version.

    Args:
        found: The version that the file states.
        readable: The version that is read.
        what: The file, as a message begins with it.

    Raises:
        VersionError: If the versions differ.
    """
    if found != readable:
        raise VersionError(
            f"{what} has format version {found}, but joingr_pyg {joingr_pyg.__version__} reads version {readable}: "
            "use the joingr_pyg that wrote it, or write it again with this one."
        )


def keep_calibration(path: Path, calibration: Calibration) -> None:
    """Write a calibration into a checkpoint that a trainer wrote, with all else as it was."""
    stored = read_tensor_file(path)
    with atomic_write(path) as file:
        torch.save({**stored, CALIBRATION: asdict(calibration)}, file)


def require_encoder(description: Description, name: str, identity: str, path: str | Path) -> None:
    """Refuse an encoder other than the one a checkpoint was trained with.

    Raises:
        JoinGRError: If the encoders differ.
    """
    if identity != description.encoder_identity:
        raise JoinGRError(
            f"Checkpoint '{path}' was trained with encoder {description.encoder!r} "
            f"({description.encoder_identity}), not with {name!r} ({identity}): give the encoder of its training."
        )
