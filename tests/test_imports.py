"""Imports point one way, and what is light stays light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import joingr_pyg

PACKAGE = Path(joingr_pyg.__file__).parent

LAYERS = [
    "errors",
    "lazy_names",
    "progress",
    "atomic_files",
    "tensor_files",
    "terminal",
    "kernels",
    "nn",
    "schema",
    "describing",
    "text",
    "download",
    "encoders",
    "data",
    "datasets",
    "models",
    "sharding",
    "evaluation",
    "plotting",
    "retrieval",
    "integrations",
    "runs",
    "training",
    "cli",
    "testing",
    "__main__",
]
"""The parts of the package; each may import those before it and no other."""

TENSORS_ONLY = {"numpy", "torch", "torch_geometric", "torch_scatter", "numba", "llvmlite"}
"""What the layers may use besides the standard library."""

RESERVED = {
    "lightning": {"training"},
    "hydra": {"cli"},
    "omegaconf": {"cli"},
    "numba": {"kernels"},
    "sentence_transformers": {"encoders"},
    "sqlalchemy": {"schema"},
    "sqlglot": {"schema"},
    "faiss": {"models"},
    "matplotlib": {"plotting", "cli"},
    "networkx": {"plotting"},
    "bm25s": {"text"},
    "Stemmer": {"text"},
    "symspellpy": {"schema"},
    "openai": {"describing"},
    "tqdm": {"progress"},
    "wandb": {"training"},
    "mcp": {"integrations"},
    "starlette": {"integrations"},
    "uvicorn": {"integrations"},
    "langchain_core": {"integrations"},
    "llama_index": {"integrations"},
    "ray": {"sharding"},
}
"""Libraries that only some parts may import, at whatever place in the code."""


def imported() -> Iterator[tuple[Path, str, str]]:
    """Every import of the package: its file, the part of the package that it is in, and the module it names."""
    for path in sorted(PACKAGE.rglob("*.py")):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((path, part, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: imports are absolute"
                # `from joingr_pyg import retrieval` names the module last.
                names = [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "joingr_pyg" else []
                yield from ((path, part, name) for name in names or [str(node.module)])


IMPORTED = list(imported())


def test_every_part_has_its_place() -> None:
    parts = {path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.suffix == ".py"}
    parts |= {path.parent.name for path in PACKAGE.glob("*/*.py")}
    assert parts - {"__init__"} == set(LAYERS)


def test_imports_point_one_way() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {module}"
        for path, part, module in IMPORTED
        if part != "__init__" and module.startswith("joingr_pyg.")
        for other in [module.split(".")[1]]
        if other != part and LAYERS.index(other) >= LAYERS.index(part)
    ]
    assert not wrong


def test_the_layers_know_tensors_only() -> None:
    libraries = {module.split(".")[0] for _, part, module in IMPORTED if part == "nn"}
    assert libraries - sys.stdlib_module_names - {"joingr_pyg"} <= TENSORS_ONLY
    assert {module.split(".")[1] for _, part, module in IMPORTED if part == "nn" and "joingr_pyg." in module} == {
        "kernels",
        "nn",
    }


@pytest.mark.parametrize("library", RESERVED)
def test_a_library_stays_where_it_belongs(library: str) -> None:
    users = {part for _, part, module in IMPORTED if module.split(".")[0] == library}
    assert users <= RESERVED[library]


HEAVY = [
    "sentence_transformers",
    "transformers",
    "lightning",
    "hydra",
    "omegaconf",
    "faiss",
    "sqlalchemy",
    "sqlglot",
    "matplotlib",
]


def test_the_package_needs_nothing_of_its_repository() -> None:
    apart = {"paper", "benchmarks", "tests", "docs", "conf"}
    assert not [f"{path} imports {module}" for path, _, module in IMPORTED if module.split(".")[0] in apart]


def test_importing_the_layers_loads_nothing_heavy() -> None:
    code = f"import sys, joingr_pyg.nn; print([name for name in {HEAVY!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


SLOW = ["torch_geometric", "torchmetrics", "networkx", "scipy.optimize", "numba", "bm25s", "symspellpy", *HEAVY]
"""Libraries that would make the start of a retriever wait."""


def test_importing_the_retriever_loads_nothing_slow() -> None:
    code = (
        f"import sys, joingr_pyg.retrieval.table_retriever; print([name for name in {SLOW!r} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_one_file_knows_weights_and_biases() -> None:
    assert {path.name for path, _, module in IMPORTED if module.split(".")[0] == "wandb"} == {"weights_and_biases.py"}
