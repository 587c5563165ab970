"""Readers of schemas, one module per format."""
