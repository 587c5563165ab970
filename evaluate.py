"""Evaluate a method or a trained checkpoint: ``python evaluate.py method=vanilla dataset=bird``."""

import time
from pathlib import Path
from typing import Any

import hydra
import torch
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from joingr_pyg.command_line import known_keys, plain_errors
from joingr_pyg.datasets import JoinGraphs
from joingr_pyg.encoders import CachedEncoder, Encoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.evaluation import evaluate, require_protocol
from joingr_pyg.models import Retriever
from joingr_pyg.models.checkpoint import load_checkpoint, require_encoder
from joingr_pyg.reports.comparison import Row, comparison, show
from joingr_pyg.reports.run_files import write_metrics, write_questions
from joingr_pyg.reports.summary import summarize


def run(cfg: DictConfig, folder: Path) -> dict[str, Any]:
    """Evaluate what a config describes and leave the results in ``folder``; returns what metrics.json says."""
    require_protocol(cfg.setting, cfg.ks, cfg.batch_size)
    torch.manual_seed(cfg.seed)
    start = time.perf_counter()
    encoder = CachedEncoder(instantiate(cfg.encoder), Path(cfg.paths.cache) / "embeddings")
    method, retriever = _retriever(cfg, encoder)
    dataset: JoinGraphs = instantiate(cfg.dataset.source)(split=cfg.dataset.test, encoder=encoder)
    query = dataset.encode_questions()
    embedding = time.perf_counter() - start
    result = evaluate(retriever, dataset, query, setting=cfg.setting, ks=list(cfg.ks), batch_size=cfg.batch_size)
    summary = summarize(
        dataset,
        setting=cfg.setting,
        method=method,
        checkpoint=cfg.checkpoint,
        seed=cfg.seed,
        metrics=result.metrics,
        timing={"embedding": embedding, "training": 0.0, "evaluation": result.seconds},
        config=OmegaConf.to_container(cfg, resolve=True),
    )
    write_metrics(folder, summary)
    write_questions(folder, result.records)
    title = f"{dataset.benchmark_name} {dataset.split}, {cfg.setting}, {dataset.encoder.name}"
    show(comparison(title, [Row(method, result.metrics, questions_per_second=result.questions_per_second)]))
    print(f"Results in {folder}")
    return summary


def _retriever(cfg: DictConfig, encoder: Encoder) -> tuple[str, Retriever]:
    method = cfg.get("method")  # A group that is chosen nothing from leaves no key.
    if (cfg.checkpoint is None) == (method is None):
        raise JoinGRError("Give one of method=<name> (vanilla, heuristic) and checkpoint=<file that train.py wrote>.")
    if cfg.checkpoint is None:
        return HydraConfig.get().runtime.choices["method"], instantiate(method)
    model, description = load_checkpoint(cfg.checkpoint)
    require_encoder(description, encoder.name, encoder.identity, cfg.checkpoint)
    return "joingr", model


@hydra.main(config_path="conf", config_name="evaluate", version_base="1.3")
def main(cfg: DictConfig) -> float:
    """Entry point; returns the last metric, for sweepers that optimise it."""
    with plain_errors("evaluate.py"):
        summary = run(cfg, Path(HydraConfig.get().runtime.output_dir))
    return list(summary["metrics"].values())[-1]


if __name__ == "__main__":
    with known_keys("evaluate.py"):
        main()
