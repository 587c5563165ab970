"""Pictures of walks."""

from typing import TYPE_CHECKING

from joingr_pyg.lazy_names import lazy_names

if TYPE_CHECKING:
    from joingr_pyg.plotting.walk import draw_walk

__all__ = [
    "draw_walk",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "joingr_pyg.plotting.walk": ["draw_walk"],
    },
)
