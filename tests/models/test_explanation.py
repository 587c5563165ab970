"""A ranking explains its first tables: features, anchors, words, phrases and the path of joins."""

import pytest
import torch

from joingr_pyg.data import corpus as corpus_module
from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.models import JoinGR, heuristic
from joingr_pyg.models.explanation import matched_words
from joingr_pyg.models.joingr import backend
from joingr_pyg.models.joingr_plus import untrained
from joingr_pyg.testing.synthetic import synthetic_corpus, synthetic_questions

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


@pytest.mark.parametrize("options", [{}, {"mmr": 0.6}, {"unreached": "drop"}, {"similarity_weight": 0.5}], ids=str)
def test_large_corpora_are_explained_alike(options: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = synthetic_corpus(300, dim=16)
    torch.manual_seed(0)
    model = JoinGR(16, **options).eval().index(corpus)  # type: ignore[arg-type]
    queries = Queries(synthetic_questions(corpus, 20))
    small = model.explained(queries, 12)
    monkeypatch.setattr(backend, "LARGE_CORPUS", 0)
    monkeypatch.setattr(corpus_module, "SAMPLED_TABLES", 300)
    large = model.index(corpus).explained(queries, 12)
    assert type(small) is not type(large)
    paths = 0
    for row in range(20):
        expected = {table.table: table for table in small.explain(row, 12)}
        for table in large.explain(row, 8):
            other = expected[table.table]
            for name in ("column", "is_anchor", "is_strong_anchor", "matched_words", "phrase"):
                assert getattr(table, name) == getattr(other, name), name
            numbers = (other.score, other.similarity, other.contributions["similarity"])
            own = (table.score, table.similarity, table.contributions["similarity"])
            assert own == pytest.approx(numbers, abs=1e-5)
            assert [step[:3] for step in table.path] == [step[:3] for step in other.path]
            paths += bool(table.path)
    assert paths
