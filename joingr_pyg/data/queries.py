"""Embedded questions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from joingr_pyg.encoders import Encoder
from joingr_pyg.errors import JoinGRError


@dataclass(frozen=True, eq=False)
class Queries:
    """``B`` questions.

    Args:
        vector: ``[B, d]`` normalised embeddings.
        text: Their texts. They may be left out for JoinGR, which needs only the embeddings.
        encoder: The encoder of the questions, for methods that embed parts of a question.
        asked: ``[B, d]`` embeddings of the questions as they were asked, where something was added to the texts;
            remembered questions are compared with these.
    """

    vector: Tensor
    text: tuple[str, ...] = ()
    encoder: Encoder | None = None
    asked: Tensor | None = None

    @classmethod
    def encode(cls, texts: Sequence[str], encoder: Encoder, asked: Sequence[str] | None = None) -> "Queries":
        """Embed questions, and what they were before something was added to their texts."""
        own = None if asked is None or asked == texts else encoder.encode_queries(asked)
        return cls(encoder.encode_queries(texts), tuple(texts), encoder, own)

    def __len__(self) -> int:
        return self.vector.size(0)

    def __getitem__(self, rows: Tensor | Sequence[int] | slice) -> "Queries":
        """Select questions by their positions."""
        rows = torch.arange(len(self))[rows]
        text = tuple(self.text[row] for row in rows.tolist()) if self.text else ()
        return Queries(self.vector[rows], text, self.encoder, None if self.asked is None else self.asked[rows])

    def split(self, size: int) -> Iterator["Queries"]:
        """The questions in batches of at most ``size``."""
        for rows in torch.arange(len(self)).split(size):
            yield self[rows]

    def require_text(self, method: str) -> tuple[str, ...]:
        """Return the texts of the questions.

        Raises:
            JoinGRError: If there are no texts.
        """
        if len(self.text) != len(self):
            raise JoinGRError(f"Method {method!r} reads the words of a question: give Queries with their texts.")
        return self.text

    def require_encoder(self, method: str) -> Encoder:
        """Return the encoder.

        Raises:
            JoinGRError: If there is no encoder.
        """
        if self.encoder is None:
            raise JoinGRError(f"Method {method!r} embeds parts of a question: give Queries with their encoder.")
        return self.encoder
