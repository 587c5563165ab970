"""Corpora in parts rank as the corpus in one piece."""

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import torch

pytest.importorskip("numba")

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.embedding import embedded_corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Demo
from joingr_pyg.datasets.demo import read_demo
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGR, JoinGRPlus, Ranking, TrainableRetriever, pretrained, untrained
from joingr_pyg.schema import TableName
from joingr_pyg.sharding import ShardedCorpus
from joingr_pyg.sharding.part import in_single_precision
from joingr_pyg.sharding.storage import PartFolder, read_part

ENCODER = CachedEncoder(HashingEncoder(32))
DEMO = list(read_demo("test").databases)
K = 12


def learned(model: TrainableRetriever) -> TrainableRetriever:
    """As if it had learned something: no weight is what it was, or zero."""
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return model.eval()


MODELS: dict[str, Callable[[], TrainableRetriever]] = {
    "joingr": lambda: learned(JoinGR(32)),
    "joingr, diverse anchors": lambda: JoinGR(32, mmr=0.5).eval(),
    "joingr, similarity": lambda: JoinGR(None, similarity_weight=0.5, unreached="drop").eval(),
    "joingr_plus": lambda: learned(JoinGRPlus(32)),
    "joingr_plus, no words": lambda: learned(JoinGRPlus(32, lexical=None, phrases=None, memory=None)),
    "joingr_plus, many anchors": lambda: learned(JoinGRPlus(32, anchors=300, candidates=200)),
    "joingr_plus, untrained": lambda: untrained().eval(),
}


@pytest.fixture(scope="module")
def queries(tmp_path_factory: pytest.TempPathFactory) -> Queries:
    demo = Demo("unused", "test", ENCODER, tmp_path_factory.mktemp("cache"))
    return demo.encode_questions()[::6]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo in three parts."""
    path = tmp_path_factory.mktemp("parts")
    ShardedCorpus.write(path, DEMO, ENCODER, parts=3)
    return path


def whole(folder: Path) -> Corpus:
    """The same tables in one piece, with vectors as they were written."""
    names, _ = PartFolder(folder).read()
    parts = [in_single_precision(read_part(folder / name)) for name in names]
    return reduce(Corpus.joined, parts)


def remembering(model: TrainableRetriever, corpus: Corpus, queries: Queries) -> TrainableRetriever:
    """A model that remembers that some questions needed tables of several parts."""
    gold: list[list[TableName]] = [[corpus.tables[number], corpus.tables[-number - 1]] for number in range(5)]
    return model.remember(queries[:5], gold)


def assert_same(found: Ranking, expected: Ranking) -> None:
    assert torch.equal(found.table, expected.table)
    torch.testing.assert_close(found.score, expected.score, atol=2e-6, rtol=0)


@pytest.mark.parametrize("kind", MODELS)
def test_parts_rank_as_the_whole(folder: Path, queries: Queries, kind: str) -> None:
    corpus = whole(folder)
    model = remembering(MODELS[kind](), corpus, queries)
    with ShardedCorpus(folder, model, ENCODER) as sharded:
        assert sharded.num_tables == corpus.num_tables
        found = sharded.rank(queries, K)
        alone = sharded.rank(queries[3:4], K)
    model.index(corpus)
    assert_same(found, model.rank(queries, K))
    assert_same(alone, model.rank(queries[3:4], K))


@pytest.mark.parametrize("actors", [1, 2])
def test_actors_rank_as_one_process(ray: Any, folder: Path, queries: Queries, actors: int) -> None:
    for kind in ("joingr", "joingr_plus"):
        model = remembering(MODELS[kind](), whole(folder), queries)
        with (
            ShardedCorpus(folder, model, ENCODER) as local,
            ShardedCorpus(folder, model, ENCODER, actors=actors, resources={"num_cpus": 0.5}) as sharded,
        ):
            expected, found = local.rank(queries, K), sharded.rank(queries, K)
            assert torch.equal(found.table, expected.table)
            assert torch.equal(found.score, expected.score)
            assert sharded.names(queries[:2], 3) == local.names(queries[:2], 3)


def test_a_killed_actor_is_started_again_and_the_answer_is_the_same(
    ray: Any, folder: Path, queries: Queries, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ShardedCorpus(folder, untrained(), ENCODER, actors=2, resources={"num_cpus": 0.5}) as sharded:
        expected = sharded.rank(queries[:4], K)
        actor = sharded.workers.actors[1]
        before = ray.get(actor.process.remote())
        rounds: list[int] = []
        answers = sharded.workers.answers

        def killing(tasks: Any, whole: Any, question: Any, received: Any) -> Any:
            rounds.append(len(received))
            if len(received) == 2:
                os.kill(before, signal.SIGKILL)
            return answers(tasks, whole, question, received)

        monkeypatch.setattr(sharded.workers, "answers", killing)
        found = sharded.rank(queries[:4], K)
        assert rounds == [0, 1, 2]
        assert ray.get(actor.process.remote()) != before
        assert torch.equal(found.table, expected.table)
        assert torch.equal(found.score, expected.score)


@pytest.mark.parametrize("actors", [0, 2])
def test_an_added_database_touches_one_part(
    request: pytest.FixtureRequest, tmp_path: Path, queries: Queries, actors: int
) -> None:
    if actors:
        request.getfixturevalue("ray")
    *others, last = DEMO
    ShardedCorpus.write(tmp_path, others, ENCODER, parts=2)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("part-*/*")}
    model = untrained().eval()
    with ShardedCorpus(tmp_path, model, ENCODER, actors=actors, resources={"num_cpus": 0.5}) as sharded:
        sharded.rank(queries[:1], 1)
        sharded.add([last])
        after = {path: path.stat().st_mtime_ns for path in tmp_path.glob("part-*/*")}
        # One part of two lies there as before, and the other is a new one.
        assert len(before.items() & after.items()) == 2
        assert len(after) == 4
        assert set(sharded.databases) == {database.name for database in DEMO}
        assert_same(sharded.rank(queries, K), model.index(whole(tmp_path)).rank(queries, K))
        with pytest.raises(JoinGRError, match=f"Two databases of a corpus are named '{last.name}'"):
            sharded.add([last])


def test_half_precision_is_near_and_single_precision_exact(tmp_path: Path, queries: Queries) -> None:
    corpus = embedded_corpus(DEMO, ENCODER)
    model = untrained().eval()
    expected = model.index(corpus).rank(queries, K)
    for dtype, tolerance in ((torch.float32, 2e-6), (torch.float16, 0.02)):
        ShardedCorpus.write(tmp_path, DEMO, ENCODER, parts=2, dtype=dtype)
        with ShardedCorpus(tmp_path, model, ENCODER) as sharded:
            found = sharded.rank(queries, K)
        torch.testing.assert_close(found.score, expected.score, atol=tolerance, rtol=0)
    assert len(list(tmp_path.glob("part-*"))) == 2


def test_questions_in_words_and_none_at_all(folder: Path) -> None:
    with ShardedCorpus(folder, untrained(), ENCODER) as sharded:
        (first, *_) = sharded.retrieve("How many dogs does each rescue station have?", 3)
        assert first[0] == "mountain_rescue"
        assert sharded.rank(Queries.encode([], ENCODER), 5).table.shape == (0, 5)
        with pytest.raises(JoinGRError, match="K needs to be at least 1"):
            sharded.retrieve("Dogs?", 0)


def test_what_cannot_be_ranked_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"of kind 'reranked_joingr_plus' cannot rank a corpus in parts"):
        ShardedCorpus(folder, pretrained(), ENCODER)
    with pytest.raises(JoinGRError, match=r"was embedded by .* give that encoder"):
        ShardedCorpus(folder, untrained(), CachedEncoder(HashingEncoder(16)))
    with pytest.raises(JoinGRError, match="holds no corpus in parts"):
        ShardedCorpus(tmp_path, untrained(), ENCODER)
    with pytest.raises(JoinGRError, match="'parts' needs to be at least 1"):
        ShardedCorpus.write(tmp_path, DEMO, ENCODER, parts=0)
    with pytest.raises(JoinGRError, match="at least one database"):
        ShardedCorpus.write(tmp_path, [], ENCODER)
    with pytest.raises(JoinGRError, match="are named 'x'"):
        ShardedCorpus.write(tmp_path, [replace(DEMO[0], name="x"), replace(DEMO[1], name="x")], ENCODER)


def test_vectors_on_disk_and_approximate_anchors(tmp_path: Path, queries: Queries) -> None:
    ShardedCorpus.write(tmp_path, DEMO, ENCODER, parts=2, approximate=True)
    model = MODELS["joingr"]()
    expected = model.index(whole(tmp_path)).rank(queries, K)
    for options in ({"mapped": True}, {"approximate": True}, {"approximate": True, "mapped": True}):
        with ShardedCorpus(tmp_path, model, ENCODER, **options) as sharded:
            # Fewer clusters than an index looks into: nothing is missed.
            assert_same(sharded.rank(queries, K), expected)
    with pytest.raises(JoinGRError, match="'approximate' and 'mapped' are for JoinGR"):
        ShardedCorpus(tmp_path, untrained(), ENCODER, mapped=True)
    ShardedCorpus.write(tmp_path, DEMO, ENCODER, parts=2)
    with pytest.raises(JoinGRError, match=r"columns.faiss' is missing or damaged: write it again"):
        ShardedCorpus(tmp_path, model, ENCODER, approximate=True)
