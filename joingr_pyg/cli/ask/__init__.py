"""The commands for a schema of one's own: ``ask``, ``schema``, ``index`` and ``remember``."""
