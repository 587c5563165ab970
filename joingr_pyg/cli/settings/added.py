"""What arguments of the trainer may be that no file of ``conf`` has and a user adds, such as ``+trainer.max_time``."""

import re

from joingr_pyg.cli.settings.rules import Rule, choice, flag, null, number, text, whole

_time = Rule(
    "a time as days:hours:minutes:seconds, such as 00:01:30:00",
    lambda value: isinstance(value, str) and re.fullmatch(r"\d+:\d\d:\d\d:\d\d", value) is not None,
)
_part = Rule(
    "a whole number, at least 1, or a fraction such as 0.5",
    lambda value: (type(value) is int and value >= 1) or (type(value) is float and 0 < value <= 1),
)
_own = Rule("left out, since the training sets it itself", lambda value: False)

ADDED: dict[str, Rule] = {
    f"trainer.{key}": rule
    for key, rule in {
        "accumulate_grad_batches": whole(1),
        "barebones": choice(False),
        "benchmark": null | flag,
        "callbacks": _own,
        "check_val_every_n_epoch": null | whole(1),
        "default_root_dir": _own,
        "detect_anomaly": flag,
        "enable_autolog_hparams": flag,
        "enable_checkpointing": choice(True),
        "enable_progress_bar": _own,
        "fast_dev_run": choice(False),
        "gradient_clip_algorithm": choice(None, "norm", "value"),
        "inference_mode": flag,
        "limit_train_batches": null | _part,
        "limit_val_batches": null | _part,
        "logger": _own,
        "max_steps": choice(-1) | whole(1),
        "max_time": null | _time,
        "min_epochs": null | whole(0),
        "min_steps": null | whole(0),
        "model_registry": null | text,
        "overfit_batches": whole(0) | number(0, 1),
        "profiler": choice(None, "simple", "advanced", "pytorch"),
        "reload_dataloaders_every_n_epochs": whole(0),
        "sync_batchnorm": flag,
        "use_distributed_sampler": _own,
        "val_check_interval": null | _part | _time,
    }.items()
}
"""Rules by dotted key. Whatever else Lightning's trainer takes it checks itself."""
