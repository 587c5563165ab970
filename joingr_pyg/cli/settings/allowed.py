"""The table of all keys in ``conf``: what each may be."""

import torch

from joingr_pyg.cli.settings.rules import Rule, choice, flag, folder, group, list_of, null, number, text, whole
from joingr_pyg.evaluation.evaluate import SETTINGS
from joingr_pyg.training.module import MONITORS


def _is_device(value: object) -> bool:
    try:
        torch.empty(0, device=value)  # type: ignore[call-overload]
    except (RuntimeError, AssertionError, TypeError):
        return False
    return isinstance(value, str)


_fraction = number(above=0, below=1)
_count = whole(1)
_device = Rule("a device of this machine, such as cpu", _is_device)
_precisions = (
    "32-true",
    "64-true",
    "16-mixed",
    "bf16-mixed",
    "16-true",
    "bf16-true",
    "16",
    "bf16",
    "32",
    "64",
    16,
    32,
    64,
)

EXPERIMENT = {
    "seed": whole(0, 2**32 - 1),
    "setting": choice(*SETTINGS),
    "ks": list_of(_count, empty=False),
    "complete": _fraction,
    "batch_size": _count,
    "baselines": list_of(text),
    "resume": flag | text,
    "checkpoint": null | text,
    "remember": null | flag,
    "monitor": choice(*MONITORS),
    "early_stopping": null | _count,
    "compile": flag,
    "folds": null | whole(2),
    "fold_seed": whole(0, 2**32 - 1),
    "fold_groups": flag | choice("database"),
    "fold_held_out": null | whole(0, 4),
    "fold_workers": _count,
    "progress": flag,
    "optimization.lr": number(above=0, most=1e37),
    "optimization.weight_decay": number(0, 1e37),
    "optimization.factor": _fraction,
    "optimization.patience": whole(0),
    "optimization.scalar_lr": null | number(above=0, most=1e37),
    "validation.fraction": number(0, below=1),
    "validation.by": choice("database", "question"),
    "loss.margin": number(0, 1e37),
    "loss.negatives": choice("database", "corpus"),
    "loss.gold_power": number(0, 100),
    "augmentation.databases": _count,
    "paths.data": text,
    "paths.cache": text,
    "paths.output": text,
    "paths.multirun": text,
}

_walk = {
    "anchors": _count,
    "hops": _count,
    "decay": _fraction,
    "mmr": number(0, 1),
    "unreached": choice("behind", "drop"),
    "similarity_weight": number(),
    "hub_damping": number(-100, 100),
}

_prior = {
    "table_vector": null | _fraction,
    "lexical": null | number(),
    "abbreviations": flag,
    "memory": null | number(),
    "phrases": null | number(),
    "sharpness": number(above=0),
    "prior_weight": number(0),
}

MODEL = {
    **_walk,
    **_prior,
    "hidden_channels": _count,
    "dropout": number(0, 1),
    "rank": whole(0),
    "walk": flag,
    "candidates": null | _count,
    "messages": flag,
}

METHOD = {
    **_walk,
    **_prior,
    "by": choice("column", "table"),
    "k1": number(0),
    "b": number(0, 1),
    "damping": number(0, below=1),
    "terminals": _count,
    "temperature": number(above=0),
    "null_similarity": null | number(-1, 1),
    "size": null | _count,
    "candidates": _count,
    "coverage_weight": number(0),
    "relevance_weight": number(0),
    "compatibility_weight": number(0),
    "time_limit": number(above=0),
    "gap": number(0),
    "decompositions": list_of(Rule("the files 'subqueries' and 'questions'", lambda value: isinstance(value, dict))),
    "uniqueness": list_of(text),
    "retrieved": _count,
    "expansions": whole(0),
    "refiner": group,
    "refiner.model": text,
    "refiner.revision": null | text,
    "refiner.path": null | folder,
    "refiner.max_length": null | _count,
    "refiner.batch_size": _count,
    "refiner.device": null | _device,
}

ENCODER = {
    "model": text,
    "name": null | text,
    "revision": null | text,
    "path": null | folder,
    "table_path": null | folder,
    "query_prompt": null | Rule("text", lambda value: isinstance(value, str)),
    "document_prompt": null | Rule("text", lambda value: isinstance(value, str)),
    "pooling": choice(None, "cls", "mean", "max", "lasttoken"),
    "max_length": null | _count,
    "dim": null | _count,
    "batch_size": _count,
    "device": null | _device,
    "precision": choice("float32", "bfloat16", "auto"),
}

DATASET = {
    "train": text,
    "test": text,
    "validation": choice("database", "question"),
    "folds": null | whole(2),
    "path": null | text,
    "name": null | text,
    "words": flag | choice("none", "names", "full"),
    "dialect": null | text,
    "cryptic_names": flag,
    "expand_names": flag,
    "compound_questions": _count,
    "source.root": text,
    "source.cache": null | text,
    "source.download": flag,
    "source.strict": flag,
}

TRAINER = {
    "max_epochs": choice(-1) | _count,
    "accelerator": choice("auto", "cpu", "gpu", "cuda", "mps", "tpu"),
    "devices": choice("auto", -1) | _count | list_of(whole(0), empty=False) | text,
    "num_nodes": _count,
    "strategy": text,
    "precision": choice(*_precisions),
    "gradient_clip_val": null | number(0),
    "deterministic": choice(None, True, False, "warn"),
    "enable_model_summary": flag,
    "num_sanity_val_steps": whole(-1),
    "log_every_n_steps": _count,
}

LOGGER = {
    "project": text,
    "entity": null | text,
    "group": null | text,
    "tags": list_of(text),
    "walks": whole(0),
}

GROUPS = {
    "model": MODEL,
    "method": METHOD,
    "encoder": ENCODER,
    "dataset": DATASET,
    "trainer": TRAINER,
    "logger": LOGGER,
}
"""The keys that the groups of ``conf`` bring, without the name of the group."""

ALLOWED: dict[str, Rule] = {
    **EXPERIMENT,
    **{f"{name}.{key}": rule for name, keys in GROUPS.items() for key, rule in keys.items()},
}
"""What each key may be, under its dotted name. Options of a benchmark's source follow those of the dataset."""
