"""The numbers that the paper prints in its Tables 2, 3 and 5."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Published:
    """A row of the paper.

    Args:
        dataset: ``"beaver"``, ``"bird"`` or ``"spider"``.
        encoder: Name of the encoder.
        method: Name of the method in this package. DTR and Contriever are ``vanilla`` with these encoders.
        trained: The dataset that the scorer was trained on, if it is another one.
        metrics: The printed metrics; the paper does not print all of them.
    """

    dataset: str
    encoder: str
    method: str
    trained: str | None
    metrics: Mapping[str, float]

    @property
    def key(self) -> tuple[str, str, str, str | None]:
        return self.dataset, self.encoder, self.method, self.trained


@cache
def _content() -> dict[str, Any]:
    return json.loads(files("paper.results").joinpath("published.json").read_text(encoding="utf-8"))


def published() -> list[Published]:
    """The rows, in the paper's order."""
    names = ("dataset", "encoder", "method", "trained")
    return [
        Published(
            row["dataset"],
            row["encoder"],
            row["method"],
            row.get("trained"),
            {key: value for key, value in row.items() if key not in names},
        )
        for row in _content()["rows"]
    ]


def paper_tables() -> dict[str, int]:
    """The number of the paper's table on each dataset."""
    return dict(_content()["tables"])


def source() -> str:
    """The citation of the numbers."""
    return _content()["source"]
