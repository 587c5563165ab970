"""JoinGR in PyTorch Geometric: find the tables a question needs, also those it never names."""

__version__ = "0.1.0"
