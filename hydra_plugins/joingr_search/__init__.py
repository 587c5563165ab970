"""Hydra sweeper that goes on with an Optuna study where it ended."""
