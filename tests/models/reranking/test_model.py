"""The reranked model, with weights drawn at random, on the demo."""

import numpy as np
import pytest
import torch

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Demo
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.models.backend import TensorBackend
from joingr_pyg.models.checkpoint import make_model
from joingr_pyg.models.joingr_plus import untrained
from joingr_pyg.models.reranking import RerankedJoinGRPlus, default_model, pretrained
from joingr_pyg.models.reranking.model import RerankingBackend
from joingr_pyg.models.reranking.reranker import CANDIDATES


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    cache = tmp_path_factory.mktemp("cache")
    return Demo("unused", "test", CachedEncoder(HashingEncoder(64), cache), cache)


@pytest.fixture(scope="module")
def queries(demo: Demo) -> Queries:
    return demo.encode_questions()[::17]


@pytest.fixture(scope="module")
def model(demo: Demo) -> RerankedJoinGRPlus:
    torch.manual_seed(0)
    model = RerankedJoinGRPlus(8).eval()
    with torch.no_grad():
        for parameter in model.table_reranker.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return model.index(demo.corpus())


def test_candidates_are_ranked_once_more_and_the_others_follow(
    demo: Demo, queries: Queries, model: RerankedJoinGRPlus
) -> None:
    everything = demo.corpus().num_tables
    assert everything > CANDIDATES
    before = untrained().eval().index(demo.corpus()).rank(queries, everything)
    after = model.rank(queries, everything)
    for first, second in zip(before.table.tolist(), after.table.tolist(), strict=True):
        assert set(first[:CANDIDATES]) == set(second[:CANDIDATES])
        assert first[CANDIDATES:] == second[CANDIDATES:]
        assert first[:CANDIDATES] != second[:CANDIDATES]
    assert (after.score.diff(dim=1) <= 0).all()
    np.testing.assert_allclose(
        after.score[:, CANDIDATES:].diff(dim=1), before.score[:, CANDIDATES:].diff(dim=1), atol=1e-4
    )


def test_scores_are_those_of_the_networks(queries: Queries, model: RerankedJoinGRPlus) -> None:
    first = super(RerankedJoinGRPlus, model).backend(torch.device("cpu")).explained(queries[:1], CANDIDATES)
    (candidates,) = model.candidates(queries[:1], first)
    score = model.table_reranker(candidates)
    ranking = model.rank(queries[:1], 5)
    order = np.argsort(-score, kind="stable")[:5]
    assert ranking.table[0].tolist() == candidates.table[order].tolist()
    np.testing.assert_allclose(ranking.score[0], score[order])


def test_rank_explained_and_one_question_at_a_time_agree(queries: Queries, model: RerankedJoinGRPlus) -> None:
    ranking, explained = model.rank(queries, 7), model.explained(queries, 7)
    assert torch.equal(ranking.table, explained.ranking.table)
    for row in range(len(queries)):
        assert [table.table for table in explained.explain(row, 7)] == ranking.table[row].tolist()
        assert torch.equal(model.rank(queries[[row]], 7).table[0], ranking.table[row])


def test_tensors_and_compiled_code_agree(queries: Queries, model: RerankedJoinGRPlus) -> None:
    pytest.importorskip("numba")
    tensors = RerankingBackend(TensorBackend(model), model).rank(queries, 7)
    compiled = model.rank(queries, 7)
    np.testing.assert_allclose(tensors.score, compiled.score, atol=1e-3)


def test_a_model_made_of_its_arguments_and_weights_ranks_alike(
    demo: Demo, queries: Queries, model: RerankedJoinGRPlus
) -> None:
    other = make_model(model.kind, model.arguments, model.state_dict(), None).index(demo.corpus())
    assert torch.equal(other.rank(queries, 9).table, model.rank(queries, 9).table)


def test_another_corpus(demo: Demo, queries: Queries, model: RerankedJoinGRPlus) -> None:
    database = demo.databases[0].name
    part = model.bound_to(demo.corpus(database))
    assert part.rank(queries, 5).table.max() < len(demo.databases[0].tables)
    assert model.corpus.num_tables == demo.corpus().num_tables


def test_the_packaged_model_is_the_default_of_the_encoder_it_was_trained_with() -> None:
    model = pretrained()
    assert model.calibration is not None
    assert not model.training
    assert not any(parameter.requires_grad for parameter in model.parameters())
    from joingr_pyg.encoders import MiniLMEncoder

    assert isinstance(default_model(MiniLMEncoder().identity), RerankedJoinGRPlus)
    assert not isinstance(default_model("another"), RerankedJoinGRPlus)
