import json
import multiprocessing
import os
import pickle
import shutil
from collections.abc import Callable
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, BinaryIO

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.graph import INTRA, JOIN, OWNER
from joingr_pyg.datasets import (
    DATASETS,
    Beaver,
    BeaverNW,
    Bird,
    Demo,
    Folder,
    JoinGraphs,
    RealSchemas,
    Spider,
    build_graphs,
    join_graphs,
)
from joingr_pyg.encoders import CachedEncoder, Encoder, HashingEncoder
from joingr_pyg.errors import JoinGRError

SCHOOL = {
    "db_id": "school",
    "table_names_original": ["pupil", "takes", "sqlite_sequence"],
    "column_names_original": [[-1, "*"], [0, "id"], [0, "name"], [1, "pupil"], [1, "course"], [2, "seq"]],
    "primary_keys": [1],
    "foreign_keys": [[3, 1]],
}
CITY = {"db_id": "city", "table_names_original": ["street"], "column_names_original": [[-1, "*"], [0, "name"]]}
QUESTIONS = [
    {"question": "Who?", "db_id": "school", "query": "SELECT name FROM pupil"},
    {"question": "Where?", "db_id": "city", "query": "SELECT name FROM square"},
    {"question": "What?", "db_id": "school", "query": "SELECT course FROM pupil JOIN takes ON id = pupil"},
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two small databases in the layout of Spider."""
    folder = tmp_path / "data" / "spider"
    folder.mkdir(parents=True)
    (folder / "tables.json").write_text(json.dumps([SCHOOL, CITY]))
    (folder / "dev.json").write_text(json.dumps(QUESTIONS))
    (folder / "train_spider.json").write_text(json.dumps(QUESTIONS[:1]))
    return tmp_path / "data"


@pytest.fixture
def open_spider(root: Path, tmp_path: Path, encoder: Encoder) -> Callable[..., Spider]:
    def opened(
        split: str = "dev", encoder: Encoder = encoder, cache: Path = tmp_path / "cache", **options: Any
    ) -> Spider:
        return Spider(root, split, encoder, cache, download=False, **options)

    return opened


OpenSpider = Callable[..., Spider]


def processed(dataset: JoinGraphs) -> Path:
    return Path(dataset.processed_paths[0])


def test_a_dataset_has_graphs_questions_and_statistics(open_spider: OpenSpider) -> None:
    dataset = open_spider()
    assert [graph.database for graph in dataset] == ["school", "city"]
    assert [graph["table"].name for graph in dataset] == [["pupil", "takes", "sqlite_sequence"], ["street"]]
    assert [(question.index, question.gold_tables) for question in dataset.questions] == [
        (0, ("pupil",)),
        (2, ("pupil", "takes")),
    ]
    assert [(dropped.index, dropped.database) for dropped in dataset.dropped] == [(1, "city")]
    assert dataset.statistics() == {
        "databases": 2,
        "tables": 4,
        "questions": 3,
        "nodes": 6,
        "intra": 2,  # name – id of pupil, course – pupil of takes
        "key_key": 0,
        "join": 1,
    }


def test_the_pool_has_no_internal_tables_of_sqlite(open_spider: OpenSpider) -> None:
    dataset = open_spider()
    assert dataset.corpus().tables == (("school", "pupil"), ("school", "takes"), ("city", "street"))
    assert dataset.corpus("school").tables == (("school", "pupil"), ("school", "takes"))
    assert dataset.corpus("school").join_name(0) == "takes.pupil = pupil.id"
    with pytest.raises(JoinGRError, match="Dataset 'spider' has no database 'zoo'"):
        dataset.corpus("zoo")


def test_a_pool_of_some_databases(tmp_path: Path, encoder: Encoder) -> None:
    demo = Demo(tmp_path, "test", encoder, tmp_path)
    some = demo.only({"coffee_trade", "observatory"})
    assert {database for database, _ in some.corpus().tables} == {"coffee_trade", "observatory"}
    assert some.questions == demo.questions
    assert len(demo) == len(demo.databases)  # The dataset itself is unchanged.


def test_questions_are_encoded_as_queries_in_their_order(open_spider: OpenSpider, encoder: Encoder) -> None:
    query = open_spider().encode_questions().vector
    assert torch.equal(query, encoder.encode_queries(["Who?", "What?"]))


def assert_same(dataset: JoinGraphs, encoder: Encoder) -> None:
    """Check that the graphs of a dataset equal graphs built from its databases."""
    for stored, built in zip(dataset, build_graphs(dataset.databases, encoder), strict=True):
        assert stored.database == built.database
        assert torch.equal(stored["column"].x, built["column"].x)
        assert torch.equal(stored["column"].is_key, built["column"].is_key)
        assert torch.equal(stored["table"].internal, built["table"].internal)
        assert stored["column"].name == built["column"].name
        assert stored["table"].name == built["table"].name
        assert torch.equal(stored[JOIN].edge_attr, built[JOIN].edge_attr)
        for kind in (INTRA, JOIN, OWNER):
            assert torch.equal(stored[kind].edge_index, built[kind].edge_index)


def test_processed_graphs_equal_built_graphs(
    open_spider: OpenSpider, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_spider()
    assert_same(first, encoder)
    monkeypatch.setattr(Spider, "read", lambda self: pytest.fail("the raw files were read again"))
    again = open_spider()
    assert_same(again, encoder)
    assert again.benchmark == first.benchmark


def test_the_name_of_a_processed_file_depends_on_its_inputs(
    open_spider: OpenSpider, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [processed(open_spider()).name]
    names.append(processed(open_spider("train")).name)
    names.append(processed(open_spider(encoder=CachedEncoder(HashingEncoder(dim=8)))).name)
    with pytest.raises(JoinGRError):
        open_spider(strict=True)
    (root / "spider" / "dev.json").write_text(json.dumps(QUESTIONS[:1]))
    names.append(processed(open_spider()).name)
    names.append(processed(open_spider(strict=True)).name)
    # The same text in another file is another input.
    (root / "spider" / "tables.json").write_text(json.dumps([CITY, SCHOOL]))
    names.append(processed(open_spider()).name)
    assert len(set(names)) == len(names)
    (root / "spider" / "tables.json").write_text(json.dumps([SCHOOL, CITY]))
    (root / "spider" / "dev.json").write_text(json.dumps(QUESTIONS))
    assert processed(open_spider()).name == names[0]
    assert names[0].startswith("spider-dev-")


def test_each_encoder_has_its_own_processed_file(open_spider: OpenSpider, encoder: Encoder) -> None:
    small = CachedEncoder(HashingEncoder(dim=8))
    for used in (encoder, small, encoder):
        dataset = open_spider(encoder=used)
        assert dataset.corpus().x.size(1) == used.dim
        assert_same(dataset, used)


def leftovers(dataset: JoinGraphs) -> set[str]:
    """Files in the folder besides the processed file and its lock."""
    path = processed(dataset)
    return {file.name for file in path.parent.iterdir()} - {path.name, path.with_suffix(".lock").name}


class Malicious:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.target,)


def truncated(path: Path, target: Path) -> None:
    path.write_bytes(path.read_bytes()[:500])


def empty(path: Path, target: Path) -> None:
    path.write_bytes(b"")


def malformed(path: Path, target: Path) -> None:
    torch.save({"benchmark": [1]}, path)


def malicious(path: Path, target: Path) -> None:
    torch.save({"benchmark": Malicious(target)}, path)


def malicious_pickle(path: Path, target: Path) -> None:
    path.write_bytes(pickle.dumps(Malicious(target), protocol=2))


@pytest.mark.parametrize("damage", [truncated, empty, malformed, malicious, malicious_pickle])
def test_a_damaged_file_is_made_again_with_a_warning_and_runs_no_code(
    open_spider: OpenSpider,
    encoder: Encoder,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[Path, Path], None],
) -> None:
    dataset = open_spider()
    whole = processed(dataset).read_bytes()
    damage(processed(dataset), tmp_path / "harm")
    caplog.clear()
    again = open_spider()
    assert caplog.messages[0].startswith(f"The processed file {processed(dataset)} is damaged (")
    assert caplog.messages[0].endswith("): it is made again.")
    assert "\n" not in caplog.messages[0]
    assert_same(again, encoder)
    assert again.benchmark == dataset.benchmark
    assert not (tmp_path / "harm").exists()
    assert len(processed(again).read_bytes()) == len(whole)
    assert leftovers(again) == set()
    caplog.clear()
    open_spider()
    assert [m for m in caplog.messages if "damaged" in m] == []
    assert "1 of 3 questions are dropped" in caplog.text  # Also logged when the processed file is read.


def test_a_failed_write_leaves_no_file(
    open_spider: OpenSpider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(stored: object, file: BinaryIO) -> None:
        file.write(b"half")
        raise OSError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(torch, "save", fail)
        with pytest.raises(OSError, match="No space"):
            open_spider()
    assert [path for path in (tmp_path / "cache").rglob("*") if path.suffix not in ("", ".lock")] == []
    assert leftovers(open_spider()) == set()


def test_other_users_may_read_processed_files(open_spider: OpenSpider) -> None:
    before = os.umask(0o022)
    try:
        assert processed(open_spider()).stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(before)


def test_raw_files_are_not_changed(open_spider: OpenSpider, root: Path) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    open_spider()
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def open_demo(cache: Path, at_once: Barrier, results: "SimpleQueue[tuple[str, float]]") -> None:
    at_once.wait(timeout=120)
    dataset = Demo("", "test", CachedEncoder(HashingEncoder(dim=8)), cache)
    results.put((processed(dataset).name, sum(graph["column"].x.abs().sum().item() for graph in dataset)))


def test_two_processes_at_once_make_one_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    at_once, results = context.Barrier(2), context.SimpleQueue()
    other = context.Process(target=open_demo, args=(tmp_path, at_once, results))
    other.start()
    open_demo(tmp_path, at_once, results)
    other.join(timeout=120)
    assert other.exitcode == 0
    first, second = results.get(), results.get()
    assert first == second
    name = first[0]
    assert {path.name for path in (tmp_path / "processed").iterdir()} - {name.replace(".pt", ".lock")} == {name}


def test_an_unknown_split_is_refused(tmp_path: Path, encoder: Encoder) -> None:
    with pytest.raises(JoinGRError, match="Dataset 'bird' has no split 'test'; it has 'train', 'dev'"):
        Bird(tmp_path, "test", encoder, tmp_path, download=False)
    with pytest.raises(JoinGRError, match="Dataset 'beaver' has no split 'train'; it has 'dev'"):
        Beaver(tmp_path, "train", encoder, tmp_path, download=False)


def test_strict_mode_names_the_first_question_that_cannot_be_resolved(open_spider: OpenSpider, tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"Question 1 of spider dev cannot be resolved: .*'square'"):
        open_spider(strict=True)
    # No file was written, and the lock is free.
    assert not list((tmp_path / "cache").rglob("*.pt"))
    assert len(open_spider().questions) == 2


def test_a_missing_file_is_reported_if_download_is_off(open_spider: OpenSpider, root: Path) -> None:
    (root / "spider" / "tables.json").unlink()
    with pytest.raises(JoinGRError, match=r"'tables\.json' is missing"):
        open_spider()


def test_only_missing_files_are_downloaded(
    root: Path, tmp_path: Path, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, Path, str]] = []

    def fetch(benchmark: str, folder: Path, split: str) -> None:
        calls.append((benchmark, folder, split))
        shutil.copy(root / "spider" / "train_spider.json", root / "spider" / "dev.json")

    monkeypatch.setattr(join_graphs, "fetch", fetch)
    Spider(root, "dev", encoder, tmp_path / "cache")
    assert calls == []
    (root / "spider" / "dev.json").unlink()
    assert len(Spider(root, "dev", encoder, tmp_path / "cache").questions) == 1
    assert calls == [("spider", root, "dev")]


def test_a_cache_that_is_not_a_folder_is_refused(open_spider: OpenSpider, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JoinGRError, match=r"cannot be used \(Not a directory\).*paths.cache") as caught:
        open_spider(cache=tmp_path / "file")
    assert str(tmp_path / "file") in str(caught.value)


def test_words_make_another_dataset(tmp_path: Path, encoder: Encoder) -> None:
    folder = tmp_path / "beaver"
    folder.mkdir()
    table = {"column_names_original": ["BLDG_KEY"], "column_types": ["VARCHAR2"]}
    (folder / "dev_tables.json").write_text(json.dumps({"dw#sep#FCLT_BUILDING": table}))
    (folder / "dw_join_keys.json").write_text("[]")
    question = {"question": "Which?", "db_id": "dw", "sql": "", "gold_tables": ["dw#sep#FCLT_BUILDING"]}
    (folder / "dev_dw.json").write_text(json.dumps([question]))
    levels = {
        level: Beaver(tmp_path, "dev", encoder, tmp_path / "cache", download=False, words=level)
        for level in ("none", "names", "full")
    }
    assert len({processed(dataset).name for dataset in levels.values()}) == 3
    assert [dataset.title for dataset in levels.values()] == [
        *("beaver dev", "beaver dev with words (names)", "beaver dev with words (full)")
    ]
    assert [dataset[0]["table"].document[0].startswith("facility building ") for dataset in levels.values()] == [
        *(False, True, True)
    ]


def test_names_are_expanded_on_request(tmp_path: Path, encoder: Encoder) -> None:
    plain, expanded = (
        Demo(tmp_path, "train", encoder, tmp_path / "cache", expand_names=option) for option in (False, True)
    )
    assert processed(plain) != processed(expanded)
    assert expanded.title == "demo train with names expanded"
    assert [question.gold for question in expanded.questions] == [question.gold for question in plain.questions]
    documents = [
        dict(zip(graph["table"].name, graph["table"].document, strict=True))
        for dataset in (plain, expanded)
        for graph in dataset
        if graph.database == "utility_dw"
    ]
    assert documents[0]["CAL_DIM"].startswith("cal dim")
    assert documents[1]["CAL_DIM"].startswith("cal dimension")


def test_cryptic_names_can_be_expanded_again(tmp_path: Path, encoder: Encoder) -> None:
    plain, cryptic, expanded = (
        Demo(tmp_path, "train", encoder, tmp_path / "cache", cryptic_names=names, expand_names=expand)
        for names, expand in ((False, False), (True, False), (True, True))
    )
    datasets = (plain, cryptic, expanded)
    assert len({processed(dataset).name for dataset in datasets}) == 3
    assert cryptic.title == "demo train with cryptic names"
    assert expanded.title == "demo train with cryptic names and names expanded"
    assert cryptic.statistics() == plain.statistics()
    assert [question.text for question in cryptic.questions] == [question.text for question in plain.questions]
    # Each gold table still has the same number.
    corpora = [dataset.corpus() for dataset in datasets]
    numbers = [
        [corpus.table_number[gold] for question in dataset.questions for gold in question.gold]
        for dataset, corpus in zip(datasets, corpora, strict=True)
    ]
    assert numbers[0] == numbers[1] == numbers[2]
    assert corpora[1].tables == corpora[2].tables
    assert all(table == table.upper() for _, table in corpora[1].tables)
    columns = [
        [column for database in dataset.databases for table in database for column in table.columns]
        for dataset in (cryptic, expanded)
    ]
    assert {column.natural_name for column in columns[0]} == {""}
    assert {"date", "number"} <= {word for column in columns[1] for word in column.natural_name.split()}
    assert_same(cryptic, encoder)


def test_words_and_cryptic_names_cannot_be_combined(tmp_path: Path, encoder: Encoder) -> None:
    with pytest.raises(JoinGRError, match=r"words of BEAVER \('full'\).*leave one of dataset.words"):
        Beaver(tmp_path, "dev", encoder, tmp_path / "cache", download=False, words="full", cryptic_names=True)


def test_the_datasets_by_name() -> None:
    fixed = {"bird": Bird, "spider": Spider, "beaver": Beaver, "beaver_nw": BeaverNW, "demo": Demo}
    assert {**fixed, "folder": Folder, "real_schemas": RealSchemas} == DATASETS
    assert all(name == dataset.benchmark_name for name, dataset in fixed.items())


def test_the_demo_is_part_of_the_package(tmp_path: Path, encoder: Encoder) -> None:
    """It needs no data folder, and the processed files of both splits depend on all of its files."""
    train, test = (Demo(tmp_path / "nowhere", split, encoder, tmp_path) for split in ("train", "test"))
    assert Path(train.root) == Path(train.raw_dir).parent == Path(join_graphs.__file__).parent
    assert len(train.raw_file_names) == 3 * len(
        {database.name for split in (train, test) for database in split.databases}
    )
    assert_same(test, encoder)
    assert not (tmp_path / "nowhere").exists()
    assert isinstance(test.corpus(), Corpus)
    assert test.corpus().num_tables == test.statistics()["tables"]


STATISTICS = {
    Spider: (20, 81, 1034, 441, 492, 64, 64),
    Beaver: (1, 97, 121, 1530, 3536, 464, 197),
    Bird: (11, 75, 1534, 798, 3345, 428, 102),
}


@pytest.mark.parametrize("dataset", STATISTICS, ids=lambda dataset: dataset.benchmark_name)
def test_the_statistics_are_those_of_table_1(benchmarks: Path, tmp_path: Path, dataset: type[JoinGraphs]) -> None:
    encoder = CachedEncoder(HashingEncoder(dim=8), progress=False)
    split = dataset(benchmarks, "dev", encoder, tmp_path, download=False)
    assert list(split.statistics()) == ["databases", "tables", "questions", "nodes", "intra", "key_key", "join"]
    assert tuple(split.statistics().values()) == STATISTICS[dataset]
    corpus = split.corpus()
    assert corpus.num_tables == STATISTICS[dataset][1] - (1 if dataset is Spider else 0)
    assert not any(table.startswith("sqlite_") for _, table in corpus.tables)
    assert {name for question in split.questions for name in question.gold} <= set(corpus.tables)
