"""The commands for a schema of one's own: ``ask``, ``schema``, ``describe``, ``index``, ``remember`` and ``serve``."""
