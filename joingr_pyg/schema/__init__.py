"""Database schemas: the typed model and the readers that produce it."""

from typing import TYPE_CHECKING

from joingr_pyg.lazy_names import lazy_names
from joingr_pyg.schema.model import Column, Database, ForeignKey, Table, TableName

if TYPE_CHECKING:
    from joingr_pyg.schema.joins.inference import infer_joins
    from joingr_pyg.schema.joins.mining import mine_joins
    from joingr_pyg.schema.readers.beaver import read_beaver_tables
    from joingr_pyg.schema.readers.ddl import read_ddl
    from joingr_pyg.schema.readers.live import read_database
    from joingr_pyg.schema.readers.schema_json import read_schema_json
    from joingr_pyg.schema.readers.tables_json import read_tables_json

__all__ = [
    "Column",
    "Database",
    "ForeignKey",
    "Table",
    "TableName",
    "infer_joins",
    "mine_joins",
    "read_beaver_tables",
    "read_database",
    "read_ddl",
    "read_schema_json",
    "read_tables_json",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "joingr_pyg.schema.joins.inference": ["infer_joins"],
        "joingr_pyg.schema.joins.mining": ["mine_joins"],
        "joingr_pyg.schema.readers.beaver": ["read_beaver_tables"],
        "joingr_pyg.schema.readers.ddl": ["read_ddl"],
        "joingr_pyg.schema.readers.live": ["read_database"],
        "joingr_pyg.schema.readers.schema_json": ["read_schema_json"],
        "joingr_pyg.schema.readers.tables_json": ["read_tables_json"],
    },
)
