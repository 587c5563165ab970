"""Runs of train.py that are killed at a chosen moment: ``killed_runs.py FOLDER CHUNK MOMENT... -- OVERRIDE...``.

``CHUNK`` texts are embedded between two writes. One process imports everything, and each run is a fork of it. The run
killed at moment ``m`` writes to ``FOLDER/m``. Runs killed while they write a cache have their own; the others share
one.
"""

import os
import runpy
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import torch

from joingr_pyg.datasets import join_graphs
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.runs import files
from joingr_pyg.training import checkpoints
from joingr_pyg.training.module import RetrievalModule

save = torch.save


def die(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def save_half(stored: Any, file: BinaryIO) -> None:
    save(stored, file)
    file.flush()
    os.ftruncate(file.fileno(), file.tell() // 2)
    die()


def embedding() -> None:
    """In the second chunk of texts."""
    encode, calls = HashingEncoder.encode_documents, []

    def first(self: HashingEncoder, texts: Any) -> torch.Tensor:
        calls.append(texts)
        return encode(self, texts) if len(calls) == 1 else die()  # type: ignore[func-returns-value, return-value]

    HashingEncoder.encode_documents = first  # type: ignore[method-assign]


def processing() -> None:
    """With half of a processed file written."""
    join_graphs.torch.save = save_half


def in_epoch(number: int, folder: str = "") -> Callable[[], None]:
    """In the second batch of an epoch."""

    def patch() -> None:
        step = RetrievalModule.training_step

        def stepped(self: RetrievalModule, batch: Any, batch_idx: int) -> torch.Tensor:
            if self.trainer.default_root_dir.endswith(folder) and (self.current_epoch, batch_idx) == (number, 1):
                die()
            return step(self, batch, batch_idx)

        RetrievalModule.training_step = stepped  # type: ignore[method-assign]

    return patch


def checkpoint() -> None:
    """With half of the last checkpoint of the second epoch written, and the best one written before."""

    def saved(stored: Any, file: BinaryIO) -> None:
        if stored.get("epoch") == 1 and Path(file.name).name.startswith("last.ckpt"):
            save_half(stored, file)
        save(stored, file)

    checkpoints.torch.save = saved


def results() -> None:
    """After training, between two files of results."""
    files.write_questions = die  # type: ignore[assignment]


MOMENTS = {
    "embedding": embedding,
    "processing": processing,
    "first_epoch": in_epoch(0),
    "third_epoch": in_epoch(2),
    "checkpoint": checkpoint,
    "results": results,
    "second_fold": in_epoch(1, "fold_1"),
}


CUT_CACHES = ("embedding", "processing")


def main(folder: Path, chunk: int, moments: list[str], overrides: list[str]) -> None:
    CachedEncoder.__init__.__kwdefaults__["chunk_size"] = chunk
    for moment in moments:
        process = os.fork()
        if process == 0:
            MOMENTS[moment]()
            cache = f"{moment}_cache" if moment in CUT_CACHES else "cache"
            own = [f"hydra.run.dir={folder / moment}", f"paths.cache={folder / cache}"]
            sys.argv = ["train.py", *overrides, *own]
            runpy.run_path(str(Path(__file__).parents[1] / "train.py"), run_name="__main__")
            os._exit(0)
        _, status = os.waitpid(process, 0)
        print(moment, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, flush=True)


if __name__ == "__main__":
    split = sys.argv.index("--")
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:split], sys.argv[split + 1 :])
