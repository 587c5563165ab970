"""Readers of schemas: one module a format."""
