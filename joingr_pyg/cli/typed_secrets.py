"""Secrets typed on a command line, and the files of Hydra with these secrets masked."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import DictConfig, OmegaConf

from joingr_pyg.runs.files import write_text
from joingr_pyg.runs.secrets import secrets_in, without_secrets


def typed_secrets(overrides: Iterable[str]) -> set[str]:
    """The values that overrides give to keys with the name of a secret, also inside dictionaries and sweeps."""
    parser = OverridesParser.create()
    secrets: set[str] = set()
    for override in map(parser.parse_override, overrides):
        swept = override.sweep_iterator() if override.is_discrete_sweep() else [override.value()]
        secrets |= secrets_in([{override.key_or_group: value} for value in swept])
    return secrets


def typed_overrides(hydra: Any) -> list[str]:
    """The overrides that were typed, as Hydra's config keeps them; what they refer to may not exist."""
    return cast(list[str], OmegaConf.to_container(hydra.overrides.task, resolve=False))


def masked_records(config: DictConfig) -> dict[str, str]:
    """The files, by their names, that Hydra keeps of a config with its ``hydra`` node, where they need masking.

    ``multirun.yaml`` is that of a sweep, the others those of a job.
    """
    plain = cast(dict[str, Any], OmegaConf.to_container(config, enum_to_str=True))
    overrides = plain["hydra"]["overrides"]
    secrets = typed_secrets([*overrides["task"], *overrides["hydra"]])
    records = {
        "config.yaml": {key: value for key, value in plain.items() if key != "hydra"},
        "hydra.yaml": {"hydra": plain["hydra"]},
        "overrides.yaml": overrides["task"],
        "multirun.yaml": plain,
    }
    masked = {name: without_secrets(values, secrets) for name, values in records.items()}
    return {
        name: OmegaConf.to_yaml(OmegaConf.create(masked[name])) for name in records if masked[name] != records[name]
    }


def mask_records(config: DictConfig) -> None:
    """Replace the files that Hydra has just written into the folder of a job by masked ones.

    Every process of a job calls this, since Hydra writes the files in every process.
    """
    folder = config.hydra.output_subdir
    for name, text in masked_records(config).items() if folder is not None else ():
        path = Path(config.hydra.runtime.output_dir, folder, name)
        if path.is_file():
            write_text(path, text)
