"""The official sources of the benchmarks."""

from pathlib import Path

import pytest

from joingr_pyg.datasets import sources
from joingr_pyg.datasets.sources import fetch
from joingr_pyg.errors import JoinGRError

BEAVER = "https://raw.githubusercontent.com/peterbaile/beaver/main"
BIRD = "https://bird-bench.oss-cn-beijing.aliyuncs.com"
SPIDER = "https://raw.githubusercontent.com/taoyds/spider/master/evaluation_examples/examples"


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """The URL of each downloaded file by its path below ``tmp_path``; members of an archive follow a ``#``."""
    calls: dict[str, str] = {}

    def file(url: str, target: Path) -> None:
        calls[target.relative_to(tmp_path).as_posix()] = url

    def members(url: str, targets: dict[str, Path]) -> None:
        for member, target in targets.items():
            calls[target.relative_to(tmp_path).as_posix()] = f"{url}#{member}"

    monkeypatch.setattr(sources, "fetch_file", file)
    monkeypatch.setattr(sources, "fetch_zip_members", members)
    return calls


@pytest.mark.parametrize(
    ("benchmark", "split", "expected"),
    [
        (
            "beaver",
            None,
            {
                "beaver/dev_dw.json": f"{BEAVER}/dev_dw.json",
                "beaver/dev_tables.json": f"{BEAVER}/dev_tables.json",
                "beaver/dw_join_keys.json": f"{BEAVER}/dw_join_keys.json",
            },
        ),
        (
            "beaver_nw",
            "dev",
            {
                "beaver/dev_nw.json": f"{BEAVER}/dev_nw.json",
                "beaver/dev_tables.json": f"{BEAVER}/dev_tables.json",
            },
        ),
        (
            "bird",
            None,
            {
                "bird/dev/dev.json": f"{BIRD}/dev.zip#dev.json",
                "bird/dev/dev_tables.json": f"{BIRD}/dev.zip#dev_tables.json",
                "bird/train/train.json": f"{BIRD}/train.zip#train.json",
                "bird/train/train_tables.json": f"{BIRD}/train.zip#train_tables.json",
            },
        ),
        (
            "bird",
            "dev",
            {
                "bird/dev/dev.json": f"{BIRD}/dev.zip#dev.json",
                "bird/dev/dev_tables.json": f"{BIRD}/dev.zip#dev_tables.json",
            },
        ),
        (
            "spider",
            "train",
            {
                "spider/tables.json": f"{SPIDER}/tables.json",
                "spider/train_spider.json": f"{SPIDER}/train_spider.json",
            },
        ),
        (
            "spider",
            "dev",
            {"spider/tables.json": f"{SPIDER}/tables.json", "spider/dev.json": f"{SPIDER}/dev.json"},
        ),
    ],
)
def test_official_sources(
    fetched: dict[str, str], tmp_path: Path, benchmark: str, split: str | None, expected: dict[str, str]
) -> None:
    files = fetch(benchmark, tmp_path, split=split)
    assert fetched == expected
    assert [file.relative_to(tmp_path).as_posix() for file in files] == list(expected)


@pytest.mark.parametrize("base", ["http://127.0.0.1:9/mirror", "http://127.0.0.1:9/mirror/"])
def test_another_base(fetched: dict[str, str], tmp_path: Path, base: str) -> None:
    fetch("spider", tmp_path, split="dev", base=base)
    fetch("bird", tmp_path, split="train", base=base)
    assert fetched == {
        "spider/tables.json": "http://127.0.0.1:9/mirror/tables.json",
        "spider/dev.json": "http://127.0.0.1:9/mirror/dev.json",
        "bird/train/train.json": "http://127.0.0.1:9/mirror/train.zip#train.json",
        "bird/train/train_tables.json": "http://127.0.0.1:9/mirror/train.zip#train_tables.json",
    }


@pytest.mark.parametrize("benchmark", ["beaver", "bird", "spider"])
def test_present_benchmarks_are_complete(benchmarks: Path, benchmark: str) -> None:
    # No server listens at this address, so a file missing from the official layout fails here.
    files = fetch(benchmark, benchmarks, base="http://127.0.0.1:9")
    assert all(file.is_file() for file in files)


def test_an_unknown_benchmark_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JoinGRError) as caught:
        fetch("wikisql", tmp_path)
    message = "Dataset 'wikisql' has no official source; these have one: beaver, beaver_nw, bird, spider."
    assert str(caught.value) == message
