"""What a model needs to know of questions before anything is learned: made once, reused every epoch."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, Self

import torch
from torch import Tensor

Part = Literal["similarity", "words", "votes", "phrases"]
"""What may speak for a table before any walk: vectors, word matches, votes of answered questions, single phrases."""


@dataclass(frozen=True)
class Evidence:
    """Tensors with a row a question."""

    def __getitem__(self, questions: Tensor) -> Self:
        return type(self)(*(getattr(self, field.name)[questions] for field in fields(self)))

    def to(self, device: torch.device | str) -> Self:
        """The same on ``device``."""
        return type(self)(*(getattr(self, field.name).to(device) for field in fields(self)))

    @classmethod
    def cat(cls, parts: Sequence[Self]) -> Self:
        """The rows of all parts."""
        return cls(*(torch.cat([getattr(part, field.name) for part in parts]) for field in fields(cls)))
