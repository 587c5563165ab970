"""Join graphs of a schema: ways between tables, and joins that are inferred, given or mined from queries."""
