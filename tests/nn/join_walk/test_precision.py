"""Types of numbers, devices and kernels give one result."""

import copy
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from joingr_pyg.nn import JoinWalk, segment

Inputs = dict[str, Tensor]
Make = Callable[..., JoinWalk]
MakeInputs = Callable[..., Inputs]
RequireGrad = Callable[[Inputs], Inputs]
Gradients = Callable[[JoinWalk, Inputs, tuple[Tensor, Tensor]], Inputs]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.half])
def test_autocast_keeps_deposits_in_single_precision(
    kernels: str,
    make_walk: Make,
    make_inputs: MakeInputs,
    gradients: Gradients,
    require_grad: RequireGrad,
    dtype: torch.dtype,
) -> None:
    walk, inputs = make_walk(), require_grad(make_inputs(num_nodes=20, num_edges=40, num_queries=4))
    expected = walk(**inputs)
    with torch.autocast("cpu", dtype):
        output = walk(**inputs)
        low = walk(**inputs | {"seed_deposit": inputs["seed_deposit"].to(dtype)})
        results = (output.edge_deposits(), output.node_scores())
    assert output.deposit.dtype == low.deposit.dtype == results[1].dtype == torch.float
    torch.testing.assert_close(output.deposit, expected.deposit, rtol=0.05, atol=0.02)
    torch.testing.assert_close(low.deposit, expected.deposit, rtol=0.05, atol=0.02)
    found = gradients(walk, inputs, results)
    wanted = gradients(walk, inputs, (expected.edge_deposits(), expected.node_scores()))
    for name, gradient in wanted.items():
        assert found[name].dtype == torch.float
        if name != "scorer.output.bias":  # A softmax does not see it: both gradients are rounding.
            assert torch.cosine_similarity(found[name].flatten(), gradient.flatten(), dim=0) > 0.98, name


def test_half_precision_layer(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs()
    expected = walk(**inputs).deposit
    half = {name: value.bfloat16() if value.is_floating_point() else value for name, value in inputs.items()}
    output = walk.bfloat16()(**half)
    assert output.deposit.dtype == torch.float
    torch.testing.assert_close(output.deposit, expected, rtol=0.05, atol=0.02)


@pytest.mark.parametrize("dtype", [torch.double, torch.bfloat16])
def test_nodes_rank_alike_in_every_type(make_walk: Make, make_inputs: MakeInputs, dtype: torch.dtype) -> None:
    sizes = {"num_nodes": 200, "num_edges": 600, "num_queries": 20}
    single = make_walk()(**make_inputs(**sizes)).node_scores()
    other = make_walk(dtype=dtype)(**make_inputs(**sizes, dtype=dtype)).node_scores()
    # Of doubles, pairs further apart than rounding; of half precision, pairs further apart than 2 % of the mass.
    gap = 1e-5 if dtype == torch.double else 0.02
    apart = (single.unsqueeze(2) - single.unsqueeze(1)).abs() > gap
    order = (single.unsqueeze(2) > single.unsqueeze(1)) == (other.unsqueeze(2) > other.unsqueeze(1))
    assert apart.sum() > 1000
    assert order[apart].all()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_gpu_agrees(
    kernels: str, make_walk: Make, make_inputs: MakeInputs, gradients: Gradients, require_grad: RequireGrad
) -> None:
    walk, inputs = make_walk(), make_inputs(num_nodes=20, num_edges=60, num_queries=5)
    there = {name: value.cuda() for name, value in inputs.items()}
    results = []
    for layer, given_inputs in ((walk, inputs), (copy.deepcopy(walk).cuda(), there)):
        given_inputs = require_grad(given_inputs)
        output = layer(**given_inputs)
        assert output.deposit.device == given_inputs["query"].device == output.plan.query.device
        scores = (output.edge_deposits(), output.node_scores())
        found = gradients(layer, given_inputs, (scores[0].cpu(), scores[1].cpu()))
        results.append({"deposits": scores[0].cpu()} | {name: value.cpu() for name, value in found.items()})
    torch.testing.assert_close(*results, rtol=1e-4, atol=1e-5)


def test_both_kernels_agree(
    make_walk: Make,
    make_inputs: MakeInputs,
    monkeypatch: pytest.MonkeyPatch,
    gradients: Gradients,
    require_grad: RequireGrad,
) -> None:
    if segment.torch_scatter is None:
        pytest.skip("torch-scatter is not installed for this torch")
    walk, inputs = make_walk(), require_grad(make_inputs(num_nodes=20, num_edges=60, num_queries=5))
    results = []
    for kernels in (segment.torch_scatter, None):
        monkeypatch.setattr(segment, "torch_scatter", kernels)
        output = walk(**inputs)
        scores = (output.edge_deposits(), output.node_scores())
        results.append({"deposit": output.deposit} | gradients(walk, inputs, scores))
    torch.testing.assert_close(*results, rtol=1e-5, atol=1e-6)
