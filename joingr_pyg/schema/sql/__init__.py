"""SQL: parsing, the tables that a query reads, ``CREATE TABLE`` statements."""
