import json
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.datasets import Folder
from joingr_pyg.datasets.folder import benchmark_files, read_folder
from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.errors import JoinGRError

SHOP = """
CREATE TABLE cust (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, cust_id INTEGER REFERENCES cust (id));
CREATE TABLE order_item (order_id INTEGER REFERENCES orders (id), product TEXT);
"""

QUESTIONS: list[dict[str, Any]] = [
    {"question": "What has Jane ordered?", "sql": "SELECT product FROM cust c JOIN orders o ON o.cust_id = c.id"},
    {"question": "Products by customer", "tables": ["CUST", "orders", "order_item"], "bridge": ["orders"]},
]


def write_database(folder: Path, questions: list[dict[str, Any]] = QUESTIONS, schema: str = SHOP) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "schema.sql").write_text(schema)
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)) + "\n\n")
    return folder


def test_gold_tables_come_from_the_line_or_from_its_sql(tmp_path: Path) -> None:
    benchmark = read_folder(write_database(tmp_path / "shop"))
    assert (benchmark.name, benchmark.split) == ("shop", "all")
    first, second = benchmark.questions
    assert (first.database, set(first.gold_tables), first.bridge_tables) == ("shop", {"cust", "orders"}, ())
    assert (second.gold_tables, second.bridge_tables) == (("cust", "orders", "order_item"), ("orders",))


def test_a_folder_of_folders_is_one_benchmark(tmp_path: Path) -> None:
    write_database(tmp_path / "mine/b")
    write_database(tmp_path / "mine/a", QUESTIONS[:1])
    (tmp_path / "mine/notes").mkdir()
    benchmark = read_folder(tmp_path / "mine", name="ours")
    assert [database.name for database in benchmark.databases] == ["a", "b"]
    assert [question.database for question in benchmark.questions] == ["a", "b", "b"]
    assert [question.index for question in benchmark.questions] == [0, 1, 2]
    assert benchmark.name == "ours"


def test_names_are_expanded_and_words_attached(tmp_path: Path) -> None:
    folder = write_database(tmp_path / "shop")
    (folder / "words.json").write_text('{"provenance": "by hand", "tables": {"order_item": "what was bought"}}')
    with_words, without = read_folder(folder), read_folder(folder, words=False, expand_names=False)
    assert with_words.databases[0]["order_item"].description == "what was bought"
    assert with_words.databases[0]["cust"].natural_name == "customer"
    assert without.databases[0]["order_item"].description == without.databases[0]["cust"].natural_name == ""


def test_a_question_that_cannot_be_scored_is_dropped_with_its_reason(tmp_path: Path) -> None:
    folder = write_database(tmp_path / "shop", [*QUESTIONS, {"question": "Who?", "tables": ["nowhere"]}])
    benchmark = read_folder(folder)
    assert [(dropped.index, dropped.database) for dropped in benchmark.dropped] == [(2, "shop")]
    assert "'nowhere'" in benchmark.dropped[0].reason
    with pytest.raises(JoinGRError, match="Question 2 of shop all cannot be resolved"):
        read_folder(folder, strict=True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "Line 1 of '.*questions.jsonl' is not JSON"),
        ("[1]", "has no text at 'question'"),
        ('{"question": "Who?"}', "has neither 'tables' nor 'sql'"),
        ('{"question": "Who?", "tables": "cust"}', "a value of type str at 'tables'"),
    ],
)
def test_a_malformed_line_is_refused(tmp_path: Path, line: str, message: str) -> None:
    folder = write_database(tmp_path / "shop")
    (folder / "questions.jsonl").write_text(line)
    with pytest.raises(JoinGRError, match=message):
        read_folder(folder)


def test_missing_folders_and_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"no folder '.*nowhere': give the folder"):
        read_folder(tmp_path / "nowhere")
    with pytest.raises(JoinGRError, match=r"no schema in the folder .*schema\.json or schema\.sql"):
        read_folder(tmp_path)
    folder = write_database(tmp_path / "shop")
    (folder / "questions.jsonl").unlink()
    with pytest.raises(JoinGRError, match=r"a schema but no questions\.jsonl"):
        read_folder(folder)


def test_the_processed_file_depends_on_the_raw_files(tmp_path: Path) -> None:
    folder = write_database(tmp_path / "shop")
    (folder / "notes.txt").write_text("not read")
    assert [file.name for file in benchmark_files(folder)] == ["schema.sql", "questions.jsonl"]
    dataset = Folder("unused", "all", HashingEncoder(), tmp_path / "cache", path=folder)
    assert (dataset.benchmark_name, dataset.title, len(dataset)) == ("shop", "shop all with words", 1)
    before = dataset.processed_file_names
    write_database(folder, QUESTIONS[:1])
    again = Folder("unused", "all", HashingEncoder(), tmp_path / "cache", path=folder)
    assert len(again.questions) == 1
    assert again.processed_file_names != before


def test_a_missing_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"add dataset\.path=<folder>"):
        Folder("unused", "all", HashingEncoder(), tmp_path, path=None)


def test_lines_end_at_line_feeds_alone(tmp_path: Path) -> None:
    folder = write_database(tmp_path / "shop")
    question = {"question": "Which\u2028 order?", "tables": ["orders"]}
    (folder / "questions.jsonl").write_text(json.dumps(question, ensure_ascii=False), encoding="utf-8")
    assert [question.text for question in read_folder(folder).questions] == ["Which\u2028 order?"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff", "cannot be read .it is not UTF-8 text"),
        (b"[" * 100_000, "Line 1 of .* is not JSON"),
        (b'{"question": "Which?", "tables": [["a"]]}', r"has \['a'\], which is no name, at 'tables'"),
    ],
)
def test_questions_of_another_shape_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    folder = write_database(tmp_path / "shop")
    (folder / "questions.jsonl").write_bytes(content)
    with pytest.raises(JoinGRError, match=message):
        read_folder(folder)
