"""Database schemas: the typed model and the readers that produce it."""

from joingr_pyg.schema.model import Column, Database, ForeignKey, Table, TableName

__all__ = ["Column", "Database", "ForeignKey", "Table", "TableName"]
