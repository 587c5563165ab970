"""Encoders made again from plain values."""

import json
from pathlib import Path

import pytest

from joingr_pyg.encoders import (
    CachedEncoder,
    Encoder,
    HashingEncoder,
    MiniLMEncoder,
    SentenceTransformerEncoder,
    TapasEncoder,
)
from joingr_pyg.encoders.settings import encoder_settings, make_encoder
from joingr_pyg.errors import JoinGRError


@pytest.mark.parametrize(
    "encoder",
    [
        HashingEncoder(48),
        MiniLMEncoder(batch_size=8, precision="bfloat16"),
        SentenceTransformerEncoder("some/model", revision="v2", query_prompt="ask: ", pooling="mean", max_length=64),
        TapasEncoder(name="tables", max_length=99),
    ],
    ids=lambda encoder: encoder.name,
)
def test_an_encoder_is_made_again(encoder: Encoder) -> None:
    settings = json.loads(json.dumps(encoder_settings(CachedEncoder(encoder))))
    assert settings == encoder_settings(encoder)
    again = make_encoder(settings)
    assert type(again) is type(encoder)
    assert (again.name, again.identity) == (encoder.name, encoder.identity)
    assert encoder_settings(again) == settings


def test_a_local_folder_is_stored_as_an_absolute_path(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny_model.parent)
    encoder = SentenceTransformerEncoder("tiny", path=tiny_model.name)
    settings, identity = encoder_settings(encoder), encoder.identity
    monkeypatch.chdir("/")
    assert settings is not None
    assert make_encoder(settings).identity == identity


def test_other_encoder_classes_have_no_settings() -> None:
    class Other(HashingEncoder):
        pass

    assert encoder_settings(Other()) is None
    with pytest.raises(JoinGRError, match="There is no encoder of kind 'other': choose hashing, minilm, "):
        make_encoder({"kind": "other"})
