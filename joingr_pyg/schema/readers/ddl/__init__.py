"""The reader of schema files (DDL): dumps, scripts and migrations of any SQL dialect.

A script is taken apart in stages of one file each: ``sources`` (files and encodings), ``dialects`` (which dialect it is
in), ``splitting`` (its statements), ``tokens`` and ``placeholders`` (what a statement is made of), ``tables``,
``alterations``, ``comments`` and ``views`` (what it does), ``catalog`` (the schema while it is read), ``assembly`` (the
schema in the end), ``report`` (what was not understood) and ``reading`` (all of it together).

Statements are read from sqlglot's tokens rather than its syntax trees. These fall back to opaque commands or fail where
the names, keys and comments that matter here still stand at fixed places: on real scripts at 31 of 38 statements of
Sakila for SQL Server, 29 of 188 of AdventureWorks, and all 215 of OMOP for Snowflake with its schema placeholder.
"""

from joingr_pyg.schema.readers.ddl.reading import read_ddl, read_ddl_report
from joingr_pyg.schema.readers.ddl.report import DDLReading, NotUnderstood
from joingr_pyg.schema.readers.ddl.sources import Source

__all__ = ["DDLReading", "NotUnderstood", "Source", "read_ddl", "read_ddl_report"]
