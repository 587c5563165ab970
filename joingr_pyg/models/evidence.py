"""What a model computes once for each question, because learning does not change it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import torch
from torch import Tensor


@dataclass(frozen=True)
class Evidence:
    """Tensors with one row per question, or mappings to such tensors."""

    def __getitem__(self, questions: Tensor) -> Self:
        return self._map(lambda tensor: tensor[questions])

    def to(self, device: torch.device | str) -> Self:
        """The same evidence on ``device``."""
        return self._map(lambda tensor: tensor.to(device))

    @classmethod
    def cat(cls, parts: Sequence[Self]) -> Self:
        """The rows of all parts, one part after the other."""
        return cls(*(_cat([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    def _map(self, change: Callable[[Tensor], Tensor]) -> Self:
        return type(self)(*(_changed(getattr(self, field.name), change) for field in fields(self)))


def _changed(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, Mapping):
        return {key: change(tensor) for key, tensor in value.items()}
    return change(value)


def _cat(values: Sequence[Any]) -> Any:
    if isinstance(values[0], Mapping):
        return {key: torch.cat([value[key] for value in values]) for key in values[0]}
    return torch.cat(list(values))
