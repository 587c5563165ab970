"""``joingr train``: train a retriever and test it, as ``conf/train.yaml`` and the command line describe."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hydra import compose
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from joingr_pyg.atomic_files import remove_partial
from joingr_pyg.cli.command_line import given_overrides, keeps_answers, method_names
from joingr_pyg.cli.hydra_command import run_with_hydra
from joingr_pyg.cli.settings.check import check_config
from joingr_pyg.datasets import JoinGraphs
from joingr_pyg.datasets.folds import BY_DATABASE, make_inner_folds
from joingr_pyg.encoders import CachedEncoder, Encoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.evaluation.evaluate import evaluate, require_folds, require_protocol
from joingr_pyg.models import Retriever
from joingr_pyg.runs.comparison import Row, comparison, remembering, sets_line, show
from joingr_pyg.runs.files import write_metrics, write_questions
from joingr_pyg.runs.secrets import without_secrets
from joingr_pyg.runs.summary import summarize
from joingr_pyg.training.experiment import Outcome, cross_validate, train_and_test
from joingr_pyg.training.fit import LAST, Fitting, fit
from joingr_pyg.training.module import Optimization
from joingr_pyg.training.processes import is_rank_zero, require_startable, silence_other_ranks
from joingr_pyg.training.tracking import Experiment, Tracker
from joingr_pyg.training.validation import Validation
from joingr_pyg.training.warehouses import Warehouses


def run(overrides: Sequence[str]) -> None:
    """Run the command with overrides such as ``dataset=bird``.

    Raises:
        SystemExit: With status 2 for bad input, or 1 if jobs of a multirun failed.
    """
    run_with_hydra("train", train, overrides)


def train(cfg: DictConfig, folder: Path) -> dict[str, Any]:
    """Run the experiment that a config describes and leave its files in ``folder``.

    Returns:
        The content of ``metrics.json`` in rank zero of a training; empty metrics in other ranks.
    """
    silence_other_ranks()
    # Errors of the config are found here, before hours of work.
    check_config(cfg)
    divided = cfg.dataset.test != cfg.dataset.train
    require_folds(cfg.folds, divided, cfg.fold_held_out)
    require_protocol(cfg.setting, cfg.ks, complete=cfg.complete)
    sweep = HydraConfig.initialized() and HydraConfig.get().mode == RunMode.MULTIRUN
    require_startable(cfg.trainer.get("devices", 1), cfg.trainer.get("num_nodes", 1), sweep, cfg.fold_workers)
    if is_rank_zero():
        remove_partial(folder)
    resume = _resume(cfg, folder, sweep)
    fitting = Fitting(
        batch_size=cfg.batch_size,
        optimization=Optimization(**cfg.optimization),
        validation=Validation(**cfg.validation),
        early_stopping=cfg.early_stopping,
        monitor=cfg.monitor,
        seed=cfg.seed,
        compile=cfg.compile,
        remember=keeps_answers(cfg),
    )
    baselines = {name: _baseline(name, cfg) for name in cfg.baselines}
    tracker: Tracker = instantiate(cfg.logger).start(_experiment(cfg, folder, sweep))

    start = time.perf_counter()
    encoder = CachedEncoder(instantiate(cfg.encoder), Path(cfg.paths.cache) / "embeddings")
    source = instantiate(cfg.dataset.source)
    dataset: JoinGraphs = source(split=cfg.dataset.train, encoder=encoder)
    test: JoinGraphs | None = source(split=cfg.dataset.test, encoder=encoder) if divided else None
    for split in (dataset, test):
        if split is not None:
            split.encode_questions()
    warehouses = _warehouses(cfg, source, encoder)
    embedding = time.perf_counter() - start

    options = {"setting": cfg.setting, "ks": list(cfg.ks), "complete": cfg.complete}
    fit_model = partial(
        fit,
        make_model=instantiate(cfg.model),
        loss=instantiate(cfg.loss),
        make_trainer=instantiate(cfg.trainer),
        make_logger=tracker.loggers,
        fitting=fitting,
        warehouses=warehouses,
    )
    evaluate_model = partial(evaluate, **options)
    with tracker:
        if cfg.folds is not None:
            folds = make_inner_folds(
                dataset.encode_questions().vector,
                [question.database for question in dataset.questions],
                *(cfg.fold_held_out, cfg.folds, cfg.fold_seed, cfg.fold_groups),
                [question.text for question in dataset.questions],
            )
            outcome = cross_validate(
                dataset,
                folds,
                fit_model,
                baselines,
                folder,
                evaluate_model,
                cfg.fold_workers,
                resume is not None,
                tracker.log_test,
                cfg.fold_groups == BY_DATABASE,
            )
            test = dataset
        else:
            outcome = train_and_test(
                dataset,
                test,
                fit_model,
                baselines,
                folder,
                evaluate_model,
                resume,
                tracker.log_test,
                keeps_answers(cfg),
            )
        if outcome is None:
            return {"metrics": {}}
        answers = len(dataset.questions) if keeps_answers(cfg) else 0
        names = {
            name: remembering(name, answers, cfg.folds is not None) if method.remembers else name
            for name, method in baselines.items()
        }
        return _report(cfg, folder, test or dataset, outcome, embedding, tracker, names)


def _warehouses(cfg: DictConfig, source: Callable[..., JoinGraphs], encoder: Encoder) -> Warehouses | None:
    """The warehouses that the config's augmentation makes of the training split; ``None`` without augmentation."""
    if cfg.get("augmentation") is None:
        return None
    # Words that come with a schema spell out the names that are abbreviated here.
    words = {"words": "none"} if "words" in cfg.dataset else {}
    return Warehouses(
        source(split=cfg.dataset.train, encoder=encoder, cryptic_names=True, **words), cfg.augmentation.databases
    )


def _experiment(cfg: DictConfig, folder: Path, sweep: bool) -> Experiment:
    """The description of the experiment. Runs of a sweep share a group and are named after their overrides."""
    config = without_secrets(OmegaConf.to_container(cfg, resolve=True))
    if not sweep:
        return Experiment(folder, folder.name, folder.name, config)
    hydra = HydraConfig.get()
    return Experiment(folder, " ".join([str(hydra.job.num), *given_overrides()]), Path(hydra.sweep.dir).name, config)


def _baseline(name: str, cfg: DictConfig) -> Retriever:
    """The method of a config of ``conf/method``, with the settings it has there, whatever those of the model are."""
    if name not in method_names():
        raise JoinGRError(f"There is no baseline {name!r}: choose from {', '.join(map(repr, method_names()))}.")
    method = compose("evaluate", [f"method={name}"]).method
    # The folders are those of this run's config.
    return instantiate(OmegaConf.merge({"paths": cfg.paths}, {"method": method}).method)


def _resume(cfg: DictConfig, folder: Path, sweep: bool) -> Path | None:
    if not cfg.resume:
        return None
    if cfg.folds is not None and cfg.resume is not True:
        raise JoinGRError(
            "A cross-validation is resumed with resume=true and hydra.run.dir=<its folder>, not with a file."
        )
    # Folds that are trained at the same time reach their first checkpoint in any order.
    begun = sorted(folder.glob(f"fold_*/{LAST}.ckpt")) if cfg.folds is not None else []
    path = next(iter(begun), folder / f"{LAST}.ckpt") if cfg.resume is True else Path(cfg.resume)
    if not path.is_file():
        if sweep and cfg.resume is True:  # Of a sweep that ended early, most jobs were not begun.
            return None
        raise JoinGRError(
            f"There is no checkpoint at '{path}' to resume: name the run with hydra.run.dir=<its folder> or the "
            "checkpoint with resume=<file>, or leave resume out to start a new training."
        )
    return path


def kept_line(outcome: Outcome, monitor: str | None) -> str:
    """One line on the epochs whose weights were kept.

    Args:
        outcome: The results.
        monitor: The validation metric that chose them; ``None`` where no question was held out, so that the last
            epochs were kept.
    """
    kept = ", ".join(f"{kept} of {done}" for kept, done in zip(outcome.kept_epochs, outcome.epochs, strict=True))
    one = "epoch" if len(outcome.kept_epochs) == 1 else "epochs"
    if monitor is None:
        return f"Kept {one} {kept}: the last, as no question was held out to choose by."
    return f"Kept {one} {kept}: the {'lowest' if monitor.endswith('loss') else 'highest'} {monitor}."


def _report(
    cfg: DictConfig,
    folder: Path,
    dataset: JoinGraphs,
    outcome: Outcome,
    embedding: float,
    tracker: Tracker,
    names: dict[str, str],
) -> dict[str, Any]:
    method = HydraConfig.get().runtime.choices["model"] if HydraConfig.initialized() else "joingr"
    summary = summarize(
        dataset,
        setting=cfg.setting,
        method=method,
        checkpoint=str(outcome.checkpoints[0]) if len(outcome.checkpoints) == 1 else None,
        seed=cfg.seed,
        metrics=outcome.metrics,
        timing={
            "embedding": embedding,
            "training": outcome.training_seconds,
            "evaluation": outcome.evaluation_seconds,
        },
        **({"folds": outcome.folds, "spread": outcome.spread} if outcome.folds else {}),
        **({"sets": {"asked": cfg.complete, **outcome.sets}} if outcome.sets else {}),
        baselines=outcome.baselines,
        epochs=outcome.epochs,
        kept_epochs=outcome.kept_epochs,
        checkpoints=[str(path) for path in outcome.checkpoints],
        overrides=given_overrides(),
        config=without_secrets(OmegaConf.to_container(cfg, resolve=True)),
    )
    write_metrics(folder, summary)
    kept = kept_line(outcome, cfg.monitor if cfg.validation.fraction else None)
    if not outcome.metrics:
        print(kept)
        print(
            f"Dataset {dataset.benchmark_name} has no test split. Evaluate the checkpoint on another dataset: "
            f"joingr evaluate checkpoint={outcome.checkpoints[0]} dataset=bird"
        )
        return summary
    write_questions(folder, outcome.records)
    title = f"{dataset.title}, {cfg.setting}, {dataset.encoder.name}, seed {cfg.seed}"
    if outcome.folds:
        title += f", {len(outcome.folds)} folds"
    rows = [Row(names[name], metrics) for name, metrics in outcome.baselines.items()]
    speed = len(outcome.records) / max(outcome.evaluation_seconds, 1e-9)
    rows.append(Row(method, outcome.metrics, outcome.spread, speed))
    show(comparison(title, rows))
    print(kept)
    if outcome.sets:
        print(sets_line(cfg.complete, outcome.sets))
    tracker.log_comparison(rows, outcome.records)
    print(f"Results in {folder}")
    return summary
