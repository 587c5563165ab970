"""Encoders as plain values, so that a saved retriever can make its encoder again."""

from typing import Any

from joingr_pyg.encoders.base import Encoder
from joingr_pyg.encoders.cache import CachedEncoder
from joingr_pyg.encoders.hashing import HashingEncoder
from joingr_pyg.encoders.packaged import MiniLMEncoder
from joingr_pyg.encoders.sentence_transformer import SentenceTransformerEncoder
from joingr_pyg.encoders.tapas import TapasEncoder
from joingr_pyg.errors import JoinGRError

KINDS: dict[str, type[HashingEncoder | SentenceTransformerEncoder | TapasEncoder]] = {
    "hashing": HashingEncoder,
    "minilm": MiniLMEncoder,
    "sentence_transformer": SentenceTransformerEncoder,
    "tapas": TapasEncoder,
}
"""The encoders that can be described by plain values, by name."""


def encoder_settings(encoder: Encoder) -> dict[str, Any] | None:
    """Describe an encoder, without its cache, by plain values for :func:`make_encoder`.

    Returns:
        The values, or ``None`` if the class of the encoder is not one of :data:`KINDS`.
    """
    if isinstance(encoder, CachedEncoder):
        encoder = encoder.encoder
    for kind, encoder_class in KINDS.items():
        if type(encoder) is encoder_class:
            return {"kind": kind, **encoder.settings}
    return None


def make_encoder(settings: dict[str, Any]) -> Encoder:
    """Make an encoder from the values of :func:`encoder_settings`.

    Raises:
        JoinGRError: If there is no such encoder, or an argument is out of range.
    """
    kind, arguments = settings.get("kind"), {name: value for name, value in settings.items() if name != "kind"}
    if kind not in KINDS:
        raise JoinGRError(f"There is no encoder of kind {kind!r}: choose {', '.join(KINDS)}.")
    return KINDS[kind](**arguments)
