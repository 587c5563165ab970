"""Many threads ask one retriever."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import pytest

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGRPlus, heuristic, untrained

DDL = files("joingr_pyg.datasets") / "demo" / "vet_clinic" / "schema.sql"

QUESTIONS = [
    f"Which {whose} had {what} in {month}?"
    for whose in ("owners", "animals", "vets")
    for what in ("a vaccination", "an unpaid invoice", "two visits", "surgery")
    for month in ("May", "June")
]


@pytest.mark.parametrize("model", [untrained, heuristic])
@pytest.mark.parametrize("cache", ["memory", "folder"])
def test_ten_threads_get_what_one_gets(
    model: type[JoinGRPlus], cache: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def retriever(folder: str) -> TableRetriever:
        encoder = CachedEncoder(HashingEncoder(64), tmp_path / folder if cache == "folder" else None)
        return TableRetriever.from_ddl(str(DDL), encoder, model=model())

    alone = retriever("alone")
    expected = [alone.retrieve(question) for question in QUESTIONS]
    shared = retriever("shared")
    with caplog.at_level(logging.WARNING), ThreadPoolExecutor(10) as threads:
        # Each question is new to several threads at once.
        assert list(threads.map(shared.retrieve, 3 * QUESTIONS)) == 3 * expected
        assert list(threads.map(shared.retrieve, QUESTIONS)) == expected
    # A thread that waits for another does not take it for another run.
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_the_event_loop_goes_on_while_questions_are_answered() -> None:
    retriever = TableRetriever.from_ddl(str(DDL), CachedEncoder(HashingEncoder(64)))

    async def ask() -> list[object]:
        return await asyncio.gather(*(retriever.aretrieve(question, 3) for question in QUESTIONS))

    assert asyncio.run(ask()) == [retriever.retrieve(question, 3) for question in QUESTIONS]
    assert asyncio.run(retriever.aretrieve(QUESTIONS[0], None, complete=0.5)) == retriever.retrieve(
        QUESTIONS[0], None, complete=0.5
    )
    with pytest.raises(JoinGRError, match="The question is blank"):
        asyncio.run(retriever.aretrieve(" "))
