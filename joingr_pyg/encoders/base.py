"""What the rest of the package asks of an encoder (section 3.2.1 of the paper)."""

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor

from joingr_pyg.errors import JoinGRError


class Encoder(Protocol):
    """A frozen sentence encoder, the φ of section 3.2.1.

    Rows are L2-normalised, so that dot products are cosine similarities; they are float32 on the CPU, whichever
    device computed them. An empty list gives an empty ``[0, dim]`` tensor.
    """

    @property
    def name(self) -> str:
        """Name of the encoder for people: tables, messages, progress bars."""

    @property
    def identity(self) -> str:
        """Names everything its vectors depend on: weights, prompts, pooling. The cache and checkpoints compare it."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    def encode_queries(self, texts: Sequence[str]) -> Tensor:
        """Embed questions, ``[len(texts), dim]``."""

    def encode_documents(self, texts: Sequence[str]) -> Tensor:
        """Embed the texts of columns, joins and tables, ``[len(texts), dim]``."""


def require_question(text: str) -> str:
    """Return a question that has something to embed.

    Raises:
        JoinGRError: If the text is blank, or no text.
    """
    if not isinstance(text, str):
        raise JoinGRError(f"A question needs to be a text (got {type(text).__name__}: {text!r:.60}).")
    if not text.strip():
        raise JoinGRError(f"The question is blank (got {text!r}): ask it in words.")
    return text
