"""The commands for a schema of one's own: ``ask``, ``schema``, ``index``, ``remember`` and ``serve``."""
