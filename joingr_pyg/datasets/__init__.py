"""Benchmarks: questions with gold tables, and the join graphs of their databases."""

from joingr_pyg.datasets.benchmark import Benchmark, Dropped, Question
from joingr_pyg.datasets.benchmarks import DATASETS, Beaver, BeaverNW, Bird, Demo, Folder, RealSchemas, Spider
from joingr_pyg.datasets.join_graphs import JoinGraphs, build_graphs

__all__ = [
    "DATASETS",
    "Beaver",
    "BeaverNW",
    "Benchmark",
    "Bird",
    "Demo",
    "Dropped",
    "Folder",
    "JoinGraphs",
    "Question",
    "RealSchemas",
    "Spider",
    "build_graphs",
]
