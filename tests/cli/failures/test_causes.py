"""Why gold tables are missed, on a schema small enough to walk by hand."""

from collections.abc import Callable

import pytest
import torch

from joingr_pyg.cli.failures.causes import ANCHOR, NO_JOINS, NO_WAY, TOO_FAR, Analysis, Failure, missed_tables
from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.models import heuristic
from joingr_pyg.runs.question_records import QuestionRecord

# t0 – t1, from t1 to t2 and t3, t2 – t4; t5 alone; t6 – t7. The question is t0's, and t0 the one anchor.
JOINS = [(0, 1), (1, 2), (1, 3), (2, 4), (6, 7)]
ASKED = Queries(torch.tensor([[1.0, 0.0]]))


def record(gold: str, ranked: str = "") -> QuestionRecord:
    names = [[f"db.{name}" for name in tables.split()] for tables in (gold, ranked)]
    return QuestionRecord(7, "Which?", "db", frozenset(names[0]), tuple(names[1]))


@pytest.fixture
def corpus(make_corpus: Callable[..., Corpus]) -> Corpus:
    return make_corpus([[[1.0, 0.0]], *[[[0.0, 1.0]]] * 7], joins=JOINS)


def test_every_reason_by_hand(corpus: Corpus) -> None:
    model = heuristic(anchors=1, hops=2).index(corpus)
    found = {each.table: each for each in missed_tables(model, ASKED, record("t0 t1 t2 t4 t5 t6"), 15)}
    assert {table.removeprefix("db."): each.reason for table, each in found.items()} == {
        **{"t0": ANCHOR, "t1": "shared out at hop 1", "t2": "shared out at hop 2"},
        **{"t4": TOO_FAR, "t5": NO_JOINS, "t6": NO_WAY},
    }
    # All of t0's deposit goes to t1, a third of what t1 hands on to each of t0, t2 and t3.
    split = found["db.t2"]
    assert (split.hop, split.share, split.choices) == (2, pytest.approx(1 / 3), 3)
    assert split.path == ("t0", "t1", "t2")
    assert (found["db.t1"].share, found["db.t1"].choices) == (1, 1)
    assert (split.index, split.question, split.gold) == (7, "Which?", 6)


def test_only_what_is_not_among_the_best_is_missed(corpus: Corpus) -> None:
    model = heuristic(anchors=1, hops=2).index(corpus)
    asked = record("t1 t2", "t3 t1 t2")
    assert [each.table for each in missed_tables(model, ASKED, asked, 1)] == ["db.t1", "db.t2"]
    assert [each.table for each in missed_tables(model, ASKED, asked, 2)] == ["db.t2"]
    assert missed_tables(model, ASKED, asked, 3) == []


def test_a_hop_more_reaches_a_table_further_away(corpus: Corpus) -> None:
    model = heuristic(anchors=1, hops=3).index(corpus)
    (found,) = missed_tables(model, ASKED, record("t4"), 15)
    # Shares of 1, a third, and a half: t2 shares between t1 and t4.
    assert (found.reason, found.path) == ("shared out at hop 2", ("t0", "t1", "t2", "t4"))


def test_counts_are_means_over_runs() -> None:
    def failure(index: int, reason: str, seed: int) -> Failure:
        return Failure(index, "", f"db.t{index}", 1, reason, seed=seed)

    failures = (failure(0, NO_WAY, 0), failure(0, NO_WAY, 0), failure(1, TOO_FAR, 0), failure(0, NO_WAY, 1))
    analysis = Analysis(failures, runs=2, questions=3, hops=1, k=15)
    assert analysis.reasons == [NO_JOINS, NO_WAY, TOO_FAR, "shared out at hop 1", ANCHOR]
    assert (analysis.tables(NO_WAY), analysis.questions_with(NO_WAY)) == (1.5, 1)
    assert (analysis.tables(TOO_FAR), analysis.questions_with()) == (0.5, 1.5)
