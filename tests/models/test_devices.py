"""Models learn where their questions are, with the corpus left on the CPU."""

import copy

import pytest
import torch
from torch.fx.experimental import _config

from joingr_pyg.datasets import Demo
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.models import JoinGR, JoinGRPlus, TrainableRetriever
from joingr_pyg.training.losses import TableLoss
from joingr_pyg.training.questions import QuestionSet


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    cache = tmp_path_factory.mktemp("cache")
    return Demo("unused", "test", CachedEncoder(HashingEncoder(32), cache), cache)


DEVICES = ["meta", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here"))]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", [JoinGR, JoinGRPlus])
# There are as many anchors as were asked for.
@_config.patch("meta_nonzero_assume_all_nonzero", True)
def test_a_step_on_another_device(kind: type[TrainableRetriever], device: str, demo: Demo) -> None:
    """``meta`` has no numbers, but refuses operations over two devices as any other does."""
    model = kind(32).index(demo.corpus())
    queries = demo.encode_questions()[:40]
    model.remember(queries, [question.gold for question in demo.questions[:40]])
    batch = QuestionSet(model, demo.questions[:40], queries)[list(range(8))]
    loss = TableLoss(margin=1.0, negatives="corpus")
    here = model(batch.query, batch.evidence)
    expected = loss(model.scores(here, batch.evidence), batch.gold_tables, batch.own_tables)

    there = copy.deepcopy(model).to(device)
    query, evidence = batch.query.to(device), batch.evidence.to(device)
    there.planner = lambda *_: here.plan
    score = there.scores(there(query, evidence), evidence)
    assert score.device.type == device
    if device == "meta":  # The loss picks its pairs by their values.
        (score * batch.gold_tables.to(device)).sum().backward()
    else:
        found = loss(score, batch.gold_tables.to(device), batch.own_tables.to(device))
        torch.testing.assert_close(found.cpu(), expected)
        found.backward()
    learned = [parameter for parameter in there.parameters() if parameter.requires_grad]
    assert {parameter.grad.device.type for parameter in learned if parameter.grad is not None} == {device}
