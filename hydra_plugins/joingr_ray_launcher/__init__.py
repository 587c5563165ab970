"""Hydra launcher that runs the jobs of a multirun on Ray.

Hydra's own, hydra-ray-launcher 1.2.2, needs cloudpickle below 3, which joblib 1.6 does not work with.
"""
