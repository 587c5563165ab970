"""A file that is cut off or has a changed bit is refused in one sentence or made again; it never changes an answer."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from joingr_pyg import TableRetriever
from joingr_pyg.datasets import Folder
from joingr_pyg.datasets.folder import read_folder
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGR
from joingr_pyg.models.checkpoint import Description, load_checkpoint, save_checkpoint
from joingr_pyg.schema.names.glossary import read_words, with_words
from joingr_pyg.schema.readers.ddl import read_ddl
from joingr_pyg.schema.readers.schema_json import read_schema_json
from joingr_pyg.schema.readers.tables_json import read_tables_json
from tests.fuzz.effort import inputs

DDL = "CREATE TABLE a(id INT PRIMARY KEY, n TEXT); CREATE TABLE b(id INT, a_id INT REFERENCES a);"
QUESTION = "Which n has the a of a b?"


@st.composite
def damages(draw: st.DrawFn) -> Callable[[bytes], bytes]:
    """Cuts a file off, changes one of its bits, or overwrites or removes some of its bytes."""
    place, bit = draw(st.floats(0, 1, exclude_max=True)), draw(st.integers(0, 7))
    kind, some = draw(st.sampled_from(["cut", "flip", "overwrite", "remove"])), draw(st.binary(min_size=1, max_size=8))

    def damage(raw: bytes) -> bytes:
        at = int(place * len(raw))
        if kind == "cut":
            return raw[:at]
        if kind == "flip":
            return raw[:at] + bytes([raw[at] ^ 1 << bit]) + raw[at + 1 :]
        return raw[:at] + (some if kind == "overwrite" else b"") + raw[at + len(some) :]

    return damage


def hashing() -> CachedEncoder:
    return CachedEncoder(HashingEncoder(dim=16))


def one_sentence(error: pytest.ExceptionInfo[JoinGRError] | JoinGRError) -> None:
    text = str(error)
    assert "\n" not in text.strip()
    assert len(text) < 1500


@pytest.fixture(scope="module")
def retriever() -> TableRetriever:
    return TableRetriever.from_ddl(DDL, hashing()).remember([QUESTION], [["a", "b"]])


@inputs(60)
@given(damages(), st.integers(0, 1))
def test_a_damaged_retriever_is_refused(
    retriever: TableRetriever, tmp_path: Path, damage: Callable[[bytes], bytes], file: int
) -> None:
    folder = tmp_path / "saved"
    retriever.save(folder)
    path = sorted(path for path in folder.iterdir() if path.suffix in (".json", ".safetensors"))[file]
    path.write_bytes(damage(path.read_bytes()))
    try:
        loaded = TableRetriever.load(folder, encoder=hashing())
    except JoinGRError as error:
        one_sentence(error)
    else:
        assert loaded.retrieve(QUESTION).to_dict() == retriever.retrieve(QUESTION).to_dict()


@inputs(100)
@given(damages())
def test_a_damaged_checkpoint_is_refused(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    torch.manual_seed(0)
    model = JoinGR(4, hidden_channels=4)
    described = Description(model.arguments, "hashing", "hashing:16", "demo", 0)
    save_checkpoint(tmp_path / "model.ckpt", model, described)
    (tmp_path / "model.ckpt").write_bytes(damage((tmp_path / "model.ckpt").read_bytes()))
    try:
        loaded, description = load_checkpoint(tmp_path / "model.ckpt")
    except JoinGRError as error:
        one_sentence(error)
    else:
        assert description == described
        for name, value in model.state_dict().items():
            assert torch.equal(loaded.state_dict()[name], value)


@inputs(60)
@given(damages())
def test_a_damaged_part_of_the_cache_is_made_again(
    tmp_path_factory: pytest.TempPathFactory, damage: Callable[[bytes], bytes]
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    texts = ["one", "two", "three"]
    vectors = CachedEncoder(HashingEncoder(dim=16), folder).encode_documents(texts)
    (part,) = folder.rglob("*.safetensors")
    part.write_bytes(damage(part.read_bytes()))
    again = CachedEncoder(HashingEncoder(dim=16), folder)
    assert torch.equal(again.encode_documents(texts), vectors)
    assert again.dim == 16


SCHEMA: Any = {
    "name": "shop",
    "dialect": "sqlite",
    "tables": {
        "a": {"columns": [["id", "INT", "key"], ["n", "TEXT"]], "primary_key": ["id"], "comment": "things"},
        "b": {"columns": ["id", ["a_id", "INT"]]},
    },
    "foreign_keys": [[["b", "a_id"], ["a", "id"]]],
}
SPIDER: Any = [
    {
        "db_id": "d",
        "table_names_original": ["a", "b"],
        "table_names": ["a", "b"],
        "column_names_original": [[-1, "*"], [0, "id"], [0, "n"], [1, "id"], [1, "a_id"]],
        "column_names": [[-1, "*"], [0, "id"], [0, "n"], [1, "id"], [1, "a id"]],
        "column_types": ["text"] * 5,
        "primary_keys": [1, [3, 4]],
        "foreign_keys": [[4, 1]],
    }
]
WORDS: Any = {
    "provenance": "a test",
    "abbreviations": {"n": "name"},
    "tables": {"a": "things"},
    "columns": {"a": {"n": "name of it"}},
    "joins": {"b.a_id = a.id": "text"},
    "opinions": {"b.id = a.id": 0.5},
}
QUESTIONS: Any = {"question": "how many?", "sql": "SELECT * FROM a", "tables": ["a"], "bridge": ["b"]}


def read_questions(path: Path) -> None:
    folder = path.parent / "benchmark"
    folder.mkdir(exist_ok=True)
    (folder / "schema.json").write_text(json.dumps(SCHEMA))
    (folder / "questions.jsonl").write_bytes(path.read_bytes())
    for question in read_folder(folder).questions:
        assert set(question.gold_tables) <= {"a", "b"}


READERS: dict[str, tuple[Any, Callable[[Path], Any]]] = {
    "schema.json": (SCHEMA, lambda path: [read_schema_json(path)[0]]),
    "tables.json": (SPIDER, read_tables_json),
    "words.json": (WORDS, lambda path: [with_words(read_ddl(DDL, "d"), read_words(path))]),
    "questions.jsonl": (QUESTIONS, read_questions),
}

VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-2, 9),
        st.floats(),
        st.sampled_from(["", "a", "id", "a.b", "\ud800", "\u2028", "b.a_id = a.id", 10**400]),
    ),
    lambda values: st.lists(values, max_size=2) | st.dictionaries(st.sampled_from(["a", "id", ""]), values, max_size=2),
    max_leaves=3,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the parts of a JSON value are."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, part in inner for place in places(part, (*at, key)))]


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """The value with another one at some place, or nothing."""
    *above, last = draw(st.sampled_from(places(value)[1:]))
    copy = json.loads(json.dumps(value))
    around = copy
    for key in above:
        around = around[key]
    if draw(st.integers(0, 3)):
        around[last] = draw(VALUES)
    else:
        del around[last]
    return copy


def check_reading(name: str, path: Path) -> None:
    try:
        databases = READERS[name][1](path)
        if databases:
            TableRetriever(databases, hashing()).retrieve(QUESTION).to_ddl()
    except JoinGRError as error:
        one_sentence(error)


@pytest.mark.parametrize("name", READERS)
@inputs(40)
@given(data=st.data())
def test_json_of_another_shape_is_refused(tmp_path: Path, name: str, data: st.DataObject) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(data.draw(changed(READERS[name][0]))), encoding="utf-8")
    check_reading(name, path)


@pytest.mark.parametrize("name", READERS)
@inputs(40)
@given(damage=damages())
def test_damaged_json_is_refused(tmp_path: Path, name: str, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / name
    path.write_bytes(damage(json.dumps(READERS[name][0], indent=1 if name != "questions.jsonl" else None).encode()))
    check_reading(name, path)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b"\xff\xfe\0", b"\0" * 99, b"9" * 5000, b"null"])
def test_what_is_no_json_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    check_reading(name, tmp_path / name)


@pytest.fixture(scope="module")
def processed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Callable[[], Folder], Path, bytes]:
    """Reads a folder with a cache; the processed file in it, and its content."""
    root = tmp_path_factory.mktemp("benchmark")
    (root / "schema.sql").write_text(DDL)
    (root / "questions.jsonl").write_text(json.dumps(QUESTIONS))
    cache = tmp_path_factory.mktemp("cache")

    def read() -> Folder:
        return Folder(root, "all", hashing(), cache, path=root)

    read()
    (path,) = cache.rglob("*.pt")
    return read, path, path.read_bytes()


@inputs(30)
@given(damages())
def test_a_damaged_processed_file_is_made_again(
    processed: tuple[Callable[[], Folder], Path, bytes], damage: Callable[[bytes], bytes]
) -> None:
    read, path, raw = processed
    path.write_bytes(damage(raw))
    dataset = read()
    whole = torch.load(io.BytesIO(raw), weights_only=True)
    assert dataset.benchmark.to_dict() == whole["benchmark"]
    assert torch.equal(dataset[0]["column"].x, whole["graphs"]["column"]["x"])
