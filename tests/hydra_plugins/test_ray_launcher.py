"""The launcher of jobs on Ray: with Ray where it is installed, and its own part with a stand-in."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hydra.core.utils import JobStatus
from omegaconf import OmegaConf

from hydra_plugins.joingr_ray_launcher import launcher as module
from hydra_plugins.joingr_ray_launcher.launcher import RayLauncher


class DiedError(Exception):
    """Stands in for ``RayError``."""


class FakeRay:
    """Runs a task when it is asked for, in this process."""

    exceptions = SimpleNamespace(RayError=DiedError)

    def __init__(self, running: bool = False) -> None:
        self.running = running
        self.said: list[Any] = []

    def is_initialized(self) -> bool:
        return self.running

    def init(self, **options: Any) -> None:
        self.said.append(("init", options))
        self.running = True

    def shutdown(self) -> None:
        self.said.append("shutdown")
        self.running = False

    def remote(self, **options: Any) -> Any:
        self.said.append(("remote", options))
        return lambda task: SimpleNamespace(remote=lambda *given: lambda: task(*given))

    def get(self, job: Any) -> Any:
        return job()


@pytest.fixture
def launcher(tmp_path: Path) -> RayLauncher:
    made = RayLauncher(OmegaConf.create({"address": None}), OmegaConf.create({"num_cpus": 2}))
    config = OmegaConf.create(
        {"hydra": {"sweep": {"dir": str(tmp_path / "swept")}, "hydra_logging": {"version": 1, "root": None}}}
    )
    config.hydra.verbose = False
    made.setup(hydra_context=None, task_function=None, config=config)  # type: ignore[arg-type]
    return made


def test_every_job_is_a_task_with_its_number_and_overrides(
    launcher: RayLauncher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(module, "_run", lambda context, config, task, overrides, number, state: (number, overrides))
    assert launcher.launch([["a=1"], ["a=2"]], 3) == [(3, ["a=1"]), (4, ["a=2"])]
    assert ray.said == [("init", {"address": None}), ("remote", {"max_retries": 0, "num_cpus": 2}), "shutdown"]
    assert (tmp_path / "swept").is_dir()


def test_a_cluster_that_was_there_before_is_left_alone(launcher: RayLauncher, monkeypatch: pytest.MonkeyPatch) -> None:
    ray = FakeRay(running=True)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(module, "_run", lambda *given: given[3])
    launcher.launch([["a=1"]], 0)
    assert ray.said == [("remote", {"max_retries": 0, "num_cpus": 2})]


def test_a_job_whose_process_dies_returns_nothing_and_the_others_go_on(
    launcher: RayLauncher, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def run(*given: Any) -> Any:
        if given[3] == ["a=1"]:
            raise DiedError("out of memory\nand much more")
        return "result"

    monkeypatch.setitem(sys.modules, "ray", FakeRay())
    monkeypatch.setattr(module, "_run", run)
    died, other = launcher.launch([["a=1"], ["a=2"]], 0)
    assert (died.status, died.return_value, other) == (JobStatus.COMPLETED, None, "result")
    assert "A job's process died: out of memory" in caplog.text
    assert "much more" not in caplog.text


APP = """
import os
import signal
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig

@hydra.main(config_path=None, version_base="1.3")
def main(cfg):
    if cfg.value == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    Path(HydraConfig.get().runtime.output_dir, "pid").write_text(f"{os.getpid()} {cfg.value}")

main()
"""


def test_jobs_run_in_processes_of_ray(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    (tmp_path / "app.py").write_text(APP)
    launcher = (Path(__file__).parents[2] / "conf/hydra/launcher/ray.yaml").read_text()
    (tmp_path / "conf/hydra/launcher").mkdir(parents=True)
    (tmp_path / "conf/hydra/launcher/ray.yaml").write_text(launcher)
    ended = subprocess.run(
        [
            *(sys.executable, "app.py", "--config-dir", "conf", "-m", "hydra/launcher=ray", "hydra.sweep.dir=swept"),
            *("+hydra.launcher.init.num_cpus=1", "+value=0,7,8"),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert "A job's process died" in ended.stdout + ended.stderr
    assert not (tmp_path / "swept/0/pid").exists()
    assert [(tmp_path / "swept" / number / "pid").read_text().split()[1] for number in "12"] == ["7", "8"]
