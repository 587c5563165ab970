"""Join-aware retrieval: tables selected jointly by relevance, coverage and compatibility (Chen et al., 2024b)."""

from joingr_pyg.models.baselines.jar.join_aware import IterativeJar, Jar, JoinAware

__all__ = ["IterativeJar", "Jar", "JoinAware"]
