"""SQL: parsing, column types, the tables that a query reads."""
