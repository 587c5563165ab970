"""JoinGR+: prior, soft anchors, walk, fusion, reranking."""

from dataclasses import replace
from math import exp, log
from pathlib import Path

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Demo
from joingr_pyg.encoders import CachedEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGRPlus
from joingr_pyg.models.joingr_plus import Feature, TablePrior, untrained
from joingr_pyg.training.losses import TableLoss

QUESTION = torch.tensor([[1.0, 0.0]])


@pytest.fixture
def chain(make_corpus) -> Corpus:
    """t0 - t1 - t2, and t3 alone; a table's own vector is that of its only column."""
    return make_corpus([[[0.8, 0.6]], [[0.6, 0.8]], [[0.0, 1.0]], [[0.28, 0.96]]], joins=[(0, 1), (1, 2)])


def test_the_prior_is_the_weighted_sum() -> None:
    features = {
        Feature.SIMILARITY: torch.tensor([[0.8, 0.2]]),
        Feature.TABLE_SIMILARITY: torch.tensor([[0.4, 0.6]]),
        Feature.WORDS: torch.tensor([[0.0, 2.0]]),
        Feature.VOTES: torch.tensor([[0.5, 0.0]]),
        Feature.PHRASE: torch.tensor([[0.0, 0.7]]),
    }
    prior = TablePrior(table_vector=0.25, lexical=0.1, memory=0.4, phrases=0.5)
    expected = [0.75 * 0.8 + 0.25 * 0.4 + 0.4 * 0.5, 0.75 * 0.2 + 0.25 * 0.6 + 0.1 * 2 + 0.5 * 0.7]
    assert prior(features).tolist() == [pytest.approx(expected)]
    assert {term: value.tolist() for term, value in prior.terms(features).items()} == {
        "similarity": [pytest.approx([0.75 * 0.8 + 0.25 * 0.4, 0.75 * 0.2 + 0.25 * 0.6])],
        "words": [pytest.approx([0, 0.1 * 2])],
        "votes": [pytest.approx([0.4 * 0.5, 0])],
        "phrases": [pytest.approx([0, 0.5 * 0.7])],
    }
    weighted = sum(weight * features[feature] for feature, weight in prior.weights().items())
    assert weighted.tolist() == [pytest.approx(expected)]
    similarity_alone = TablePrior(None, lexical=None, memory=None, phrases=None)
    assert list(similarity_alone.terms(features)) == ["similarity"]
    assert similarity_alone(features).tolist() == [pytest.approx([0.8, 0.2])]
    assert not list(similarity_alone.parameters())


def test_the_untrained_score_worked_by_hand(chain: Corpus) -> None:
    model = (
        untrained(anchors=2, hops=2, lexical=None, phrases=None, sharpness=5.0, prior_weight=3.0).eval().index(chain)
    )
    evidence = model.evidence(Queries(QUESTION))
    table, deposit = model.seeds(evidence)
    assert table.tolist() == [[0, 1]]
    share = exp(5 * 0.8) / (exp(5 * 0.8) + exp(5 * 0.6))
    assert deposit.tolist() == [pytest.approx([share, 1 - share])]
    # From t0: half to t1; half of that, divided by t1's two joins. From t1: a quarter on each join; t0 and t2 each
    # hand half of it back along their only join.
    first, second = share, 1 - share
    joins = [first / 2 + first / 8 + second / 4 + second / 8, first / 8 + second / 4 + second / 8]
    output = model(QUESTION, evidence)
    assert output.edge_deposits().tolist() == [pytest.approx(joins)]
    nodes = [joins[0], joins[0] + joins[1], joins[1], 0.0]
    expected = [log(node + exp(-4)) + 3 * s for node, s in zip(nodes, [0.8, 0.6, 0.0, 0.28], strict=True)]
    assert model.scores(output, evidence).tolist() == [pytest.approx(expected)]
    ranking = model.rank(Queries(QUESTION), 4)
    order = sorted(range(4), key=lambda number: -expected[number])
    assert ranking.table.tolist() == [order]
    assert ranking.score.tolist() == [pytest.approx([expected[number] for number in order])]


def test_without_the_walk_the_prior_ranks(chain: Corpus) -> None:
    model = untrained(walk=False, lexical=None, phrases=None).eval().index(chain)
    assert model.rank(Queries(QUESTION), 4).table.tolist() == [[0, 1, 3, 2]]


def test_a_remembered_question_speaks_for_its_tables(chain: Corpus) -> None:
    model = untrained(lexical=None, phrases=None).eval().index(chain)
    before = model.rank(Queries(QUESTION), 4)
    assert before.table[0, -1] == 3
    model.remember(Queries(QUESTION), [[("db", "t3")]])
    after = model.rank(Queries(QUESTION), 4)
    assert after.table[0].tolist().index(3) < 3
    # What is remembered is replaced, and may be what was needed elsewhere.
    model.remember(Queries(QUESTION), [[("elsewhere", "t3")]])
    assert torch.equal(model.rank(Queries(QUESTION), 4).score, before.score)


def test_memory_may_be_left_out(chain: Corpus) -> None:
    model = untrained(lexical=None, memory=None, phrases=None).eval().index(chain)
    before = model.rank(Queries(QUESTION), 4)
    model.remember(Queries(QUESTION), [[("db", "t3")]])
    assert torch.equal(model.rank(Queries(QUESTION), 4).score, before.score)


def test_word_matches_need_words(chain: Corpus) -> None:
    with pytest.raises(JoinGRError, match="Method 'joingr_plus' reads the words of a question"):
        untrained().index(chain).rank(Queries(QUESTION), 1)


def test_phrases_need_an_encoder(chain: Corpus) -> None:
    with pytest.raises(JoinGRError, match="Method 'joingr_plus' embeds parts of a question"):
        untrained(lexical=None).index(chain).rank(Queries(QUESTION, ("Dogs of France",)), 1)


def test_a_word_in_common_speaks_for_a_table(chain: Corpus) -> None:
    model = untrained(phrases=None).eval().index(chain)
    alone, named = (model.rank(Queries(QUESTION, (text,)), 4) for text in ("Which?", "Which t3?"))
    assert named.score[0, named.table[0].tolist().index(3)] > alone.score[0, alone.table[0].tolist().index(3)]
    assert [(word, (score > 0).tolist()) for word, score in model.word_scores("Which t3?").items()] == [
        ("t3", [False, False, False, True])
    ]
    assert untrained(lexical=None, phrases=None).index(chain).word_scores("Which t3?") == {}


def test_a_word_matches_what_it_is_abbreviated_to(chain: Corpus) -> None:
    names = ("OUTG_EVT", "feeders", "FDR", "CUST_ADDR")
    corpus = replace(chain, documents=names, titles=names)
    asked = "Which customers had outages, on which feeder?"
    found = {}
    for abbreviations in (True, False):
        model = untrained(phrases=None, abbreviations=abbreviations).index(corpus)
        found[abbreviations] = {word: (score > 0).tolist() for word, score in model.word_scores(asked).items()}
    assert found[True] == {
        "customers": [False, False, False, True],
        "outages": [True, False, False, False],
        "feeder": [False, True, True, False],
    }
    assert found[False] == {
        "customers": [False] * 4,
        "outages": [False] * 4,
        "feeder": [False, True, False, False],
    }


@pytest.mark.parametrize(
    "left_out",
    [
        *({}, {"rank": 0}, {"memory": None}, {"lexical": None}),
        *({"table_vector": None}, {"phrases": None}, {"candidates": None}),
    ],
)
def test_every_parameter_learns(tmp_path: Path, encoder: CachedEncoder, left_out: dict[str, int | None]) -> None:
    demo = Demo(tmp_path, "train", encoder, tmp_path)
    model = JoinGRPlus(64, anchors=3, hops=2, **left_out).index(demo.corpus())
    if model.reranker is not None:
        torch.nn.init.ones_(model.reranker.out.weight)  # At its start it passes nothing on.
    queries, gold = demo.encode_questions(), [question.gold for question in demo.questions]
    model.remember(queries, gold)
    some = queries[::20]
    evidence = model.evidence(some)
    wanted = torch.zeros(len(some), model.corpus.num_tables, dtype=torch.bool)
    for row, tables in enumerate(gold[::20]):
        wanted[row, [model.corpus.table_number[table] for table in tables]] = True
    TableLoss(1.0, "corpus")(model.scores(model(some.vector, evidence), evidence), wanted).backward()
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            assert parameter.grad is not None, name
            assert parameter.grad.abs().sum() > 0, name


def test_a_step_computes_every_part_once(chain: Corpus) -> None:
    model = JoinGRPlus(2, phrases=None).index(chain)
    queries = Queries(QUESTION, ("Which t3?",))
    model.remember(queries, [[("db", "t3")]])
    calls: list[torch.nn.Module] = []
    for part in (model.memory, model.prior, model.scorer, model.reranker):
        part.register_forward_hook(lambda module, *_: calls.append(module))
    evidence = model.evidence(queries)
    model.scores(model(QUESTION, evidence), evidence)
    assert calls == [model.memory, model.prior, model.scorer, model.reranker]


def test_batches_equal_one_by_one(tmp_path: Path, encoder: CachedEncoder) -> None:
    demo = Demo(tmp_path, "test", encoder, tmp_path)
    torch.manual_seed(0)
    model = JoinGRPlus(64).eval().index(demo.corpus())
    queries = demo.encode_questions()[::15]
    model.remember(queries[:5], [question.gold for question in demo.questions[::15][:5]])
    together = model.rank(queries, 15)
    for row, single in enumerate(queries.split(1)):
        alone = model.rank(single, 15)
        torch.testing.assert_close(alone.score[0], together.score[row], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"anchors": 0}, "'anchors' needs to be at least 1"),
        ({"rank": -1}, "'rank' needs to be at least 0"),
        ({"candidates": 0}, "'candidates' needs to be at least 1"),
        ({"decay": 1.0}, "'decay' needs to be above 0 and below 1"),
        ({"table_vector": 1.5}, "'table_vector' needs to be above 0 and below 1"),
        ({"sharpness": 0.0}, "'sharpness' needs to be above 0"),
    ],
)
def test_bad_arguments_are_refused(wrong: dict[str, float], what: str) -> None:
    with pytest.raises(JoinGRError, match=what):
        JoinGRPlus(8, **wrong)
