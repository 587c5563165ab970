"""A ranking explains its first tables: features, anchors, words, phrases and the path of joins."""

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.models import JoinGR, heuristic
from joingr_pyg.models.explanation import matched_words
from joingr_pyg.models.joingr_plus import untrained

QUESTION = Queries(torch.tensor([[1.0, 0.0]]), ("Which t0?",))


@pytest.fixture
def chain(make_corpus) -> Corpus:
    """t0 – t1 – t2, and t3 alone."""
    return make_corpus([[[0.8, 0.6]], [[0.1, 0.9], [0.6, 0.8]], [[0.0, 1.0]], [[0.28, 0.96]]], joins=[(0, 1), (1, 3)])


@pytest.mark.parametrize("model", [heuristic(anchors=1, hops=2), untrained(anchors=1, hops=2, phrases=None)], ids=type)
def test_a_chain_explained_by_hand(chain: Corpus, model: JoinGR) -> None:
    ranked = model.eval().index(chain).explained(QUESTION, 4)
    direct = model.rank(QUESTION, 4)
    assert torch.equal(ranked.ranking.table, direct.table)
    torch.testing.assert_close(ranked.ranking.score, direct.score)
    found = {table.table: table for table in ranked.explain(0, 3)}
    assert [*found] == ranked.ranking.table[0, :3].tolist()
    assert (found[0].is_anchor, found[0].path) == (True, ())
    assert (found[1].is_anchor, [step.frontier for step in found[1].path]) == (False, [0])
    assert found[1].column == 2
    assert found[1].similarity == pytest.approx(0.6)
    assert [table.score for table in found.values()] == pytest.approx(direct.score[0, :3].tolist())


def test_contributions_are_differences_from_the_median(chain: Corpus) -> None:
    model = heuristic(anchors=1).eval().index(chain)
    contributions = {table.table: table.contributions for table in model.explained(QUESTION, 2).explain(0, 2)}
    # Similarities are .8, .6, 0 and .28; torch takes the lower of two middle values as the median.
    assert contributions == {0: {"similarity": pytest.approx(0.52)}, 1: {"similarity": pytest.approx(0.32)}}


def test_words_with_a_score_come_highest_first() -> None:
    assert matched_words({"of": 0.0, "river": 0.5, "length": 1.5}) == ("length", "river")


def test_empty_places_are_not_explained(chain: Corpus) -> None:
    ranked = heuristic(anchors=1, hops=1, unreached="drop").eval().index(chain).explained(QUESTION, 4)
    assert ranked.ranking.table.tolist() == [[0, 1, -1, -1]]
    assert len(ranked.explain(0, 4)) == 2
