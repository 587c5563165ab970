"""Every key of ``conf`` with values of the wrong type, out of range and misspelt, without starting a process."""

import inspect
from pathlib import Path
from typing import Any

import lightning
import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import ConfigAttributeError, ConfigKeyError

from joingr_pyg.cli.bad_input import sentence
from joingr_pyg.cli.settings.added import ADDED
from joingr_pyg.cli.settings.allowed import ALLOWED
from joingr_pyg.cli.settings.check import check_config, leaves
from joingr_pyg.errors import JoinGRError

CONF = Path(__file__).parents[3] / "conf"
GROUPS = ("augmentation", "dataset", "encoder", "logger", "loss", "model", "trainer", "experiment")
WRONG: tuple[Any, ...] = ({"a": 1}, [[]], "no such thing", "", -7, 0.5, 1e300, float("nan"), float("inf"), True, None)
"""Values of every type, out of most ranges, of which each key refuses some."""


def options(group: str) -> list[str]:
    return sorted(path.stem for path in (CONF / group).glob("*.yaml"))


@pytest.fixture(scope="module")
def configs() -> dict[str, DictConfig]:
    """A config for each choice of each group."""
    given = {"sentence_transformer": ["encoder.model=someone/some-model"]}
    with initialize_config_dir(str(CONF), version_base="1.3"):
        made = {
            f"{group}={option}": compose("train", [f"{group}={option}", *given.get(option, [])])
            for group in GROUPS
            for option in options(group)
        }
        made |= {f"method={method}": compose("evaluate", [f"method={method}"]) for method in options("method")}
    return made


@pytest.fixture(scope="module")
def keys(configs: dict[str, DictConfig]) -> dict[str, DictConfig]:
    """Every key, with a config that has it."""
    return {
        key: cfg
        for cfg in configs.values()
        for key, _ in leaves(OmegaConf.to_container(cfg, resolve=True))  # type: ignore[arg-type]
    }


def changed(cfg: DictConfig, key: str, value: Any) -> DictConfig:
    copy = cfg.copy()
    with open_dict(copy):
        OmegaConf.update(copy, key, value, merge=False)
    return copy


def refusal(cfg: DictConfig) -> str | None:
    """The sentence with which a config is refused; any other error fails the test."""
    try:
        check_config(cfg)
    except JoinGRError as error:
        return str(error)
    return None


def test_what_the_configs_hold_is_allowed(configs: dict[str, DictConfig]) -> None:
    assert {name: said for name, cfg in configs.items() if (said := refusal(cfg)) is not None} == {}


def test_every_key_has_a_rule_and_every_rule_a_key(keys: dict[str, DictConfig]) -> None:
    # The options of a source are those of its dataset.
    follows = {key for key in keys if key.startswith("dataset.source.") and key.replace("source.", "") in ALLOWED}
    assert set(keys) - follows - set(ALLOWED) == set()
    assert set(ALLOWED) - set(keys) == set()


def test_every_key_refuses_what_it_may_not_be(keys: dict[str, DictConfig]) -> None:
    for key, rule in ALLOWED.items():
        wrong = [value for value in WRONG if not rule.allows(value)]
        assert len(wrong) >= 6, f"{key} takes nearly everything"
        for value in wrong:
            said = refusal(changed(keys[key], key, value))
            assert said is not None, f"{key}={value!r} passes"
            assert "\n" not in said
            assert f"'{key}' needs to be {rule.wanted} (got " in said


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("loss.margin", "abc", "'loss.margin' needs to be a number, at least 0 and at most 1e+37 (got 'abc')."),
        ("loss.margin", -1, "'loss.margin' needs to be a number, at least 0 and at most 1e+37 (got -1)."),
        ("seed", -1, "'seed' needs to be a whole number from 0 to 4294967295 (got -1)."),
        ("seed", True, "'seed' needs to be a whole number from 0 to 4294967295 (got true)."),
        ("ks", [], "'ks' needs to be a list that is not empty, each value a whole number, at least 1 (got [])."),
        ("resume", None, "'resume' needs to be true or false, or text (got null)."),
        ("model.decay", 1, "'model.decay' needs to be a number, above 0 and below 1 (got 1)."),
        ("model", 5, "'model' holds further keys, such as model.anchors: set those (got 5)."),
    ],
)
def test_the_sentence_names_the_key_what_it_may_be_and_what_it_is(
    configs: dict[str, DictConfig], key: str, value: Any, sentence: str
) -> None:
    assert refusal(changed(configs["model=joingr"], key, value)) == sentence


def test_a_precision_that_is_misspelt_gets_the_list(configs: dict[str, DictConfig]) -> None:
    said = refusal(changed(configs["model=joingr"], "trainer.precision", "bf16-mixd"))
    assert said is not None
    assert said.startswith("'trainer.precision' needs to be one of 32-true, 64-true, 16-mixed, bf16-mixed, ")
    assert said.endswith("(got 'bf16-mixd').")


def test_an_added_key_needs_to_be_an_argument(configs: dict[str, DictConfig]) -> None:
    cfg = configs["model=joingr"]
    assert refusal(changed(cfg, "trainer.max_steps", 7)) is None
    assert refusal(changed(cfg, "note", "mine")) is None
    said = refusal(changed(cfg, "model.dropuot", 0.1))
    assert said is not None
    assert said.startswith("There is no key 'model.dropuot'; did you mean dropout? Beside it there are channels, ")


@pytest.mark.parametrize(
    ("key", "right", "wrong"),
    [
        ("max_time", ["00:01:30:00", None], ["abc", "1:30", "01:30:00", 90, True]),
        ("accumulate_grad_batches", [1, 4], [0, -1, 1.5, "abc", None]),
        ("limit_train_batches", [1, 0.5, None], [0, 0.0, 1.5, -1, "abc", True]),
        ("val_check_interval", [1, 0.5, "00:00:10:00", None], [0, "abc", 2.5]),
        ("max_steps", [-1, 7], [0, -2, 1.5, "abc", None]),
        ("gradient_clip_algorithm", ["norm", "value", None], ["abc", 1]),
        ("profiler", ["simple", None], ["abc", 1]),
        ("fast_dev_run", [False], [True, 3]),
        ("callbacks", [], [[], None, {"a": 1}]),
        ("logger", [], [True, False]),
    ],
)
def test_values_of_added_keys_of_the_trainer_are_checked(
    configs: dict[str, DictConfig], key: str, right: list[Any], wrong: list[Any]
) -> None:
    cfg = configs["model=joingr"]
    assert [value for value in right if refusal(changed(cfg, f"trainer.{key}", value)) is not None] == []
    for value in wrong:
        assert str(refusal(changed(cfg, f"trainer.{key}", value))).startswith(f"'trainer.{key}")


def test_added_keys_of_the_trainer_are_arguments_of_it() -> None:
    arguments = inspect.signature(lightning.Trainer).parameters
    assert {key.removeprefix("trainer.") for key in ADDED} <= set(arguments)
    assert not set(ADDED) & set(ALLOWED)


def test_a_class_that_does_not_exist_is_named(configs: dict[str, DictConfig]) -> None:
    said = refusal(changed(configs["model=joingr"], "encoder._target_", "joingr_pyg.encoders.HashingEncodr"))
    assert said is not None
    assert said.startswith("'encoder._target_' names 'joingr_pyg.encoders.HashingEncodr', which cannot be imported (")


def test_a_misspelt_key_gets_the_nearest(keys: dict[str, DictConfig]) -> None:
    for key in ALLOWED:
        group, _, name = key.rpartition(".")
        misspelt = f"{group}.{name}x" if group else f"{name}x"
        with pytest.raises((ConfigAttributeError, ConfigKeyError)) as error:
            OmegaConf.update(keys[key].copy(), misspelt, 1)
        said = sentence(error.value)
        assert said is not None
        assert said.startswith(f"There is no key '{misspelt}'; did you mean {name}? Beside it there are ")
