"""Questions as retrievers see them: vectors, and the texts behind them."""

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
        text: Their texts; empty where only the vectors are known, which is enough for JoinGR.
        encoder: The encoder that made the vectors, for methods that look at parts of a question.
    """

    vector: Tensor
    text: tuple[str, ...] = ()
    encoder: Encoder | None = None

    @classmethod
    def encode(cls, texts: Sequence[str], encoder: Encoder) -> "Queries":
        """Embed questions."""
        return cls(encoder.encode_queries(texts), tuple(texts), encoder)

    def __len__(self) -> int:
        return self.vector.size(0)

    def __getitem__(self, rows: Tensor | Sequence[int] | slice) -> "Queries":
        """Some of the questions, by their positions."""
        rows = torch.arange(len(self))[rows]
        text = tuple(self.text[row] for row in rows.tolist()) if self.text else ()
        return Queries(self.vector[rows], text, self.encoder)

    def split(self, size: int) -> Iterator["Queries"]:
        """The questions in batches of at most ``size``."""
        for rows in torch.arange(len(self)).split(size):
            yield self[rows]

    def require_text(self, method: str) -> tuple[str, ...]:
        """The texts.

        Raises:
            JoinGRError: If only vectors are known.
        """
        if len(self.text) != len(self):
            raise JoinGRError(f"Method {method!r} reads the words of a question: give Queries with their texts.")
        return self.text

    def require_encoder(self, method: str) -> Encoder:
        """The encoder.

        Raises:
            JoinGRError: If it is not known.
        """
        if self.encoder is None:
            raise JoinGRError(f"Method {method!r} embeds parts of a question: give Queries with their encoder.")
        return self.encoder
