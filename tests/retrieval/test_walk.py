"""The walk of an answer, in the names of the schema."""

import pickle
from collections import defaultdict

import pytest

from joingr_pyg import TableRetriever
from joingr_pyg.data.queries import Queries
from joingr_pyg.encoders import Encoder
from joingr_pyg.kernels import kernels_available
from joingr_pyg.models import JoinGRPlus, TrainableRetriever, heuristic
from joingr_pyg.models.backend import TensorBackend
from joingr_pyg.models.joingr import backend
from joingr_pyg.models.joingr_plus import untrained
from joingr_pyg.schema.readers.ddl import read_ddl
from tests.retrieval.test_results import DDL, QUESTION


def retriever_of(encoder: Encoder, model: TrainableRetriever | None = None) -> TableRetriever:
    return TableRetriever([read_ddl(DDL, "shop")], encoder, model)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("kind", ["untrained", "heuristic", "learned"])
def test_the_walk_is_that_of_the_model(
    kind: str, large: bool, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its deposits add up to the scores that the model's own walk gives the tables."""
    if large:
        monkeypatch.setattr(backend, "LARGE_CORPUS", 0)
    models = {
        "untrained": untrained,
        "heuristic": lambda: heuristic(anchors=2, hops=3),
        "learned": lambda: JoinGRPlus(encoder.dim),
    }
    retriever = retriever_of(encoder, models[kind]())
    walk = retriever.retrieve(QUESTION, k=2).walk
    assert walk is not None
    query = Queries.encode([QUESTION], retriever.encoder)
    model = retriever.model
    output = model(query.vector, model.evidence(query))
    assert walk.hops == len(output.plan.hops)
    assert walk.num_tables == retriever.corpus.num_tables
    at_table: dict[tuple[str, str], float] = defaultdict(float)
    for laid in walk.deposits:
        at_table[laid.database, laid.frontier] += laid.deposit
        at_table[laid.database, laid.neighbor] += laid.deposit
    scores = dict(zip(retriever.corpus.tables, output.node_scores()[0].tolist(), strict=True))
    assert {table: at_table[table] for table in scores} == pytest.approx(scores, abs=1e-6)
    seed, deposit = (part[0] for part in model.seeds(model.evidence(query)))
    expected = {retriever.corpus.tables[t]: d for t, d in zip(seed.tolist(), deposit.tolist(), strict=True) if t >= 0}
    assert dict(walk.anchors) == pytest.approx(expected, abs=1e-6)


def test_steps_go_along_joins_hop_by_hop(encoder: Encoder) -> None:
    walk = retriever_of(encoder, heuristic(anchors=1, hops=2)).retrieve(QUESTION, k=2).walk
    assert walk is not None
    ((_, anchor),) = walk.anchors
    assert {laid.frontier for laid in walk.deposits if laid.hop == 1} == {anchor}
    assert sorted(laid.hop for laid in walk.deposits) == [laid.hop for laid in walk.deposits]
    for laid in walk.deposits:
        tables = {side.split(".")[0] for side in laid.join.split(" = ")}
        assert tables == {laid.frontier, laid.neighbor}
        assert laid.deposit > 0


def test_a_model_that_does_not_walk_has_none(encoder: Encoder) -> None:
    assert retriever_of(encoder, untrained(walk=False)).retrieve(QUESTION).walk is None


def test_a_part_of_an_answer_and_a_copy_have_the_same_walk(encoder: Encoder) -> None:
    retriever = retriever_of(encoder)
    result = retriever.retrieve(QUESTION, k=3)
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result
    assert copy.walk_source is None
    assert result[:1].walk is result.walk
    assert copy.walk == result.walk
    assert copy[:1].walk == result.walk


def test_the_walk_is_that_of_when_the_question_was_asked(encoder: Encoder) -> None:
    retriever = retriever_of(encoder)
    result, again = (retriever.retrieve(QUESTION, k=3) for _ in range(2))
    before = again.walk
    retriever.refresh([read_ddl("CREATE TABLE other (id INT);", "shop")])
    assert result.walk == before


@pytest.mark.skipif(not kernels_available(), reason="numba (extra 'kernels') is missing")
def test_compiled_and_tensor_walks_agree(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    retriever = retriever_of(encoder)
    compiled = retriever.retrieve(QUESTION).walk
    monkeypatch.setattr(JoinGRPlus, "fast_backend", lambda self, device: TensorBackend(self))
    tensors = retriever.retrieve(QUESTION).walk
    assert compiled is not None
    assert tensors is not None
    assert [laid.join for laid in compiled.deposits] == [laid.join for laid in tensors.deposits]
    assert [laid.deposit for laid in compiled.deposits] == pytest.approx([laid.deposit for laid in tensors.deposits])
