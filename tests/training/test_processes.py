from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from lightning.pytorch.utilities import rank_zero_only

from joingr_pyg.datasets import Beaver
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGR
from joingr_pyg.training.losses import EdgeLoss, TableLoss
from joingr_pyg.training.module import Optimization, RetrievalModule
from joingr_pyg.training.processes import SharedBatches, is_rank_zero, require_startable
from joingr_pyg.training.questions import QuestionSet


@given(
    questions=st.integers(1, 60),
    batch_size=st.integers(1, 9),
    processes=st.integers(1, 5),
    seed=st.none() | st.integers(0, 3),
    epoch=st.integers(0, 3),
)
def test_processes_share_the_batches_of_one(
    questions: int, batch_size: int, processes: int, seed: int | None, epoch: int
) -> None:
    one = SharedBatches(questions, batch_size * processes, seed=seed)
    shares = [SharedBatches(questions, batch_size, rank, processes, seed) for rank in range(processes)]
    for batches in (one, *shares):
        batches.set_epoch(epoch)
        assert len(list(batches)) == len(batches) == len(one)
    for whole, *parts in zip(one, *shares, strict=True):
        assert sorted(question for part in parts for question in part) == sorted(whole)
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
        assert max(map(len, parts)) <= batch_size
    assert sorted(question for batch in one for question in batch) == list(range(questions))


def test_the_order_changes_every_epoch() -> None:
    batches = SharedBatches(20, 20, seed=0)
    (first,) = batches
    batches.set_epoch(1)
    (second,) = batches
    assert first != second
    assert list(SharedBatches(5, 2)) == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("loss", [TableLoss, EdgeLoss])
def test_a_batch_may_be_empty(tiny: Beaver, loss: type[TableLoss]) -> None:
    """Its loss is 0, and each weight has gradient 0: the other processes wait for its gradients."""
    model = JoinGR(16, anchors=2, hops=2, hidden_channels=8).index(tiny.corpus())
    module = RetrievalModule(model, loss(), Optimization(), validate=True)
    batch = QuestionSet(model, tiny.questions, tiny.encode_questions())[[]]
    value, scores = module._loss(batch)
    value.backward()
    assert (value.item(), scores.shape) == (0.0, (0, 6))
    for name, parameter in module.named_parameters():
        assert parameter.grad is not None, name
        assert not parameter.grad.any(), name


def test_the_mean_of_uneven_processes_is_the_mean_of_their_questions(
    tiny: Beaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process has two questions and another one; gradients are averaged over processes."""
    model = JoinGR(16, anchors=2, hops=2, hidden_channels=8, dropout=0.0).index(tiny.corpus())
    module = RetrievalModule(model, TableLoss(), Optimization(), validate=False)
    monkeypatch.setattr(module, "log", lambda *_, **__: None)
    questions = QuestionSet(model, tiny.questions, tiny.encode_questions())

    def gradient(share: list[int], processes: int) -> torch.Tensor:
        strategy = SimpleNamespace(reduce=lambda value, reduce_op: torch.tensor(3.0) if reduce_op == "sum" else None)
        module._trainer = SimpleNamespace(world_size=processes, strategy=strategy)  # type: ignore[assignment]
        module.zero_grad()
        module.training_step(questions[share], 0).backward()
        return torch.cat([parameter.grad.flatten().clone() for parameter in module.parameters()])

    whole = gradient([0, 4, 1], 1)
    assert whole.abs().max() > 1e-4
    shared = (gradient([0, 1], 2) + gradient([4], 2)) / 2
    torch.testing.assert_close(shared, whole)


def test_the_graph_follows_the_questions_to_their_device(tiny: Beaver) -> None:
    """The meta device stands in for a GPU: like a GPU, it refuses tensors on the CPU."""
    model = JoinGR(16, anchors=2, hops=2, hidden_channels=8).index(tiny.corpus())
    queries = tiny.encode_questions().vector
    assert model.projections(queries).query.device.type == "cpu"
    projected = model.to("meta").projections(queries.to("meta"))
    assert {part.device.type for part in projected if isinstance(part, torch.Tensor)} == {"meta"}


@pytest.mark.parametrize(
    ("environment", "rank", "first"),
    [({}, 0, True), ({}, 1, False), ({"NODE_RANK": "1"}, 0, False), ({"GROUP_RANK": "0", "NODE_RANK": "1"}, 0, True)],
)
def test_rank_zero_is_recognized_before_a_trainer_exists(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], rank: int, first: bool
) -> None:
    for name in ("NODE_RANK", "GROUP_RANK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(rank_zero_only, "rank", rank)
    assert is_rank_zero() == first


def test_processes_are_not_started_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TORCHELASTIC_RUN_ID", "SLURM_NTASKS"):
        monkeypatch.delenv(name, raising=False)
    require_startable(1, 1, sweep=True, fold_workers=2)
    require_startable(2, 1, sweep=False, fold_workers=1)
    with pytest.raises(JoinGRError, match=r"'fold_workers' .* 'trainer.devices'"):
        require_startable(2, 1, sweep=False, fold_workers=2)
    for devices, nodes in ((2, 1), ("auto", 1), (1, 2)):
        with pytest.raises(JoinGRError, match="A sweep cannot start several processes per job"):
            require_startable(devices, nodes, sweep=True, fold_workers=1)
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "0")
    monkeypatch.setattr("torch.distributed.is_torchelastic_launched", lambda: True)
    require_startable(2, 1, sweep=True, fold_workers=1)


def test_a_compiled_walk_learns_the_same(fit_tiny: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Tested with a backend that needs no C++ compiler."""
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="aot_eager"))
    model = partial(JoinGR, anchors=2, hops=2, hidden_channels=8, dropout=0.0)
    plain, compiled = (fit_tiny(str(flag), model=model, compile=flag).model for flag in (False, True))
    for name, value in plain.state_dict().items():
        torch.testing.assert_close(compiled.state_dict()[name], value)


def test_a_trainer_that_cannot_be_made_is_refused(fit_tiny: Callable[..., Any]) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(JoinGRError, match=r"The trainer cannot run on this machine: .*CUDAAccelerator"):
        fit_tiny("run", trainer={"accelerator": "cuda"})


def test_half_precision_changes_weights_little(fit_tiny: Callable[..., Any]) -> None:
    plain, half = fit_tiny("plain").model, fit_tiny("half", trainer={"precision": "bf16-mixed"}).model
    assert {value.dtype for value in half.state_dict().values()} == {torch.float}
    for name, value in plain.state_dict().items():
        torch.testing.assert_close(half.state_dict()[name], value, atol=0.15, rtol=0.1)
