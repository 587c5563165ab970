"""Join graphs of a schema: ways between tables, joins that nobody declared."""
