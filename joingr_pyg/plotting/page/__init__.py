"""Pages of answers: one HTML file each, which holds all that it needs."""

from joingr_pyg.plotting.page.document import frame, page

__all__ = ["frame", "page"]
