"""Half of the batches are on merged databases with cryptic names."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import lightning as L
import pytest
import torch
from lightning.pytorch.loggers import CSVLogger

from joingr_pyg.datasets import Demo
from joingr_pyg.datasets.gold import gold_join_numbers, gold_table_numbers
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGR, JoinGRPlus, TrainableRetriever
from joingr_pyg.training.fit import Fitted, Fitting, fit
from joingr_pyg.training.losses import TableLoss
from joingr_pyg.training.processes import SharedBatches
from joingr_pyg.training.questions import QuestionSet, QuestionViews
from joingr_pyg.training.validation import Validation
from joingr_pyg.training.warehouses import Warehouses


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Demo]:
    cache = tmp_path_factory.mktemp("cache")
    encoder = CachedEncoder(HashingEncoder(32), cache)
    return lambda **options: Demo("unused", "test", encoder, cache, **options)


@pytest.fixture(scope="module")
def demo(load: Callable[..., Demo]) -> Demo:
    return load()


@pytest.fixture(scope="module")
def warehouses(load: Callable[..., Demo]) -> Warehouses:
    return Warehouses(load(cryptic_names=True), databases=2)


def test_databases_are_merged(demo: Demo, warehouses: Warehouses) -> None:
    corpus, renamed = warehouses.merge(demo, demo.questions)
    plain, cryptic = demo.corpus(), warehouses.dataset.corpus()
    names = list(dict.fromkeys(database for database, _ in plain.tables))
    assert corpus.num_tables == plain.num_tables
    assert torch.equal(corpus.database, plain.database // 2)
    assert torch.equal(corpus.x, cryptic.x)
    assert not torch.equal(corpus.x, plain.x)
    assert corpus.tables[0][0] == f"{names[0]} + {names[1]}"
    # Tables keep their order, so gold tables keep their numbers.
    assert torch.equal(gold_table_numbers(renamed, corpus), gold_table_numbers(demo.questions, plain))
    assert torch.equal(gold_join_numbers(renamed, corpus), gold_join_numbers(demo.questions, plain))
    assert [question.text for question in renamed] == [question.text for question in demo.questions]


def test_only_databases_of_the_training_dataset_are_merged(demo: Demo, warehouses: Warehouses) -> None:
    questions = [question for question in demo.questions if question.database in ("observatory", "utility_dw")]
    corpus, renamed = warehouses.merge(demo.only({"observatory", "utility_dw"}), questions[::7])
    assert {name for name, _ in corpus.tables} == {question.database for question in renamed}
    assert len({name for name, _ in corpus.tables}) == 1


def test_merging_less_than_one_database_is_refused() -> None:
    with pytest.raises(JoinGRError, match=r"'augmentation.databases' needs to be at least 1 \(got 0\)"):
        Warehouses(None, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [JoinGR, JoinGRPlus])
def test_both_views_have_the_same_weights(kind: type[TrainableRetriever], demo: Demo, warehouses: Warehouses) -> None:
    model = kind(32).index(demo.corpus())
    queries = demo.encode_questions()[:12]
    model.remember(queries[:6], [question.gold for question in demo.questions[:6]])
    before = model.evidence(queries)
    corpus, renamed = warehouses.merge(demo, demo.questions[:12])
    other = model.bound_to(corpus).remember(queries[6:], [question.gold for question in renamed[6:]])
    assert {id(parameter) for parameter in other.parameters()} == {id(parameter) for parameter in model.parameters()}
    assert (model.corpus.tables[0], other.corpus.tables[0]) == (demo.corpus().tables[0], corpus.tables[0])
    # The evidence on the first corpus does not change when the model is bound to another one.
    after, on_warehouses = model.evidence(queries), other.evidence(queries)
    for name, value in vars(before).items():
        torch.testing.assert_close(getattr(after, name), value, atol=0, rtol=0)
    assert not torch.equal(on_warehouses.similarity, before.similarity)
    if kind is JoinGRPlus:
        votes = [bound.memory(evidence.remembered) for bound, evidence in ((model, before), (other, on_warehouses))]
        assert [scores.shape for scores in votes] == [(12, corpus.num_tables)] * 2
        assert not torch.allclose(*votes)


@pytest.mark.parametrize("processes", [1, 3])
def test_each_batch_is_on_one_corpus(demo: Demo, warehouses: Warehouses, processes: int) -> None:
    model = JoinGR(32).index(demo.corpus())
    corpus, renamed = warehouses.merge(demo, demo.questions)
    queries = demo.encode_questions()
    views = QuestionViews(
        [QuestionSet(model, demo.questions, queries), QuestionSet(model.bound_to(corpus), renamed, queries)]
    )
    shares = [SharedBatches(len(views), 8, rank, processes, seed=0, views=2) for rank in range(processes)]
    all_rows: list[int] = []
    batch_views = []
    for parts in zip(*shares, strict=True):
        batches = [views[part] for part in parts]
        assert len({batch.view for batch in batches}) == 1
        batch_views.append(batches[0].view)
        for part, batch in zip(parts, batches, strict=True):
            rows = [index - batch.view * len(views) for index in part]
            all_rows += rows
            assert torch.equal(batch.query, queries[rows].vector)
            own = batch.own_tables.sum(dim=1)
            assert torch.equal(own, views.views[batch.view][rows].own_tables.sum(dim=1))
    assert sorted(all_rows) == list(range(len(demo.questions)))
    assert 0 < sum(batch_views) < len(batch_views)


def run(folder: Path, demo: Demo, warehouses: Warehouses | None, epochs: int = 2, **options: Any) -> Fitted:
    fitted = fit(
        partial(JoinGRPlus, anchors=3, hops=2),
        demo,
        TableLoss(margin=1.0, negatives="corpus"),
        partial(L.Trainer, max_epochs=epochs, accelerator="cpu", enable_model_summary=False),
        partial(CSVLogger, name=None, version=""),
        folder,
        Fitting(batch_size=16, validation=Validation(0.1, "question")),
        warehouses=warehouses,
        **options,
    )
    assert fitted is not None
    return fitted


def test_training_on_both_corpora_changes_the_weights(demo: Demo, warehouses: Warehouses, tmp_path: Path) -> None:
    plain = run(tmp_path / "plain", demo, None).model.state_dict()
    both = run(tmp_path / "both", demo, warehouses).model.state_dict()
    assert both.keys() == plain.keys()
    assert not torch.equal(both["reranker.out.weight"], plain["reranker.out.weight"])
    # A resumed run draws the same corpora as an uninterrupted one.
    run(tmp_path / "again", demo, warehouses, epochs=1)
    again = run(tmp_path / "again", demo, warehouses, resume=tmp_path / "again" / "last.ckpt").model.state_dict()
    assert all(torch.equal(again[name], both[name]) for name in both if isinstance(both[name], torch.Tensor))
