"""Benchmarks: questions with gold tables, and the join graphs of the databases they are asked of."""

from joingr_pyg.datasets.benchmark import Benchmark, Dropped, Question
from joingr_pyg.datasets.join_graphs import DATASETS, Beaver, BeaverNW, Bird, Demo, JoinGraphs, Spider, build_graphs

__all__ = [
    "DATASETS",
    "Beaver",
    "BeaverNW",
    "Benchmark",
    "Bird",
    "Demo",
    "Dropped",
    "JoinGraphs",
    "Question",
    "Spider",
    "build_graphs",
]
