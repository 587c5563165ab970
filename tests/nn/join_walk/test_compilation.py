"""What ``torch.compile`` makes of the hops."""

import shutil
from collections import Counter
from collections.abc import Callable

import pytest
import torch
from functorch.compile import make_boxed_func
from torch import Tensor
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.testing import CompileCounterWithBackend
from torch._inductor.decomposition import select_decomp_table

from joingr_pyg.nn import JoinWalk, WalkOutput

Inputs = dict[str, Tensor]
Make = Callable[..., JoinWalk]
MakeInputs = Callable[..., Inputs]
EdgeIndexOf = Callable[[list[tuple[int, int]]], Tensor]
RequireGrad = Callable[[Inputs], Inputs]
Gradients = Callable[[JoinWalk, Inputs, tuple[Tensor, Tensor]], Inputs]
Prepared = Callable[[JoinWalk, Inputs], tuple]


@pytest.fixture(scope="session")
def assert_compiled_agrees(prepared: Prepared, require_grad: RequireGrad, gradients: Gradients) -> Callable[..., None]:
    """Deposits and every gradient of compiled hops, against those of the layer."""

    def check(walk: JoinWalk, inputs: Inputs, compiled: Callable[..., Tensor]) -> None:
        results = []
        for run in (walk.propagate, compiled):
            arguments = prepared(walk, require_grad(inputs))
            output = WalkOutput(run(*arguments), arguments[0])
            scores = (output.edge_deposits(), output.node_scores())
            results.append({"deposit": output.deposit} | gradients(walk, inputs, scores))
        torch.testing.assert_close(*results, rtol=1e-5, atol=1e-6)

    return check


@pytest.fixture
def fresh_compiler() -> None:
    torch._dynamo.reset()


def test_hops_compile_without_graph_breaks(
    make_walk: Make, make_inputs: MakeInputs, assert_compiled_agrees: Callable[..., None], fresh_compiler: None
) -> None:
    walk = make_walk(hops=2)
    compiled = torch.compile(walk.propagate, backend="aot_eager", fullgraph=True)
    assert_compiled_agrees(walk, make_inputs(0, 9, 20, 4), compiled)


def test_one_dynamic_graph_serves_all_plans(
    make_walk: Make, make_inputs: MakeInputs, assert_compiled_agrees: Callable[..., None], fresh_compiler: None
) -> None:
    walk, counter = make_walk(hops=2), CompileCounterWithBackend("eager")
    compiled = torch.compile(walk.propagate, backend=counter, fullgraph=True)
    for seed, (num_nodes, num_edges, num_queries) in enumerate([(9, 20, 4), (12, 30, 5), (10, 40, 8), (30, 50, 20)]):
        assert_compiled_agrees(walk, make_inputs(seed, num_nodes, num_edges, num_queries), compiled)
    assert counter.frame_count == 2  # The first is for the first sizes alone.


@pytest.mark.parametrize("learned", [True, False])
def test_layer_compiles_with_a_plan(
    make_walk: Make, make_inputs: MakeInputs, fresh_compiler: None, learned: bool
) -> None:
    walk, inputs = make_walk(hops=2, learned=learned), make_inputs()
    plan = walk.planner(inputs["edge_index"], 7)(inputs["seed"], inputs["seed_query"], 3)
    compiled = torch.compile(walk, backend="eager", fullgraph=True)
    torch.testing.assert_close(
        compiled(**inputs, plan=plan).node_scores(), walk(**inputs).node_scores(), rtol=0, atol=1e-6
    )


def test_compiled_hops_take_empty_and_single_sizes(
    make_walk: Make, make_inputs: MakeInputs, edge_index_of: EdgeIndexOf, prepared: Prepared, fresh_compiler: None
) -> None:
    walk = make_walk(hops=2)
    compiled = torch.compile(walk.propagate, backend="eager", fullgraph=True)
    for edges, num_queries in (([], 2), ([(0, 1)], 1), ([(0, 1), (1, 2), (2, 3)], 0)):
        inputs = make_inputs(5, 4, num_queries=num_queries, edge_index=edge_index_of(edges))
        arguments = prepared(walk, inputs)
        torch.testing.assert_close(compiled(*arguments), walk.propagate(*arguments), rtol=0, atol=1e-6)


@pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="no C++ compiler here")
def test_compiled_by_inductor_for_several_threads(
    make_walk: Make,
    make_inputs: MakeInputs,
    edge_index_of: EdgeIndexOf,
    assert_compiled_agrees: Callable[..., None],
    fresh_compiler: None,
) -> None:
    walk, threads = make_walk(hops=1), torch.get_num_threads()
    # One walk, so the frontier is one node: a sum of a single row.
    inputs = make_inputs(5, 5, num_queries=1, edge_index=edge_index_of([(0, 1), (0, 2), (0, 3), (0, 4)]))
    inputs |= {"seed": torch.tensor([0]), "seed_query": torch.tensor([0]), "seed_deposit": torch.tensor([0.7])}
    torch.set_num_threads(2)
    try:
        with torch._inductor.config.patch(compile_threads=1):  # No pool of compiling processes stays behind.
            assert_compiled_agrees(walk, inputs, torch.compile(walk.propagate, fullgraph=True, dynamic=True))
    finally:
        torch.set_num_threads(threads)


def test_compiled_hops_leave_no_sum_to_vectors_of_atomic_additions(
    make_walk: Make, make_inputs: MakeInputs, assert_compiled_agrees: Callable[..., None], fresh_compiler: None
) -> None:
    # With several threads, inductor makes vectors of atomic additions of these, which write past their buffer.
    accumulating = {"index_put", "index_put_", "index_add", "index_add_", "scatter_add", "scatter_add_"}
    called: Counter[str] = Counter()

    def note(graph: torch.fx.GraphModule, _: list[Tensor]) -> Callable[..., object]:
        called.update(node.target.__name__.split(".")[0] for node in graph.graph.nodes if node.op == "call_function")
        return make_boxed_func(graph.forward)

    backend = aot_autograd(fw_compiler=note, bw_compiler=note, decompositions=select_decomp_table())
    walk = make_walk(hops=2)
    compiled = torch.compile(walk.propagate, backend=backend, fullgraph=True, dynamic=True)
    for sizes in ((97, 150, 8), (97, 150, 32), (9, 20, 4)):
        assert_compiled_agrees(walk, make_inputs(0, *sizes), compiled)
    assert not accumulating & set(called)
    assert called["sum_rows"]
