"""The interface of sentence encoders (section 3.2.1 of the paper)."""

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor

from joingr_pyg.errors import JoinGRError


class Encoder(Protocol):
    """A frozen sentence encoder, the φ of section 3.2.1.

    Embeddings are L2-normalised, so dot products are cosine similarities. They are float32 tensors on the CPU,
    whichever device computed them. An empty list of texts gives an empty ``[0, dim]`` tensor.
    """

    @property
    def name(self) -> str:
        """Display name, for tables, messages and progress bars."""

    @property
    def identity(self) -> str:
        """A string with everything the embeddings depend on: weights, prompts, pooling.

        Caches and checkpoints compare it to decide whether two encoders are the same.
        """

    @property
    def dim(self) -> int:
        """Length ``d`` of an embedding."""

    def encode_queries(self, texts: Sequence[str]) -> Tensor:
        """Embed questions, ``[len(texts), dim]``."""

    def encode_documents(self, texts: Sequence[str]) -> Tensor:
        """Embed the texts of columns, joins and tables, ``[len(texts), dim]``."""


def require_question(text: str) -> str:
    """Check that a question is a text with at least one visible character, and return it.

    Raises:
        JoinGRError: If the question is blank, not a string, or no text that UTF-8 can hold.
    """
    if not isinstance(text, str):
        raise JoinGRError(f"A question needs to be a text (got {type(text).__name__}: {text!r:.60}).")
    if not text.strip():
        raise JoinGRError(f"The question is blank (got {text!r}): ask it in words.")
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise JoinGRError(f"The question holds half of a letter (got {text!r:.60}): write it in UTF-8.")
    return text
