import pickle
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGR
from joingr_pyg.models.checkpoint import (
    KEY,
    STATE_PREFIX,
    Description,
    load_checkpoint,
    require_encoder,
    save_checkpoint,
)

ARGUMENTS = {
    "channels": 8,
    "anchors": 3,
    "hops": 2,
    "hidden_channels": 4,
    "unreached": "drop",
    "similarity_weight": 0.5,
}


def content(**changes: Any) -> dict[str, Any]:
    """What a trainer writes: the description, the weights under their prefix, and things of its own."""
    torch.manual_seed(0)
    model = JoinGR(**ARGUMENTS)
    description = Description(model.arguments, "hashing-8", "hashing:dim=8", "demo", 3)
    weights = {STATE_PREFIX + name: value for name, value in model.state_dict().items()}
    return {KEY: asdict(description), "state_dict": {**weights, "loss.weight": torch.ones(1)}, "epoch": 4, **changes}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "best.ckpt"
    torch.save(content(), path)
    return path


def test_a_checkpoint_is_the_model_and_what_it_says_of_itself(path: Path) -> None:
    model, description = load_checkpoint(path)
    assert description == Description(JoinGR(**ARGUMENTS).arguments, "hashing-8", "hashing:dim=8", "demo", 3)
    assert model.arguments == description.model
    assert not model.training
    expected = content()["state_dict"]
    assert len(model.state_dict()) == len(expected) - 1
    for name, value in model.state_dict().items():
        assert torch.equal(value, expected[STATE_PREFIX + name]), name


def test_what_is_saved_is_loaded(path: Path, tmp_path: Path) -> None:
    model, description = load_checkpoint(path)
    save_checkpoint(tmp_path / "again.ckpt", model, description)
    again, same = load_checkpoint(tmp_path / "again.ckpt")
    assert same == description
    for name, value in model.state_dict().items():
        assert torch.equal(again.state_dict()[name], value), name


def test_a_place_that_cannot_be_written_is_told(path: Path, tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"gone/best.ckpt' cannot be written \(No such file or directory\)"):
        save_checkpoint(tmp_path / "gone" / "best.ckpt", *load_checkpoint(path))


@pytest.mark.parametrize("name", ["gone.ckpt", ""])
def test_a_missing_file_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(JoinGRError, match="There is no checkpoint at") as caught:
        load_checkpoint(tmp_path / name)
    assert repr(str(tmp_path / name)) in str(caught.value)


def refused(path: Path) -> None:
    with pytest.raises(JoinGRError, match="is no JoinGR checkpoint") as caught:
        load_checkpoint(str(path))
    assert repr(str(path)) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "raw", [b"", b"not a checkpoint", b"PK\x03\x04", bytes(500), b"\x80\x02.", pickle.dumps([1], 2)]
)
def test_a_file_of_another_kind_is_refused(path: Path, raw: bytes) -> None:
    path.write_bytes(raw)
    refused(path)


@pytest.mark.parametrize("kept", [1, 100, 500, 2000, -1])
def test_a_cut_file_is_refused(path: Path, kept: int) -> None:
    path.write_bytes(path.read_bytes()[:kept])
    refused(path)


DESCRIBED = content()[KEY]


@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence")
@pytest.mark.parametrize(
    "stored",
    [
        torch.zeros(3),
        [1],
        None,
        {},
        {"state_dict": {}},
        content(**{KEY: "joingr"}),
        content(**{KEY: {**DESCRIBED, "unknown": 1}}),
        content(**{KEY: {**DESCRIBED, "model": {"channels": 8, "anchors": 0}}}),
        content(**{KEY: {**DESCRIBED, "model": {"channels": 9}}}),
        content(**{KEY: {**DESCRIBED, "model": ["channels"]}}),
        content(state_dict={}),
        content(state_dict=[1]),
        content(state_dict={1: torch.ones(1)}),
        content(state_dict={**content()["state_dict"], "model.more": torch.ones(1)}),
    ],
    ids=lambda stored: str(stored)[:30],
)
def test_what_some_other_program_saved_is_refused(path: Path, stored: Any) -> None:
    torch.save(stored, path)
    refused(path)


def test_another_version_is_refused_and_both_are_named(path: Path) -> None:
    torch.save(content(**{KEY: {**DESCRIBED, "version": 2, "unknown": 1}}), path)
    with pytest.raises(JoinGRError, match=r"best\.ckpt' has format version 2, but joingr_pyg \S+ reads version 1: use"):
        load_checkpoint(path)


def test_a_checkpoint_from_before_there_were_versions_is_read(path: Path) -> None:
    older = {name: value for name, value in DESCRIBED.items() if name != "version"}
    torch.save(content(**{KEY: older}), path)
    assert load_checkpoint(path)[1] == Description(**DESCRIBED)


class Malicious:
    """Makes a file when it is unpickled."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.target,)


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@pytest.mark.parametrize("plain", [False, True])
def test_no_code_in_a_file_is_run(path: Path, tmp_path: Path, plain: bool) -> None:
    target = tmp_path / "harm"
    stored = content(state_dict=Malicious(target))
    if plain:
        path.write_bytes(pickle.dumps(stored))
    else:
        torch.save(stored, path)
    refused(path)
    assert not target.exists()
    # The same file does make the other when it is read without care.
    pickle.loads(path.read_bytes()) if plain else torch.load(path, weights_only=False)
    assert target.exists()


def test_another_encoder_is_refused_and_both_are_named(path: Path) -> None:
    _, description = load_checkpoint(path)
    require_encoder(description, "another name for it", "hashing:dim=8", path)
    with pytest.raises(JoinGRError) as caught:
        require_encoder(description, "hashing-16", "hashing:dim=16", path)
    for part in (str(path), "'hashing-8'", "hashing:dim=8", "'hashing-16'", "hashing:dim=16"):
        assert part in str(caught.value)
