"""Whether compiling the walk can pay."""

import logging

import torch

logger = logging.getLogger(__name__)

FEW_STEPS = 2000
"""Steps below which compiling takes longer than it can save: it took three minutes on two cores, such a training less
without it."""


def warn_of_compiling(device: torch.device, steps: int) -> None:
    """Warn where ``torch.compile`` makes a training longer.

    Args:
        device: What the model trains on.
        steps: Steps of the whole training; below 0 if their number is not known.
    """
    if device.type == "cpu":
        logger.warning(
            "compile=true makes training slower on a CPU, after minutes of compiling: leave it out, it is for long "
            "runs on a GPU."
        )
    elif 0 <= steps < FEW_STEPS:
        logger.warning(
            "compile=true spends minutes on compiling, which %d steps cannot save again: leave it out, it is for long "
            "runs.",
            steps,
        )
