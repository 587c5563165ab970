"""How good rankings are: metrics, evaluation of a method on a benchmark, significance of differences."""
