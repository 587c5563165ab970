"""``joingr evaluate``: evaluate a method or a checkpoint, as ``conf/evaluate.yaml`` and the command line describe."""

import logging
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from joingr_pyg.cli.command_line import given_overrides, keeps_answers, method_names
from joingr_pyg.cli.hydra_command import run_with_hydra
from joingr_pyg.cli.settings.check import check_config
from joingr_pyg.datasets import JoinGraphs
from joingr_pyg.datasets.folds import BY_DATABASE, make_inner_folds
from joingr_pyg.encoders import CachedEncoder, Encoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.evaluation.evaluate import evaluate, evaluate_folds, require_folds, require_protocol
from joingr_pyg.models import Retriever
from joingr_pyg.models.checkpoint import load_checkpoint, require_encoder
from joingr_pyg.runs.comparison import Row, comparison, database_table, remembering, sets_line, show
from joingr_pyg.runs.files import training_of, write_metrics, write_questions
from joingr_pyg.runs.secrets import without_secrets
from joingr_pyg.runs.summary import summarize

logger = logging.getLogger("joingr_pyg.evaluate")


def run(overrides: Sequence[str]) -> None:
    """Run the command with overrides such as ``method=vanilla``.

    Raises:
        SystemExit: With status 2 for bad input, or 1 if jobs of a multirun failed.
    """
    run_with_hydra("evaluate", evaluate_method, overrides)


def evaluate_method(cfg: DictConfig, folder: Path) -> dict[str, Any]:
    """Evaluate the method or checkpoint of a config and write the results; returns the content of ``metrics.json``."""
    check_config(cfg)
    divided = cfg.dataset.test != cfg.dataset.train
    require_protocol(cfg.setting, cfg.ks, cfg.batch_size, cfg.complete)
    require_folds(cfg.folds, divided, cfg.fold_held_out)
    torch.manual_seed(cfg.seed)
    start = time.perf_counter()
    encoder = CachedEncoder(instantiate(cfg.encoder), Path(cfg.paths.cache) / "embeddings")
    method, retriever, trained = _retriever(cfg, encoder)
    source = instantiate(cfg.dataset.source)
    dataset: JoinGraphs = source(split=cfg.dataset.test, encoder=encoder)
    queries = dataset.encode_questions()
    remembers = retriever.remembers and cfg.checkpoint is None
    remembered = 0
    if remembers and divided and keeps_answers(cfg):
        train: JoinGraphs = source(split=cfg.dataset.train, encoder=encoder)
        retriever.remember(train.encode_questions(), [question.gold for question in train.questions])
        remembered = len(train.questions)
    elif remembers and not divided and cfg.folds is None:
        logger.warning(
            f"{dataset.title} has no training split, so method {method} remembers no answered question: with folds=5, "
            "it remembers those of the other folds."
        )
    embedding = time.perf_counter() - start
    evaluate_fold = partial(
        evaluate, setting=cfg.setting, ks=list(cfg.ks), batch_size=cfg.batch_size, complete=cfg.complete
    )
    if cfg.folds is None:
        result = evaluate_fold(retriever, dataset, queries)
    else:
        folds = make_inner_folds(
            queries.vector,
            [question.database for question in dataset.questions],
            *(cfg.fold_held_out, cfg.folds, cfg.fold_seed, cfg.fold_groups),
            [question.text for question in dataset.questions],
        )
        apart = cfg.fold_groups == BY_DATABASE
        result = evaluate_folds(retriever, dataset, queries, folds, evaluate_fold, apart)
    summary = summarize(
        dataset,
        setting=cfg.setting,
        method=method,
        checkpoint=cfg.checkpoint,
        seed=cfg.seed,
        metrics=result.metrics,
        timing={"embedding": embedding, "training": 0.0, "evaluation": result.seconds},
        **({"folds": result.folds, "spread": result.spread} if result.folds else {}),
        **({"sets": {"asked": cfg.complete, **result.sets}} if result.sets else {}),
        **({"measured": retriever.measured()} if retriever.measured() else {}),
        databases=result.databases,
        **({"trained": trained} if trained else {}),
        **({"remembered": remembered} if remembered else {}),
        overrides=given_overrides(),
        config=without_secrets(OmegaConf.to_container(cfg, resolve=True)),
    )
    write_metrics(folder, summary)
    write_questions(folder, result.records)
    title = f"{dataset.title}, {cfg.setting}, {dataset.encoder.name}"
    if result.folds:
        title += f", {len(result.folds)} folds"
    row_name = remembering(method, remembered, remembers and cfg.folds is not None)
    show(comparison(title, [Row(row_name, result.metrics, result.spread, result.questions_per_second)]))
    if dataset.reports_databases and len(result.databases) > 1:
        show(database_table(f"{title}: {method} by database", result.databases))
    if result.sets:
        print(sets_line(cfg.complete, result.sets))
    print(f"Results in {folder}")
    return summary


def _retriever(cfg: DictConfig, encoder: Encoder) -> tuple[str, Retriever, dict[str, Any]]:
    """The method's name, the method, and how it was trained if it was."""
    method = cfg.get("method")  # A group that is chosen nothing from leaves no key.
    if (cfg.checkpoint is None) == (method is None):
        raise JoinGRError(
            f"Give one of method=<name> ({', '.join(method_names())}) and checkpoint=<file that 'joingr train' wrote>."
        )
    if cfg.checkpoint is None:
        return HydraConfig.get().runtime.choices["method"], instantiate(method), {}
    model, description = load_checkpoint(cfg.checkpoint)
    require_encoder(description, encoder.name, encoder.identity, cfg.checkpoint)
    trained = {"dataset": description.dataset, "seed": description.seed, **training_of(Path(cfg.checkpoint))}
    return description.kind, model, trained
