from collections.abc import Iterator
from functools import partial
from pathlib import Path

import lightning as L
import pytest
import torch
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from hydra.utils import get_class, instantiate
from lightning.pytorch.loggers import CSVLogger
from omegaconf import DictConfig, OmegaConf

from joingr_pyg.datasets import DATASETS
from joingr_pyg.models import Retriever, TrainableRetriever
from joingr_pyg.training.fit import Fitting
from joingr_pyg.training.module import MONITORS, Optimization
from joingr_pyg.training.quiet import quiet_lightning
from joingr_pyg.training.tracking import Experiment
from joingr_pyg.training.validation import Validation

CONF = Path(__file__).parents[1] / "conf"


def options(group: str) -> list[str]:
    return sorted(path.stem for path in (CONF / group).glob("*.yaml"))


def composed(name: str, *overrides: str) -> DictConfig:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose(name, list(overrides))


def with_hydra(name: str, *overrides: str) -> DictConfig:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        cfg = compose(name, list(overrides), return_hydra_config=True)
    HydraConfig.instance().set_config(cfg)
    return cfg


@pytest.fixture(autouse=True)
def no_hydra_left() -> Iterator[None]:
    yield
    HydraConfig.instance().cfg = None


def test_every_group_is_tried_here() -> None:
    tried = {"augmentation", "dataset", "encoder", "experiment", "hydra", "logger", "loss", "method", "model", "paths"}
    assert {path.name for path in CONF.iterdir() if path.is_dir()} == tried | {"trainer"}


@pytest.mark.parametrize("augmentation", options("augmentation"))
def test_every_augmentation_takes_some_databases_together(augmentation: str) -> None:
    assert composed("train").get("augmentation") is None
    assert composed("train", f"augmentation={augmentation}").augmentation.databases >= 1


@pytest.mark.parametrize("encoder", options("encoder"))
def test_every_encoder_is_made_without_a_model(encoder: str) -> None:
    given = ["encoder.model=someone/some-model"] if encoder == "sentence_transformer" else []
    made = instantiate(composed("train", f"encoder={encoder}", *given).encoder)
    assert callable(made.encode_queries)
    assert callable(made.encode_documents)
    assert made.identity
    assert "_model" not in vars(made)
    assert made.name == {"hashing": "hashing-256", "sentence_transformer": "some-model"}.get(encoder, encoder)


def test_the_encoders_of_the_paper_are_as_their_authors_say() -> None:
    bge = composed("train", "encoder=bge").encoder
    assert bge.model == "BAAI/bge-large-en-v1.5"
    assert bge.query_prompt == "Represent this sentence for searching relevant passages: "
    assert bge.document_prompt is None
    contriever = composed("train", "encoder=contriever").encoder
    assert (contriever.model, contriever.pooling) == ("facebook/contriever", "mean")


@pytest.mark.parametrize("dataset", options("dataset"))
@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_every_dataset_has_the_splits_it_is_asked_for(command: str, dataset: str) -> None:
    cfg = composed(command, f"dataset={dataset}", "paths.data=somewhere")
    source = instantiate(cfg.dataset.source)
    assert isinstance(source, partial)
    assert source.func is DATASETS[dataset]
    assert {cfg.dataset.train, cfg.dataset.test} <= set(DATASETS[dataset].splits)
    assert source.keywords["root"] == "somewhere"
    Validation(by=cfg.dataset.validation)


@pytest.mark.parametrize("option", ["expand_names", "cryptic_names"])
@pytest.mark.parametrize("dataset", options("dataset"))
def test_every_dataset_takes_its_names_otherwise(dataset: str, option: str) -> None:
    for value in (True, False):
        cfg = composed("evaluate", f"dataset={dataset}", "paths.data=somewhere", f"dataset.{option}={value}")
        assert instantiate(cfg.dataset.source).keywords[option] is value


def test_every_dataset_of_the_package_has_a_config() -> None:
    assert options("dataset") == sorted(DATASETS)


@pytest.mark.parametrize("model", options("model"))
def test_every_model_is_made(model: str) -> None:
    made = instantiate(composed("train", f"model={model}").model)(channels=8)
    assert isinstance(made, TrainableRetriever)
    assert made.kind == model
    assert any(parameter.requires_grad for parameter in made.parameters())


@pytest.mark.parametrize("method", options("method"))
def test_every_method_is_made_and_learns_nothing(method: str) -> None:
    made = instantiate(composed("evaluate", f"method={method}").method)
    assert isinstance(made, Retriever)
    assert not any(parameter.requires_grad for parameter in made.parameters())


@pytest.mark.parametrize("loss", options("loss"))
def test_every_loss_is_made(loss: str) -> None:
    made = instantiate(composed("train", f"loss={loss}").loss)
    # One gold table of score 0.5 and one other of 0.5: a margin of 0.1 is what is missing.
    assert made(torch.tensor([[0.5, 0.5]]), torch.tensor([[True, False]])).item() == pytest.approx(0.1)
    assert made.target == loss


@pytest.mark.parametrize("logger", options("logger"))
def test_every_logger_is_made_and_keeps_the_log(logger: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if logger == "wandb":
        pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "disabled")
    tracker = instantiate(composed("train", f"logger={logger}").logger).start(Experiment(tmp_path, "run", "group"))
    with tracker:
        first, *others = tracker.loggers(str(tmp_path))
    assert isinstance(first, CSVLogger)
    assert len(others) == (logger != "csv")


@pytest.mark.parametrize("trainer", options("trainer"))
def test_every_trainer_is_made(trainer: str, tmp_path: Path) -> None:
    make = instantiate(composed("train", f"trainer={trainer}").trainer)
    if trainer == "gpu" and not torch.cuda.is_available():
        make = partial(make, accelerator="cpu")
    with quiet_lightning():
        made = make(callbacks=[], logger=False, default_root_dir=str(tmp_path), enable_checkpointing=False)
    torch.use_deterministic_algorithms(False)
    assert isinstance(made, L.Trainer)


@pytest.mark.parametrize("experiment", options("experiment"))
def test_every_experiment_composes(experiment: str) -> None:
    cfg = composed("train", f"experiment={experiment}")
    assert OmegaConf.to_container(cfg, resolve=True)["dataset"]["source"]["_partial_"] is True
    assert cfg.folds is None or cfg.dataset.train == cfg.dataset.test
    Fitting(
        batch_size=cfg.batch_size,
        optimization=Optimization(**cfg.optimization),
        validation=Validation(**cfg.validation),
        early_stopping=cfg.early_stopping,
        monitor=cfg.monitor,
        seed=cfg.seed,
    )


@pytest.mark.parametrize(
    ("experiment", "expected"),
    [
        ("beaver_anchors_hops", {"model.anchors": {1, 3, 5, 7}, "model.hops": {1, 2, 3, 4, 5, 6}, "seed": {0, 1, 2}}),
        ("bird_anchors_hops", {"model.anchors": {1, 3, 5, 7}, "model.hops": {1, 2, 3, 4, 5, 6}}),
    ],
)
def test_the_sweeps_cover_their_grid(experiment: str, expected: dict[str, set[int]]) -> None:
    hydra = with_hydra("train", f"experiment={experiment}").hydra
    assert hydra.mode is RunMode.MULTIRUN
    assert {key: set(map(int, values.split(","))) for key, values in hydra.sweeper.params.items()} == expected
    assert (
        composed("train", f"experiment={experiment}")
        .dataset.source._target_.lower()
        .endswith(experiment.partition("_")[0])
    )


def test_the_preset_of_the_paper_is_that_of_appendix_b_on_any_dataset() -> None:
    bird = composed("train", "experiment=paper", "dataset=bird", "encoder=bge")
    assert (bird.model.hops, bird.model.hidden_channels, bird.model.dropout) == (5, 64, 0.3)
    assert bird.optimization == {"lr": 1e-3, "weight_decay": 1e-4, "factor": 0.5, "patience": 3, "scalar_lr": None}
    assert (bird.trainer.gradient_clip_val, bird.loss.margin, bird.trainer.max_epochs) == (1.0, 0.1, 20)
    assert bird.folds is None
    assert composed("train", "experiment=paper", "dataset=beaver").folds == 5
    assert composed("train", "experiment=paper", "dataset=spider", "model.hops=2").model.hops == 2


# Launchers and sweepers, as the plugins' own schemas take them.


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_the_joblib_launcher_is_the_plugins_own(command: str) -> None:
    config = pytest.importorskip("hydra_plugins.hydra_joblib_launcher.config")
    launcher = with_hydra(command, "hydra/launcher=joblib", "hydra.launcher.n_jobs=2").hydra.launcher
    assert OmegaConf.merge(OmegaConf.structured(config.JobLibLauncherConf), launcher).n_jobs == 2


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_the_slurm_launcher_fits_the_plugins_schema(command: str) -> None:
    config = pytest.importorskip("hydra_plugins.hydra_submitit_launcher.config")
    cfg = with_hydra(command, "hydra/launcher=slurm", "hydra.launcher.partition=long", "hydra.sweep.dir=swept")
    merged = OmegaConf.merge(OmegaConf.structured(config.SlurmQueueConf), cfg.hydra.launcher)
    assert merged._target_ == config.SlurmQueueConf._target_
    assert (merged.partition, merged.timeout_min) == ("long", cfg.hydra.launcher.timeout_min)
    assert cfg.hydra.launcher.submitit_folder == "swept/.submitit/%j"


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_the_search_is_the_optuna_plugin_and_maximises(command: str) -> None:
    config = pytest.importorskip("hydra_plugins.hydra_optuna_sweeper.config")
    sweeper = with_hydra(command, "hydra/sweeper=search", "hydra.sweeper.n_trials=7").hydra.sweeper
    assert config.Direction[sweeper.direction] is config.Direction.maximize
    assert (sweeper.n_trials, sweeper.max_failure_rate, sweeper.study_name) == (7, 1.0, command)
    # By name: Hydra loads plugins a second time.
    ancestors = [f"{kind.__module__}.{kind.__name__}" for kind in get_class(sweeper._target_).__mro__]
    assert config.OptunaSweeperConf._target_ in ancestors


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_the_ray_launcher_is_made(command: str) -> None:
    cfg = with_hydra(command, "hydra/launcher=ray", "hydra.launcher.init.address=auto")
    made = instantiate(cfg.hydra.launcher)
    assert made.init["address"] == "auto"
    assert made.remote == {"num_cpus": 1, "num_gpus": 0}


def test_every_launcher_and_sweeper_is_tried_here() -> None:
    assert (options("hydra/launcher"), options("hydra/sweeper")) == (["ray", "slurm"], ["search"])


def test_an_experiment_is_overridden_from_the_command_line() -> None:
    cfg = composed("train", "loss=edge", "experiment=beaver_cv", "encoder=hashing", "folds=3", "trainer.max_epochs=7")
    assert (cfg.folds, cfg.trainer.max_epochs) == (3, 7)
    assert cfg.loss._target_ == "joingr_pyg.training.losses.EdgeLoss"
    assert cfg.dataset.source._target_ == "joingr_pyg.datasets.Beaver"


def test_the_defaults_are_those_of_the_paper() -> None:
    """Table 4 of Appendix B, and the cut-offs of section 4."""
    cfg = composed("train")
    assert (cfg.model.hops, cfg.model.hidden_channels, cfg.model.dropout) == (5, 64, 0.3)
    assert cfg.optimization == {"lr": 1e-3, "weight_decay": 1e-4, "factor": 0.5, "patience": 3, "scalar_lr": None}
    assert (cfg.trainer.gradient_clip_val, cfg.loss.margin, cfg.trainer.max_epochs) == (1.0, 0.1, 20)
    assert list(cfg.ks) == [5, 15]
    assert composed("train", "experiment=beaver_cv").folds == 5


def test_data_and_cache_are_told_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOINGR_DATA", "/their/data")
    monkeypatch.setenv("JOINGR_CACHE", "/their/cache")
    source = composed("train", "dataset=bird").dataset.source
    assert (source.root, source.cache) == ("/their/data", "/their/cache")
    monkeypatch.delenv("JOINGR_DATA")
    monkeypatch.delenv("JOINGR_CACHE")
    source = composed("evaluate", "dataset=bird").dataset.source
    assert (source.root, source.cache) == ("data", "~/.cache/joingr_pyg")


def test_the_search_of_weights_and_biases_starts_runs_that_exist() -> None:
    search = OmegaConf.to_container(OmegaConf.load(CONF / "sweep.yaml"), resolve=False)
    assert isinstance(search, dict)
    assert (CONF.parent / search["program"]).is_file()
    assert search["metric"]["name"] in MONITORS
    assert search["command"][-1] == "${args_no_hyphens}"
    given = [each for each in search["command"] if not each.startswith("$")]
    for last in (0, -1):
        chosen = [
            f"{key}={each.get('values', [each.get('value')])[last]}" for key, each in search["parameters"].items()
        ]
        cfg = composed("train", *given, *chosen)
        assert cfg.logger.project == search["project"]
    # A monitor that no epoch logs would leave the search blind: there is an inner validation.
    assert cfg.validation.fraction > 0
