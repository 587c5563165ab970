"""The reader of live databases, by SQLAlchemy."""

from joingr_pyg.schema.readers.live.reading import read_database

__all__ = ["read_database"]
