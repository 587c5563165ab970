"""Frozen sentence encoders and the cache of their embeddings."""

from joingr_pyg.encoders.base import Encoder, require_question
from joingr_pyg.encoders.cache import CachedEncoder, EmbeddingCache
from joingr_pyg.encoders.cross_encoder import PairScorer
from joingr_pyg.encoders.hashing import HashingEncoder
from joingr_pyg.encoders.packaged import MiniLMEncoder
from joingr_pyg.encoders.sentence_transformer import SentenceTransformerEncoder
from joingr_pyg.encoders.tapas import TapasEncoder

__all__ = [
    "CachedEncoder",
    "EmbeddingCache",
    "Encoder",
    "HashingEncoder",
    "MiniLMEncoder",
    "PairScorer",
    "SentenceTransformerEncoder",
    "TapasEncoder",
    "require_question",
]
