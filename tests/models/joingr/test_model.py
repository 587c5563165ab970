import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Demo, build_graphs
from joingr_pyg.datasets.demo import read_demo
from joingr_pyg.encoders import Encoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGR, Ranking, Vanilla, WalkEvidence, heuristic
from joingr_pyg.models.joingr import backend
from joingr_pyg.testing.algorithm2 import literal_scores, literal_walk
from joingr_pyg.training.losses import TableLoss

MakeCorpus = Callable[..., Corpus]


@pytest.fixture
def chain(make_corpus: MakeCorpus) -> Corpus:
    """t0 – t1 – t2 joined in a chain, and t3 and t4 on their own; (1, 0, 0) has cosines 0.8, 0.6, 0, 0.28 and 0.5."""
    tables = [[[0.8, 0.6, 0.0]], [[0.6, 0.0, 0.8]], [[0.0, 1.0, 0.0]], [[0.28, 0.96, 0.0]], [[0.5, 0.5, 0.5**0.5]]]
    return make_corpus(tables, joins=[(0, 1), (2, 1)])


QUESTION = torch.tensor([[1.0, 0.0, 0.0]])


def ranked(ranking: Ranking) -> tuple[list[int], list[float]]:
    return ranking.table[0].tolist(), ranking.score[0].tolist()


def test_a_walk_by_hand(chain: Corpus) -> None:
    # From t0, which is 0.8 alike. Hop 1: its one join gets 0.8 * 0.5. Hop 2: both joins of t1 get 0.4 * 0.5 * 0.5.
    model = heuristic(anchors=1, hops=2).index(chain)
    output = model(QUESTION, model.evidence(Queries(QUESTION)))
    assert output.edge_deposits().tolist() == [[pytest.approx(0.5), pytest.approx(0.1)]]
    assert model.scores(output, model.evidence(Queries(QUESTION))).tolist() == [
        [pytest.approx(0.5), pytest.approx(0.6), pytest.approx(0.1), 0.0, 0.0]
    ]


def test_what_no_deposit_reaches_comes_behind_by_similarity(chain: Corpus) -> None:
    table, score = ranked(heuristic(anchors=1, hops=2).index(chain).rank(Queries(QUESTION), 5))
    assert table == [1, 0, 2, 4, 3]
    assert score == pytest.approx([0.6, 0.5, 0.1, 0.5 - 1, 0.28 - 1])


def test_what_no_deposit_reaches_is_left_out_on_request(chain: Corpus) -> None:
    table, score = ranked(heuristic(anchors=1, hops=2, unreached="drop").index(chain).rank(Queries(QUESTION), 5))
    assert table == [1, 0, 2, -1, -1]
    assert score == [pytest.approx(0.6), pytest.approx(0.5), pytest.approx(0.1), -torch.inf, -torch.inf]


def test_the_similarity_adds_to_the_score(chain: Corpus) -> None:
    # 0.5 + 0.8, 0.6 + 0.6, 0.1 + 0, 0 + 0.28, 0 + 0.5
    table, score = ranked(heuristic(anchors=1, hops=2, similarity_weight=1.0).index(chain).rank(Queries(QUESTION), 5))
    assert table == [0, 1, 4, 3, 2]
    assert score == pytest.approx([1.3, 1.2, 0.5, 0.28, 0.1])


def test_an_anchor_without_joins_comes_behind_what_others_reach(chain: Corpus) -> None:
    question = torch.tensor([[0.28, 0.96, 0.0]])  # t3 itself; then t2 0.96, t0 0.8
    model = heuristic(anchors=2, hops=1).index(chain)
    assert model.select_anchors(question).table.tolist() == [[3, 2]]
    table, score = ranked(model.rank(Queries(question), 5))
    assert table[:2] == [1, 2]  # both ends of the join out of t2, the first by number
    assert table[2] == 3
    assert score[:3] == pytest.approx([0.48, 0.48, 0.0], abs=1e-6)
    assert score[2] <= 0


def test_two_anchors_add_up(chain: Corpus) -> None:
    # From t0 as above; from t1 with 0.6: each of its joins gets 0.6 * 0.5 / 2, which moves on and comes back:
    # from t0 and from t2 0.15 * 0.5 on their only joins.
    model = heuristic(anchors=2, hops=2).index(chain)
    deposits = model(QUESTION, model.evidence(Queries(QUESTION))).edge_deposits()
    assert deposits.tolist() == [[pytest.approx(0.5 + 0.225), pytest.approx(0.1 + 0.225)]]


def test_negative_cosines_start_no_walk_and_rank_by_similarity(chain: Corpus) -> None:
    question = -QUESTION
    model = heuristic(anchors=5).index(chain)
    evidence = model.evidence(Queries(question))
    assert evidence.anchor.tolist() == [[2, 3, 4, 1, 0]]
    assert (evidence.deposit == 0).all()
    assert not model(question, evidence).node_scores().any()
    assert (
        ranked(model.rank(Queries(question), 5))[0]
        == ranked(Vanilla().index(chain).rank(Queries(question), 5))[0]
        == [2, 3, 4, 1, 0]
    )


def test_equal_scores_go_by_table_number(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus([[[0.0, 1.0]], [[1.0, 0.0]], [[0.0, 1.0]], [[0.0, 1.0]]], joins=[(3, 1), (2, 1), (1, 0)])
    table, _ = ranked(heuristic(anchors=1, hops=1).index(corpus).rank(Queries(torch.tensor([[1.0, 0.0]])), 4))
    assert table == [1, 0, 2, 3]


@pytest.mark.parametrize("make", [Vanilla, heuristic, lambda: JoinGR(3), lambda: heuristic(mmr=0.5)])
def test_more_tables_than_there_are_leave_places_empty(make: Callable[[], Any], make_corpus: MakeCorpus) -> None:
    corpus = make_corpus([[[1.0, 0.0, 0.0], [0.6, 0.8, 0.0]], [[0.0, 0.6, 0.8]]], joins=[(2, 0)])
    ranking = make().eval().index(corpus).rank(Queries(torch.eye(3)[:2]), 7)
    assert ranking.table.shape == ranking.score.shape == (2, 7)
    assert [sorted(row[:2]) for row in ranking.table.tolist()] == [[0, 1], [0, 1]]
    assert (ranking.table[:, 2:] == -1).all()
    assert (ranking.score[:, 2:] == -torch.inf).all()
    assert (ranking.score[:, :1] >= ranking.score[:, 1:2]).all()
    assert make().eval().index(corpus).rank(Queries(torch.empty(0, 3)), 7).table.shape == (0, 7)


@pytest.mark.parametrize("make", [Vanilla, heuristic])
def test_less_than_one_table_is_refused(make: Callable[[], Any], chain: Corpus) -> None:
    with pytest.raises(JoinGRError, match=r"K needs to be at least 1 \(got 0\)"):
        make().index(chain).rank(Queries(QUESTION), 0)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"anchors": 0}, r"'anchors' needs to be at least 1 \(got 0\)"),
        ({"hops": 0}, r"'hops' needs to be at least 1 \(got 0\)"),
        ({"hops": -2}, r"'hops' needs to be at least 1 \(got -2\)"),
        ({"hidden_channels": 0}, r"'hidden_channels' needs to be at least 1"),
        ({"mmr": 1.5}, r"'mmr' needs to lie between 0 and 1 \(got 1.5\)"),
        ({"dropout": -0.1}, r"'dropout' needs to lie between 0 and 1 \(got -0.1\)"),
        ({"decay": 1.0}, r"'decay' needs to be above 0 and below 1 \(got 1.0\)"),
        ({"decay": 0}, r"'decay' needs to be above 0 and below 1 \(got 0\)"),
        ({"unreached": "last"}, r"'unreached' needs to be 'behind' or 'drop' \(got 'last'\)"),
    ],
)
def test_an_argument_out_of_its_range_is_refused(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(JoinGRError, match=told):
        JoinGR(8, **arguments)


def test_the_heuristic_learns_nothing_and_the_model_its_scorer_and_decays() -> None:
    assert [p for p in heuristic().parameters() if p.requires_grad] == []
    learned = {name for name, parameter in JoinGR(8).named_parameters() if parameter.requires_grad}
    assert learned == {
        "walk.decay_logit",
        *(f"walk.scorer.{layer}.{part}" for layer in ("input", "norm", "output") for part in ("weight", "bias")),
    }


def test_its_arguments_make_it_again() -> None:
    model = JoinGR(8, 3, 2, 16, 0.1, 0.4, 0.9, "drop", 0.5)
    again = JoinGR(**model.arguments)
    assert again.arguments == model.arguments
    assert (again.anchors, again.walk.hops, again.mmr, again.unreached, again.similarity_weight) == (
        3,
        2,
        0.9,
        "drop",
        0.5,
    )
    again.load_state_dict(model.state_dict())


@pytest.fixture(scope="module")
def vet_clinic(encoder: Encoder) -> Corpus:
    return Corpus.from_graphs(
        build_graphs([each for each in read_demo("train").databases if each.name == "vet_clinic"], encoder)
    )


QUESTIONS = [
    "Which owners have a dog that was vaccinated twice?",
    "How much did each clinic earn from surgery?",
    "List the vets and the animals they treated.",
    "哪个部门预算最高？",
]


def literally(model: JoinGR, corpus: Corpus, query: Tensor, evidence: WalkEvidence) -> Tensor:
    """Scores by Algorithm 2 word for word."""
    scores = []
    for each in range(query.size(0)):
        deposits = literal_walk(
            model.walk,
            query[each],
            corpus.x[evidence.column[each]],
            corpus.edge_index,
            corpus.edge_attr,
            {
                anchor: deposit
                for anchor, deposit in zip(evidence.anchor[each].tolist(), evidence.deposit[each], strict=True)
                if anchor >= 0
            },
        )
        scores.append(literal_scores(deposits, corpus.edge_index, corpus.num_tables))
    return torch.stack(scores)


def trained() -> JoinGR:
    """A scorer far from its first weights, so that shares are far from uniform."""
    torch.manual_seed(7)
    model = JoinGR(64, anchors=4, hops=4)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter))
    return model.eval()


@pytest.mark.parametrize(
    "make", [trained, lambda: heuristic(anchors=4, hops=4), lambda: heuristic(anchors=50, mmr=0.5)]
)
@torch.no_grad()
def test_scores_are_those_of_the_literal_algorithm(
    make: Callable[[], JoinGR], vet_clinic: Corpus, encoder: Encoder
) -> None:
    model = make().index(vet_clinic)
    query = encoder.encode_queries(QUESTIONS)
    evidence = model.evidence(Queries(query))
    expected = literally(model, vet_clinic, query, evidence)
    scores = model.scores(model(query, evidence), evidence)
    assert torch.allclose(scores, expected, atol=1e-5, rtol=0)
    assert scores.max() > 0.3
    # A second time over kept plans and projections, and each question alone.
    assert torch.equal(model.scores(model(query, evidence), evidence), scores)
    alone = torch.cat(
        [model.scores(model(q, e), e) for q, e in ((query[i : i + 1], evidence[torch.tensor([i])]) for i in range(4))]
    )
    assert torch.allclose(alone, scores, atol=1e-6)


def test_evidence_is_anchors_similarities_and_best_columns(vet_clinic: Corpus, encoder: Encoder) -> None:
    query = encoder.encode_queries(QUESTIONS)
    evidence = heuristic(anchors=3).index(vet_clinic).evidence(Queries(query))
    similarity, column = vet_clinic.similarity(query)
    assert torch.equal(evidence.similarity, similarity)
    assert torch.equal(evidence.column, column)
    assert torch.equal(evidence.anchor, similarity.argsort(dim=1, descending=True, stable=True)[:, :3])
    assert torch.allclose(evidence.deposit, similarity.gather(1, evidence.anchor))
    part = evidence[torch.tensor([2, 0])].to("cpu")
    assert torch.equal(part.anchor, evidence.anchor[[2, 0]])
    assert torch.equal(part.column, evidence.column[[2, 0]])


def test_vanilla_ranks_by_similarity(vet_clinic: Corpus, encoder: Encoder) -> None:
    query = encoder.encode_queries(QUESTIONS)
    similarity, _ = vet_clinic.similarity(query)
    ranking = Vanilla().index(vet_clinic).rank(Queries(query), vet_clinic.num_tables)
    assert torch.allclose(ranking.score, similarity.sort(dim=1, descending=True).values)
    assert torch.allclose(similarity.gather(1, ranking.table), ranking.score)


def fresh(model: JoinGR, corpus: Corpus) -> JoinGR:
    """The same weights in a model that has never ranked."""
    other = JoinGR(**model.arguments)
    other.load_state_dict(model.state_dict())
    return other.eval().index(corpus)


def assert_up_to_date(model: JoinGR, corpus: Corpus, query: Tensor) -> None:
    assert torch.equal(model.rank(Queries(query), 9).score, fresh(model, corpus).rank(Queries(query), 9).score)


def step(model: JoinGR, query: Tensor) -> None:
    """One large step of an optimiser."""
    optimizer = torch.optim.SGD(model.parameters(), lr=10.0)
    evidence = model.evidence(Queries(query))
    scores = model.scores(model(query, evidence), evidence)
    TableLoss(1.0)(scores, scores < scores.median(dim=1, keepdim=True).values).backward()
    optimizer.step()


@pytest.fixture(params=["compiled", "tensors"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to walk without gradients; each keeps what it makes of the weights."""
    if request.param == "compiled":
        pytest.importorskip("numba")
    else:
        monkeypatch.setattr(backend, "kernels_available", lambda: False)
    return request.param


@pytest.mark.usefixtures("way")
def test_kept_projections_never_outlive_the_weights(vet_clinic: Corpus, encoder: Encoder) -> None:
    query = encoder.encode_queries(QUESTIONS)
    model = trained().index(vet_clinic)
    before = model.rank(Queries(query), 9).score
    model.train()
    step(model, query)
    model.eval()
    assert not torch.allclose(model.rank(Queries(query), 9).score, before)
    assert_up_to_date(model, vet_clinic, query)
    model.load_state_dict(trained().state_dict())
    assert torch.equal(model.rank(Queries(query), 9).score, before)


@pytest.mark.usefixtures("way")
def test_weights_loaded_into_a_module_around_it_count_too(vet_clinic: Corpus, encoder: Encoder) -> None:
    query = encoder.encode_queries(QUESTIONS)
    model = JoinGR(64, 4, 4).eval().index(vet_clinic)
    around = torch.nn.ModuleDict({"model": model})
    before = model.rank(Queries(query), 9).score
    around.load_state_dict({f"model.{name}": value for name, value in trained().state_dict().items()})
    assert not torch.allclose(model.rank(Queries(query), 9).score, before)
    assert_up_to_date(model, vet_clinic, query)


@pytest.mark.usefixtures("way")
def test_ranking_while_training_is_never_stale(vet_clinic: Corpus, encoder: Encoder) -> None:
    """No change of mode tells that the weights moved."""
    query = encoder.encode_queries(QUESTIONS)
    model = JoinGR(64, 4, 4, dropout=0.0).index(vet_clinic)
    assert model.training
    for _ in range(2):
        assert torch.allclose(
            model.rank(Queries(query), 9).score, fresh(model, vet_clinic).rank(Queries(query), 9).score, atol=1e-5
        )
        step(model, query)


@pytest.mark.usefixtures("way")
def test_kept_projections_never_outlive_the_corpus(vet_clinic: Corpus, encoder: Encoder) -> None:
    query = encoder.encode_queries(QUESTIONS)
    model = trained().index(vet_clinic)
    model.rank(Queries(query), 9)
    vineyard = [each for each in read_demo("train").databases if each.name == "vineyard"]
    other = Corpus.from_graphs(build_graphs(vineyard, encoder))
    assert_up_to_date(model.index(other), other, query)


@pytest.mark.usefixtures("way")
def test_gradients_reach_every_weight_also_after_ranking(vet_clinic: Corpus, encoder: Encoder) -> None:
    """In evaluation mode too, where ranking keeps projections without gradients."""
    query = encoder.encode_queries(QUESTIONS)
    model, untouched = trained().index(vet_clinic), trained().index(vet_clinic)
    model.rank(Queries(query), 9)
    for each in (model, untouched):
        evidence = each.evidence(Queries(query))
        each.scores(each(query, evidence), evidence).square().sum().backward()
    for (name, after), (_, expected) in zip(model.named_parameters(), untouched.named_parameters(), strict=True):
        assert after.grad is not None, name
        assert after.grad.any() or name == "walk.scorer.output.bias", name  # a softmax cancels a common bias
        assert torch.equal(after.grad, expected.grad), name


@pytest.mark.usefixtures("way")
def test_a_model_travels_to_another_process(vet_clinic: Corpus, encoder: Encoder) -> None:
    query = encoder.encode_queries(QUESTIONS)
    model = trained().index(vet_clinic)
    expected = model.rank(Queries(query), 9)
    travelled = pickle.loads(pickle.dumps(model))
    assert torch.equal(travelled.rank(Queries(query), 9).table, expected.table)
    assert torch.equal(travelled.rank(Queries(query), 9).score, expected.score)


def test_the_datasets_of_the_demo_rank_whole(encoder: Encoder, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every table of the pool has exactly one place."""
    demo = Demo("", "test", encoder, tmp_path_factory.mktemp("demo"))
    corpus = demo.corpus()
    ranking = heuristic().index(corpus).rank(demo.encode_questions()[:20], corpus.num_tables)
    assert ranking.table.sort(dim=1).values.tolist() == [list(range(corpus.num_tables))] * 20
    assert (ranking.score.diff(dim=1) <= 0).all()
