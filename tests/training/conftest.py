"""A dataset of eight questions on six tables, and fitting on it."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import lightning as L
import pytest
import torch
from lightning.pytorch.loggers import CSVLogger

from joingr_pyg.datasets import Beaver
from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.models import JoinGR
from joingr_pyg.training.fit import Fitted, Fitting, fit
from joingr_pyg.training.losses import TableLoss
from joingr_pyg.training.module import Optimization
from joingr_pyg.training.validation import Validation

SMALL = partial(JoinGR, anchors=2, hops=2, hidden_channels=8)


@pytest.fixture(scope="session")
def tiny(beaver: Path, tmp_path_factory: pytest.TempPathFactory) -> Beaver:
    return Beaver(beaver, "dev", HashingEncoder(16), tmp_path_factory.mktemp("processed"), download=False)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(False)


@pytest.fixture
def fit_tiny(tiny: Beaver, tmp_path: Path) -> Callable[..., Fitted]:
    """``fit_tiny("run", epochs=3, lr=0.1, monitor=...)`` fits a small model in a folder of its own."""

    def run(
        folder: str,
        epochs: int = 3,
        validation: float = 0.25,
        lr: float = 0.05,
        patience: int = 3,
        model: Callable[..., JoinGR] = SMALL,
        loss: TableLoss | None = None,
        trainer: dict[str, Any] | None = None,
        resume: Path | None = None,
        **fitting: Any,
    ) -> Fitted:
        options = {
            "accelerator": "cpu",
            "enable_model_summary": False,
            "num_sanity_val_steps": 0,
            "deterministic": True,
        }
        return fit(
            model,
            tiny,
            loss or TableLoss(),
            partial(L.Trainer, max_epochs=epochs, log_every_n_steps=1, **{**options, **(trainer or {})}),
            partial(CSVLogger, name=None, version=""),
            tmp_path / folder,
            Fitting(
                **{"batch_size": 2, **fitting},
                optimization=Optimization(lr=lr, weight_decay=0.0, patience=patience),
                validation=Validation(validation, "question"),
            ),
            resume=resume,
        )

    return run
