from pathlib import Path

import pytest
import torch
from torch.utils.data import DataLoader

from joingr_pyg.datasets import Beaver, Demo
from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.models import JoinGR
from joingr_pyg.training import questions as module
from joingr_pyg.training.processes import SharedBatches
from joingr_pyg.training.questions import QuestionSet

PERSON, ROOM, BUILDING, ASSIGNMENT, COURSE, ENROLMENT = range(6)


def question_set(tiny: Beaver) -> tuple[JoinGR, QuestionSet]:
    model = JoinGR(16, anchors=2, hops=2, hidden_channels=8).index(tiny.corpus())
    return model, QuestionSet(model, tiny.questions, tiny.encode_questions())


def test_a_batch_holds_the_indexed_questions_in_order(tiny: Beaver) -> None:
    assert [name for _, name in tiny.corpus().tables] == [
        "PERSON",
        "ROOM",
        "BUILDING",
        "ASSIGNMENT",
        "COURSE",
        "ENROLMENT",
    ]
    model, questions = question_set(tiny)
    assert len(questions) == 8
    batch = questions[[7, 2]]
    query = tiny.encode_questions()[[7, 2]]
    assert torch.equal(batch.query, query.vector)
    assert batch.gold.tolist() == [[ASSIGNMENT, ROOM, -1, -1], [PERSON, -1, -1, -1]]
    assert batch.gold_tables.tolist() == [
        [False, True, False, True, False, False],
        [True, False, False, False, False, False],
    ]
    # The joins are numbered as dw_join_keys.json lists them; ASSIGNMENT with ROOM is the second.
    assert batch.gold_edges.tolist() == [[False, True, False, False, False], [False] * 5]
    assert batch.own_tables.all()
    assert batch.own_edges.all()
    expected = model.evidence(query)
    for name in ("anchor", "deposit", "similarity", "column"):
        torch.testing.assert_close(getattr(batch.evidence, name), getattr(expected, name))


def test_own_tables_and_edges_are_those_of_the_question_s_database(tmp_path: Path) -> None:
    demo = Demo(tmp_path, "test", HashingEncoder(8), tmp_path)
    corpus = demo.corpus()
    model = JoinGR(8, anchors=2, hops=2, hidden_channels=8).index(corpus)
    questions = [demo.questions[-1], demo.questions[0]]
    assert questions[0].database != questions[1].database
    batch = QuestionSet(model, questions, demo.encode_questions()[[-1, 0]])[[0, 1]]
    databases = {database.name: database for database in demo.databases}
    for question, tables, edges in zip(questions, batch.own_tables, batch.own_edges, strict=True):
        database = databases[question.database]
        own = {(database.name, table.name) for table in database}
        assert {corpus.tables[table] for table in tables.nonzero().flatten().tolist()} == own
        ends = corpus.edge_index[:, edges].flatten().tolist()
        assert len(ends) == 2 * len(database.joins)
        assert {corpus.tables[table] for table in ends} <= own


def test_evidence_is_the_same_in_chunks(tiny: Beaver, monkeypatch: pytest.MonkeyPatch) -> None:
    _, whole = question_set(tiny)
    monkeypatch.setattr(module, "CHUNK", 3)
    _, chunked = question_set(tiny)
    for name in ("anchor", "deposit", "similarity", "column"):
        torch.testing.assert_close(getattr(whole.evidence, name), getattr(chunked.evidence, name))


def test_a_loader_serves_every_question_once(tiny: Beaver) -> None:
    _, questions = question_set(tiny)
    order = SharedBatches(len(questions), batch_size=3)
    batches = list(DataLoader(questions, batch_size=None, sampler=order, collate_fn=lambda batch: batch))
    assert [len(batch.query) for batch in batches] == [3, 3, 2]
    assert torch.equal(torch.cat([batch.query for batch in batches]), tiny.encode_questions().vector)
    golds = [len(set(row) - {-1}) for batch in batches for row in batch.gold.tolist()]
    assert golds == [4, 4, 1, 1, 3, 3, 1, 2]
