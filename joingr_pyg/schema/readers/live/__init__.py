"""The reader of live databases, by SQLAlchemy.

``address`` knows URLs, drivers and what messages may say, ``connection`` opens a connection that cannot write,
``selection`` chooses tables, ``catalog`` and one module for each database system read their catalogs, and ``reading``
makes a schema of it. ``values`` reads what its text columns hold.
"""

from joingr_pyg.schema.readers.live.connection import LiveSource
from joingr_pyg.schema.readers.live.reading import read_database

__all__ = ["LiveSource", "read_database"]
