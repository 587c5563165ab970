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
        encoder: Its encoder.
        method: Its method, as ours are named; DTR and Contriever alone are ``vanilla`` with those encoders.
        trained: The other dataset that its scorer was trained on, if any.
        metrics: Its metrics; the paper leaves some out.
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
    """Where the numbers are printed."""
    return _content()["source"]
