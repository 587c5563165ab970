"""The pages of the documentation tell the truth: code prints what they show, and links lead somewhere."""

import re
import shlex
from argparse import ArgumentParser
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from joingr_pyg.cli.main import COMMANDS
from joingr_pyg.encoders.packaged import packaged_minilm

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

BLOCK = re.compile(r"```(\w+)\n(.*?)```", flags=re.DOTALL)
LINK = re.compile(r"\]\(((?!https?:|#)[^)\s]+)\)")


def python_blocks(page: Path) -> list[tuple[str, str]]:
    """Each block of Python, and the block of text behind it that shows its output; empty where there is none."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    following = [*blocks, ("", "")][1:]
    return [
        (code, output if kind == "text" else "")
        for (language, code), (kind, output) in zip(blocks, following, strict=True)
        if language == "python"
    ]


@pytest.mark.skipif(packaged_minilm() is None, reason="the packaged MiniLM weights (extra 'offline') are missing")
@pytest.mark.parametrize("page", [page for page in PAGES if python_blocks(page)], ids=lambda page: page.name)
def test_code_prints_what_the_page_shows(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocks of a page are run one after the other, with the names of those before."""
    (tmp_path / "joingr_pyg").symlink_to(ROOT / "joingr_pyg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for code, output in python_blocks(page):
        exec(compile(code, page.name, "exec"), names)
        printed = capsys.readouterr().out
        if output:
            assert printed.split() == output.split()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"\$[^$]+\$", "", page.read_text(encoding="utf-8"))
    for link in set(LINK.findall(text)):
        path, _, heading = link.partition("#")
        target = page.parent / path
        assert target.exists(), link
        if heading and target.suffix == ".md":
            assert heading in anchors(target), link


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and Sphinx make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_folder_of_the_package_has_its_line() -> None:
    page = (ROOT / "docs/structure.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./]+)`", "".join(re.findall(r"^\| (`[^|]*) \|", page, flags=re.MULTILINE))))
    assert all((ROOT / name).exists() for name in named)
    folders = {f"joingr_pyg/{path.parent.name}" for path in (ROOT / "joingr_pyg").glob("*/__init__.py")}
    assert folders - {"joingr_pyg/testing"} <= named


def test_the_methods_are_all_there_are() -> None:
    page = (ROOT / "docs/experiments.md").read_text(encoding="utf-8")
    section = page.partition("| `method=` |")[2].partition("\n\n")[0]
    names = re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE)
    assert sorted(names) == sorted(path.stem for path in (ROOT / "conf/method").glob("*.yaml"))


def commands() -> Iterator[tuple[str, str, list[str]]]:
    """The page, the command and its arguments, of every command line that a page shows in full."""
    for page in PAGES:
        for language, code in BLOCK.findall(page.read_text(encoding="utf-8")):
            lines = re.sub(r"\\\n\s*", " ", code).splitlines() if language == "bash" else []
            for line in lines:
                matched = re.match(r"(?:python (train|evaluate)\.py|joingr (\w+))(?= |$)(.*)", line)
                if matched:
                    arguments = shlex.split(matched[3].partition("&&")[0], comments=True)
                    yield page.name, matched[1] or matched[2], arguments


@pytest.mark.parametrize(("page", "name", "arguments"), list(commands()))
def test_commands_are_understood(page: str, name: str, arguments: list[str]) -> None:
    """Hydra composes the configuration that a command asks for, and other commands parse their arguments."""
    command = COMMANDS[name]
    if not command.overrides:
        parser = ArgumentParser(name)
        import_module(command.module).add_arguments(parser)
        parser.parse_args(arguments)
        return
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        # Of the values of a sweep the first stands for all.
        overrides = [first_value(argument) for argument in arguments if argument != "-m"]
        compose(name, overrides=overrides)


def first_value(override: str) -> str:
    key, equals, value = override.partition("=")
    return override if value[:1] in ("[", "'", '"') else f"{key}{equals}{value.partition(',')[0]}"
