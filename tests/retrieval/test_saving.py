"""Saved retrievers answer as before, in another process and without being told anything."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import CachedEncoder, Encoder, HashingEncoder, SentenceTransformerEncoder
from joingr_pyg.encoders.packaged import MiniLMEncoder, packaged_minilm
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGR, JoinGRPlus, heuristic
from joingr_pyg.retrieval.saving import MANIFEST, VERSION
from joingr_pyg.schema import ForeignKey
from joingr_pyg.schema.readers.ddl import read_ddl

ROOT = Path(__file__).parents[2]
QUESTIONS = ["Which customers ordered a gift?", "What does the warehouse of a customer hold?"]
ANSWERED = "Who came back within a week?"
DDL = """
CREATE TABLE CUST (CUST_ID INT PRIMARY KEY, TOWN TEXT); -- customers
CREATE TABLE INV (INV_ID INT PRIMARY KEY, CUST_ID INT REFERENCES CUST, NOTE TEXT);
CREATE TABLE SALESORDER (ORDERNO INT PRIMARY KEY, CUST_ID INT REFERENCES CUST, GIFT INT);
CREATE TABLE AUDITLOG (ID INT, ORDERNO INT);
"""
WORDS = {
    "provenance": "a test",
    "abbreviations": {"INV": "warehouse stock"},
    "tables": {"AUDITLOG": "every change of an order"},
    "joins": {"INV.CUST_ID = CUST.CUST_ID": "the warehouse belongs to a customer"},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A schema file, with a words file beside it."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop.sql").write_text(DDL)
    (folder / "words.json").write_text(json.dumps(WORDS))
    return folder / "shop.sql"


def with_words(shop: Path, encoder: Encoder) -> TableRetriever:
    return TableRetriever.from_ddl(shop, encoder, words=shop.parent / "words.json")


def that_remembers(shop: Path, encoder: Encoder) -> TableRetriever:
    return with_words(shop, encoder).remember([ANSWERED, QUESTIONS[0]], [["AUDITLOG"], ["CUST", "SALESORDER"]])


def with_joins_of_all_sources(shop: Path, encoder: Encoder) -> TableRetriever:
    database = read_ddl(DDL, "shop")
    join = ForeignKey("AUDITLOG", "ORDERNO", "SALESORDER", "ORDERNO", "", "inferred", 0.25, "equal names")
    return TableRetriever([replace(database, foreign_keys=(*database.foreign_keys, join))], encoder)


def trained(model: Callable[[int], Any]) -> Callable[[Path, Encoder], TableRetriever]:
    def make(shop: Path, encoder: Encoder) -> TableRetriever:
        torch.manual_seed(3)
        made = model(encoder.dim)
        for parameter in made.parameters():
            torch.nn.init.normal_(parameter, std=0.1)
        return TableRetriever.from_ddl(shop, encoder, model=made)

    return make


MAKERS: dict[str, Callable[[Path, Encoder], TableRetriever]] = {
    "plain": lambda shop, encoder: TableRetriever.from_ddl(shop, encoder, expand_names=False),
    "words": with_words,
    "memory": that_remembers,
    "joins": with_joins_of_all_sources,
    "heuristic": lambda shop, encoder: TableRetriever.from_ddl(shop, encoder, model=heuristic()),
    "joingr": trained(JoinGR),
    "joingr_plus": trained(JoinGRPlus),
}


def answers(retriever: TableRetriever) -> list[list[dict[str, Any]]]:
    every = [*QUESTIONS, ANSWERED]
    results = [retriever.retrieve(question, k=4) for question in every]
    if retriever.model.calibration is not None:
        results += [retriever.retrieve(question, k=None) for question in every]
    # As JSON has them: tuples are lists there.
    return json.loads(json.dumps([[asdict(table) for table in result] for result in results]))


def answers_elsewhere(folders: list[Path], cache: Path) -> list[Any]:
    """What retrievers answer that another process has loaded."""
    code = (
        "import json, sys; from joingr_pyg import TableRetriever; from tests.retrieval.test_saving import answers; "
        "print(json.dumps([answers(TableRetriever.load(folder)) for folder in sys.argv[1:]]))"
    )
    environment = {**os.environ, "JOINGR_CACHE": str(cache), "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, folders)], cwd=cache, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def alike(one: Any, other: Any) -> bool:
    """Whether two answers are the same but for the rounding of numbers.

    The vector of a text differs in its last digits with the texts that were embedded together with it.
    """
    if isinstance(one, float):
        return one == pytest.approx(other, abs=1e-5)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


def test_another_process_answers_alike(shop: Path, tiny_model: Path, tmp_path: Path) -> None:
    retrievers = {name: make(shop, HashingEncoder(32)) for name, make in MAKERS.items()}
    retrievers["folder"] = that_remembers(shop, SentenceTransformerEncoder("tiny", path=tiny_model, device="cpu"))
    if packaged_minilm():
        retrievers["minilm"] = that_remembers(shop, MiniLMEncoder(device="cpu"))
    expected = {name: answers(retriever) for name, retriever in retrievers.items()}
    for name, retriever in retrievers.items():
        retriever.save(tmp_path / name)
    # An empty cache: what is embedded comes from the saved folders.
    (tmp_path / "empty_cache").mkdir()
    folders = [tmp_path / name for name in retrievers]
    elsewhere = dict(zip(retrievers, answers_elsewhere(folders, tmp_path / "empty_cache"), strict=True))
    assert all(alike(elsewhere[name], expected[name]) for name in expected)
    assert {name: elsewhere[name] for name in expected if name != "minilm"} == {
        name: expected[name] for name in expected if name != "minilm"
    }
    assert expected["plain"] != expected["words"] != expected["memory"]
    assert expected["joins"] != expected["plain"]


def test_nothing_of_the_schema_is_embedded_again(shop: Path, tmp_path: Path) -> None:
    class Counting(HashingEncoder):
        texts = 0

        def encode_documents(self, texts: Any) -> torch.Tensor:
            Counting.texts += len(texts)
            return super().encode_documents(texts)

    retriever = with_words(shop, CachedEncoder(Counting(32)))
    retriever.save(tmp_path / "saved")
    before = Counting.texts
    assert before > 0
    # The class is not one of the package, so it has to be given.
    with pytest.raises(JoinGRError, match=r"uses encoder 'hashing-32', which is not part of joingr_pyg: give it as"):
        TableRetriever.load(tmp_path / "saved")
    loaded = TableRetriever.load(tmp_path / "saved", encoder=CachedEncoder(Counting(32)))
    assert answers(loaded) == answers(retriever)
    assert Counting.texts == before
    # A new column: its text alone, and those of the table's own.
    changed = read_ddl(DDL.replace("TOWN TEXT", "TOWN TEXT, STREET TEXT"), "shop")
    TableRetriever.load(tmp_path / "saved", [changed], encoder=CachedEncoder(Counting(32)))
    assert Counting.texts == before + 2


@pytest.fixture
def saved(shop: Path, tmp_path: Path) -> Path:
    that_remembers(shop, HashingEncoder(32)).save(tmp_path / "saved")
    return tmp_path / "saved"


def test_what_is_loaded_can_be_saved_and_taught_again(saved: Path, shop: Path, tmp_path: Path) -> None:
    loaded = TableRetriever.load(saved)
    first = answers(loaded)
    loaded.save(tmp_path / "again")
    assert answers(TableRetriever.load(tmp_path / "again")) == first
    loaded.remember(["Where is the gift?"], [["INV"]])
    loaded.save(saved)  # In the place of what was there.
    again = TableRetriever.load(saved)
    assert len(again.model.memory) == 3
    again.forget(["Where is the gift?", QUESTIONS[0], ANSWERED])
    assert answers(again) == answers(with_words(shop, HashingEncoder(32)))
    assert sorted(path.suffix for path in saved.iterdir()) == ["", ".json", ".safetensors"]


def test_a_schema_read_again_is_prepared_again(saved: Path) -> None:
    expected = answers(TableRetriever.load(saved))
    for databases in ([read_ddl(DDL, "shop")], TableRetriever.load(saved).databases):
        for load in (TableRetriever.load, TableRetriever.from_checkpoint):
            assert answers(load(saved, databases)) == expected


def test_votes_follow_a_schema_of_another_name(saved: Path, caplog: pytest.LogCaptureFixture) -> None:
    renamed = TableRetriever.load(saved, [read_ddl(DDL.replace("AUDITLOG", "auditlog"), "shop_v2")])
    assert not caplog.records
    assert renamed.model.memory.gold == [
        (("shop_v2", "auditlog"),),
        (("shop_v2", "CUST"), ("shop_v2", "SALESORDER")),
    ]
    reasons = {table.table: table.reason for table in renamed.retrieve(ANSWERED, k=4)}
    assert "similar answered questions needed it" in reasons["auditlog"]


def test_what_is_gone_is_told(saved: Path, caplog: pytest.LogCaptureFixture) -> None:
    without = DDL.replace("CREATE TABLE AUDITLOG", "CREATE TABLE OTHER")
    with caplog.at_level(logging.WARNING):
        changed = TableRetriever.load(saved, [read_ddl(without, "shop")])
    assert [record.getMessage() for record in caplog.records] == [
        "1 of 2 remembered questions name tables that are not here: shop.AUDITLOG. They have no vote for these tables."
    ]
    assert len(changed.model.memory) == 2
    caplog.clear()
    TableRetriever.load(saved, [read_ddl("CREATE TABLE x (y INT)", "another")])
    assert "2 of 2 remembered questions name tables that are not here: shop.AUDITLOG, shop.CUST" in caplog.text


def refused(folder: Path, message: str, error: type[JoinGRError] = JoinGRError) -> None:
    with pytest.raises(error, match=message) as caught:
        TableRetriever.load(folder)
    assert "\n" not in str(caught.value)
    assert f"'{folder}'" in str(caught.value)


def test_another_version_is_refused_and_both_are_named(saved: Path) -> None:
    manifest = json.loads((saved / MANIFEST).read_text())
    (saved / MANIFEST).write_text(json.dumps({**manifest, "version": VERSION + 1}))
    refused(saved, rf"has format version {VERSION + 1}, but joingr_pyg \S+ reads version {VERSION}: use the joingr_pyg")


def test_damaged_files_are_refused(saved: Path) -> None:
    tensors = next(saved.glob("*.safetensors"))
    whole = {path: path.read_bytes() for path in (saved / MANIFEST, tensors)}
    for path, raw in whole.items():
        changed = bytearray(raw)
        changed[len(raw) // 2] ^= 1
        for damaged in (raw[: len(raw) // 2], b"", bytes(changed)):
            path.write_bytes(damaged)
            refused(saved, "is damaged")
        path.write_bytes(raw)
    tensors.unlink()
    refused(saved, "is damaged")


def test_a_folder_without_a_retriever_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "gone", r"There is no saved retriever at .* \(looked for 'retriever\.json' in that folder\)")
    (tmp_path / "notes.txt").write_text("to do")
    refused(tmp_path, "There is no saved retriever")


def test_a_folder_of_other_files_is_left_alone(shop: Path, tmp_path: Path) -> None:
    retriever = with_words(shop, HashingEncoder(32))
    (tmp_path / "notes.txt").write_text("to do")
    with pytest.raises(JoinGRError, match=r"holds other files, such as 'notes\.txt': give a new folder"):
        retriever.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    for place in (tmp_path / "gone" / "saved", tmp_path / "notes.txt"):
        with pytest.raises(JoinGRError, match="The retriever cannot be saved to"):
            retriever.save(place)


def test_another_encoder_is_refused(saved: Path) -> None:
    with pytest.raises(JoinGRError, match=r"uses encoder 'hashing-32' .*, not 'hashing-16' .*: give the encoder"):
        TableRetriever.load(saved, encoder=HashingEncoder(16))


def test_a_model_folder_that_has_gone_or_changed_is_told(shop: Path, tiny_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for path in tiny_model.rglob("*"):
        target = folder / path.relative_to(tiny_model)
        target.mkdir(exist_ok=True) if path.is_dir() else target.write_bytes(path.read_bytes())
    TableRetriever.from_ddl(shop, SentenceTransformerEncoder("tiny", path=folder)).save(tmp_path / "saved")
    (folder / "config.json").write_text((folder / "config.json").read_text() + " ")
    refused(tmp_path / "saved", r"uses encoder 'tiny' .*, not 'tiny' .*: give the encoder that it was saved with")
    folder.rename(tmp_path / "moved")
    with pytest.raises(JoinGRError, match="is not the folder of a model"):
        TableRetriever.load(tmp_path / "saved")
    moved = SentenceTransformerEncoder("tiny", path=tmp_path / "moved")
    (tmp_path / "moved" / "config.json").write_text((tiny_model / "config.json").read_text())
    TableRetriever.load(tmp_path / "saved", encoder=moved)
