"""The README tells the truth: its code runs, prints what it says, and CI runs its test command."""

import re
from pathlib import Path

import pytest
import torch

from joingr_pyg.encoders.packaged import packaged_minilm

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_ci_runs_the_test_command() -> None:
    command = next(block.strip() for block in blocks("bash") if "pytest" in block)
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


@pytest.mark.skipif(packaged_minilm() is None, reason="the packaged MiniLM weights (extra 'offline') are missing")
def test_retrieval_example(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(blocks("python")[0], "README.md", "exec"), {})
    assert capsys.readouterr().out.split() == blocks("text")[0].split()


def test_layer_example() -> None:
    torch.manual_seed(0)
    names: dict[str, object] = {}
    exec(compile(blocks("python")[1], "README.md", "exec"), names)
    out = names["out"]
    assert out.node_scores().shape == (2, 5)
    assert out.edge_deposits().shape == (2, 4)


@pytest.mark.parametrize("path", re.findall(r"\]\(((?!http|#)[^)]+)\)", README))
def test_links_lead_somewhere(path: str) -> None:
    assert (ROOT / path).exists()


def test_every_folder_it_names_exists() -> None:
    for cell in re.findall(r"^\| (`[^|]*) \|", README.partition("## Where things are")[2], flags=re.MULTILINE):
        for name in re.findall(r"`([^`]+)`", cell):
            assert (ROOT / name).exists() or (ROOT / "joingr_pyg" / name).exists(), name


def test_the_methods_it_names_are_all_there_are() -> None:
    section = README.partition("| `method=` |")[2].partition("\n\n")[0]
    names = re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE)
    assert sorted(names) == sorted(path.stem for path in (ROOT / "conf/method").glob("*.yaml"))
