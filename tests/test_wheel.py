"""The wheel, installed into an environment of its own, works outside of the checkout."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from joingr_pyg.cli.main import COMMANDS

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.wheel

SMALL = ("encoder=hashing", "encoder.dim=16")
TRAINING = (*SMALL, "model.hidden_channels=8", "model.anchors=2", "model.hops=2", "trainer.max_epochs=1")

GUARD = """
import os, sys

def refuse(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], (str, bytes, os.PathLike)):
        path = os.path.abspath(os.fsdecode(arguments[0]))
        if (path + os.sep).startswith({root!r}) and not path.startswith({environment!r}):
            raise PermissionError(f"{{path}} is in the checkout")

sys.addaudithook(refuse)
"""
"""Refuses every access to a file of the checkout, other than of the environment that the tests run in."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel. The libraries are those of this one, the checkout is out of reach."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    # Files *.pth in these folders, such as that of an editable install, have no effect here.
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "libraries.pth").write_text("\n".join([*sorted(libraries), "import refuse_checkout", ""]))
    (packages / "refuse_checkout.py").write_text(GUARD.format(root=f"{ROOT}{os.sep}", environment=sys.prefix))
    return folder


@pytest.fixture(scope="module")
def installed(
    environment: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program of the environment in an empty folder, the same for all tests."""
    folder, cache = tmp_path_factory.mktemp("elsewhere"), tmp_path_factory.mktemp("cache")
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "JOINGR_DATA")}
    variables = {**kept, "JOINGR_CACHE": str(cache), "OMP_NUM_THREADS": "1", "HOME": str(folder)}

    def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(environment / "bin" / program), *arguments]
        return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)

    return run


@pytest.fixture(scope="module")
def trained(installed: Callable[..., Any]) -> Any:
    return installed("joingr", "train", "dataset=demo", *TRAINING, "hydra.run.dir=trained")


def metrics(path: Path) -> dict[str, float]:
    return json.loads(path.read_text(encoding="utf-8"))["metrics"]


def test_holds_what_is_installed_and_nothing_else(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"joingr_pyg", "hydra_plugins", "joingr_pyg-0.1.0.dist-info"}
    configs = {path.relative_to(ROOT / "conf").as_posix() for path in (ROOT / "conf").rglob("*.yaml")}
    assert {name.removeprefix("joingr_pyg/conf/") for name in names if name.endswith(".yaml")} == configs
    assert {"joingr_pyg/py.typed", "hydra_plugins/joingr_ray_launcher/launcher.py"} <= set(names)


def test_the_checkout_is_out_of_reach(installed: Callable[..., Any]) -> None:
    assert "is in the checkout" in installed("python", "-c", f"open({str(ROOT / 'pyproject.toml')!r})").stderr
    places = installed("python", "-c", "import joingr_pyg, hydra_plugins; print(joingr_pyg.__file__)")
    assert "site-packages/joingr_pyg/__init__.py" in places.stdout
    assert str(ROOT / "joingr_pyg") not in places.stdout


def test_help_lists_every_command(installed: Callable[..., Any]) -> None:
    ended = installed("joingr", "--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert all(f"  {name} " in ended.stdout for name in COMMANDS)


def test_trains_as_the_checkout_does(trained: Any, command: Callable[..., Any]) -> None:
    assert (trained.returncode, trained.stderr) == (0, "")
    folder = Path(trained.stdout.splitlines()[-1].removeprefix("Results in "))
    assert folder.name == "trained"
    assert metrics(folder / "metrics.json") == command("train.py", "dataset=demo", *TRAINING).metrics["metrics"]


def test_evaluates_methods_and_checkpoints_and_compares_them(installed: Callable[..., Any], trained: Any) -> None:
    swept = installed("joingr", "evaluate", "-m", *SMALL, "method=vanilla,bm25", "hydra.sweep.dir=swept")
    assert (swept.returncode, swept.stderr) == (0, "")
    assert "2 of 2 jobs have results" in swept.stdout
    tested = installed(
        *("python", "-m", "joingr_pyg", "evaluate", "checkpoint=trained/best.ckpt", *SMALL),
        "hydra.run.dir=tested",
    )
    assert (tested.returncode, tested.stderr) == (0, "")
    table = installed("joingr", "compare", "swept", "trained", "tested", "--markdown", "table.md")
    assert (table.returncode, table.stderr) == (0, "")
    assert all(method in table.stdout for method in ("vanilla", "bm25", "joingr"))


def test_a_wrong_key_is_refused_in_one_sentence(installed: Callable[..., Any]) -> None:
    ended = installed("joingr", "evaluate", "method=vanilla", "ks=[]", *SMALL)
    assert ended.returncode == 2
    assert ended.stderr.startswith("evaluate: ")
    assert len(ended.stderr.splitlines()) == 1
