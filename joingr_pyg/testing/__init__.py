"""Tools for tests and benchmarks: a reference implementation of the walk, and synthetic corpora."""
