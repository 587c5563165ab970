"""Compare JoinGR+'s compiled backend with its tensor backend: ``python benchmarks/agreement.py bird best.ckpt ...``.

For each checkpoint, all tables are ranked for all questions with both backends. The output is the largest difference of
scores, and the fraction of the first 15 ranks with the same table.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from walk import SPLITS
from walk_methods import RANKED

from joingr_pyg.datasets import DATASETS
from joingr_pyg.encoders import CachedEncoder, Encoder, HashingEncoder, MiniLMEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGRPlus
from joingr_pyg.models.backend import TensorBackend
from joingr_pyg.models.checkpoint import load_checkpoint, require_encoder

ENCODERS = {"minilm": MiniLMEncoder, "hashing": HashingEncoder}


def compare(dataset: str, checkpoint: Path, encoder: Encoder, cache: Path) -> tuple[float, float]:
    """Rank with both backends.

    Returns:
        The largest difference of scores, and the fraction of the first :data:`RANKED` ranks with the same table.

    Raises:
        JoinGRError: If the file is not a checkpoint of JoinGR+ for the encoder, or the dataset is missing.
    """
    model, description = load_checkpoint(checkpoint)
    require_encoder(description, encoder.name, encoder.identity, checkpoint)
    if not isinstance(model, JoinGRPlus):
        raise JoinGRError(f"Checkpoint '{checkpoint}' holds a model of kind '{model.kind}': give one of JoinGR+.")
    data = DATASETS[dataset](os.environ.get("JOINGR_DATA", "."), SPLITS[dataset], encoder, cache, download=False)
    model, queries = model.eval().index(data.corpus()), data.encode_questions()
    num_tables = model.corpus.num_tables
    compiled = model.rank(queries, num_tables)
    with torch.no_grad():
        tensors = TensorBackend(model).rank(queries, num_tables)
    scores = [torch.zeros(ranking.score.shape).scatter(1, *ranking) for ranking in (compiled, tensors)]
    same = compiled.table[:, :RANKED] == tensors.table[:, :RANKED]
    return float((scores[0] - scores[1]).abs().max()), float(same.float().mean())


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dataset", choices=list(SPLITS))
    parser.add_argument("checkpoints", nargs="+", type=Path, metavar="checkpoint")
    parser.add_argument("--encoder", choices=list(ENCODERS), default="minilm", help="encoder of the checkpoints")
    options = parser.parse_args(arguments)
    cache = Path(os.environ.get("JOINGR_CACHE", "~/.cache/joingr_pyg")).expanduser()
    encoder = CachedEncoder(ENCODERS[options.encoder](), cache / "embeddings")
    try:
        for checkpoint in options.checkpoints:
            difference, same = compare(options.dataset, checkpoint, encoder, cache)
            print(f"{checkpoint}: scores differ by at most {difference:.1g}, {same:.2%} of {RANKED} ranks the same")
    except JoinGRError as error:
        sys.exit(f"agreement.py: {error}")


if __name__ == "__main__":
    main()
