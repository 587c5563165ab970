import copy
import io
import re
import shutil
from collections import Counter
from collections.abc import Callable

import pytest
import torch
from functorch.compile import make_boxed_func
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.testing import CompileCounterWithBackend
from torch._inductor.decomposition import select_decomp_table

from joingr_pyg.nn import EdgeScorer, JoinWalk, WalkOutput, segment

Inputs = dict[str, Tensor]
Make = Callable[..., JoinWalk]
MakeInputs = Callable[..., Inputs]
Literal = Callable[[JoinWalk, Inputs], tuple[Tensor, Tensor]]

GRAPHS = {
    "one table": (1, []),
    "no edges": (4, []),
    "self-joins only": (3, [(0, 0), (1, 1), (1, 1)]),
    "chain": (5, [(0, 1), (1, 2), (2, 3), (3, 4)]),
    "cycle": (5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]),
    "diamond": (4, [(0, 1), (0, 2), (1, 3), (2, 3)]),
    "star": (5, [(0, 1), (2, 0), (0, 3), (4, 0)]),
    "parallel joins": (3, [(0, 1), (0, 1), (1, 0), (1, 2), (2, 1)]),
    "isolated tables": (6, [(1, 2), (2, 4)]),
    "joins and self-joins": (3, [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 2)]),
    "two databases": (6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (3, 5), (3, 5)]),
}
HOPS = 3


def edge_index_of(edges: list[tuple[int, int]]) -> Tensor:
    return torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t().contiguous()


def uniform_walk(
    edges: list[tuple[int, int]], num_nodes: int, seeds: dict[int, float], **options: object
) -> WalkOutput:
    """The heuristic walk of one query."""
    walk, edge_index = JoinWalk(**{"hops": HOPS} | options), edge_index_of(edges)
    return walk(
        torch.zeros(1, 1),
        torch.zeros(num_nodes, 1),
        edge_index,
        torch.zeros(edge_index.size(1), 1),
        torch.tensor(list(seeds), dtype=torch.long),
        torch.zeros(len(seeds), dtype=torch.long),
        torch.tensor(list(seeds.values())),
    )


def loss_of(deposits: Tensor, scores: Tensor) -> Tensor:
    """A number that weighs every deposit and score on its own."""
    generator = torch.Generator().manual_seed(7)
    weights = [torch.randn(t.shape, generator=generator, dtype=torch.double).to(t) for t in (deposits, scores)]
    return (deposits * weights[0]).sum() + (scores * weights[1]).sum()


def gradients(walk: JoinWalk, inputs: Inputs, results: tuple[Tensor, Tensor]) -> dict[str, Tensor]:
    leaves = {name: tensor for name, tensor in [*walk.named_parameters(), *inputs.items()] if tensor.requires_grad}
    found = torch.autograd.grad(loss_of(*results), list(leaves.values()), allow_unused=True, materialize_grads=True)
    return dict(zip(leaves, found, strict=True))


def require_grad(inputs: Inputs) -> Inputs:
    differentiable = ("query", "x", "edge_attr", "seed_deposit")
    return {name: value.requires_grad_() if name in differentiable else value for name, value in inputs.items()}


def assert_equals_literal(walk: JoinWalk, inputs: Inputs, literal: Literal, atol: float) -> None:
    inputs = require_grad(inputs)
    output = walk(**inputs)
    ours, reference = (output.edge_deposits(), output.node_scores()), literal(walk, inputs)
    torch.testing.assert_close(ours, reference, rtol=0, atol=atol)
    if not reference[0].requires_grad:  # No walk reached an edge.
        assert not ours[0].any()
        return
    torch.testing.assert_close(gradients(walk, inputs, ours), gradients(walk, inputs, reference), rtol=atol, atol=atol)


# The layer as such ----------------------------------------------------------------------------------------------------


def test_repr() -> None:
    assert str(JoinWalk(EdgeScorer(16, 8, 4))) == "JoinWalk(EdgeScorer(16, 8, 4, hidden_channels=64), hops=5)"
    assert str(JoinWalk(hops=2)) == "JoinWalk(None, hops=2)"


def test_shapes(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs(num_nodes=7, num_edges=12, num_queries=3)
    output = walk(**inputs)
    assert output.deposit.shape == (len(output.plan),)
    assert output.edge_deposits().shape == (3, 12)
    assert output.node_scores().shape == (3, 7)
    assert [output.hop(hop).shape for hop in (1, 2, 3)] == [(len(hop),) for hop in output.plan.hops]
    assert torch.equal(torch.cat([output.hop(hop) for hop in (1, 2, 3)]), output.deposit)


def test_input_forms_give_one_result(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(dtype=torch.double), make_inputs(dtype=torch.double)
    expected = walk(**inputs).node_scores()
    row = inputs["row"]

    # A plan made before, by a planner that is kept.
    planner = walk.planner(inputs["edge_index"], row.size(1))
    plan = planner(inputs["seed"], inputs["seed_query"], row.size(0))
    output = walk(**inputs, plan=plan)
    assert output.plan is plan
    assert torch.equal(output.node_scores(), expected)

    # Projections made before.
    projections = walk.scorer.project(inputs["query"], inputs["edge_attr"], inputs["x"])
    ends = (row[plan.query, plan.frontier], row[plan.query, plan.neighbor])
    deposit = walk.propagate(plan, inputs["seed_deposit"], projections, *ends)
    assert torch.equal(deposit, output.deposit)

    # Node vectors written out for every query, one query at a time.
    for query in range(row.size(0)):
        own = inputs["seed_query"] == query
        alone = walk(
            inputs["query"][query : query + 1],
            inputs["x"][row[query]],
            inputs["edge_index"],
            inputs["edge_attr"],
            inputs["seed"][own],
            torch.zeros_like(inputs["seed"][own]),
            inputs["seed_deposit"][own],
        )
        torch.testing.assert_close(alone.node_scores()[0], expected[query], rtol=0, atol=1e-12)

    # Small integers, and a graph whose memory lies the other way.
    small = {name: value if value.is_floating_point() else value.int() for name, value in inputs.items()}
    small["edge_index"] = small["edge_index"].t().contiguous().t()
    assert torch.equal(walk(**small).node_scores(), expected)


def test_rows_default_to_the_nodes_themselves(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs()
    inputs["x"] = inputs["x"][:7]
    row = torch.arange(7).expand(3, 7)
    without = walk(**{name: value for name, value in inputs.items() if name != "row"})
    assert torch.equal(without.deposit, walk(**inputs | {"row": row}).deposit)


def test_seeds_add_up(make_walk: Make, make_inputs: MakeInputs) -> None:
    """Walks do not see each other, not even two from the same seed."""
    walk, inputs = make_walk(dtype=torch.double), make_inputs(dtype=torch.double, num_queries=1)
    seeds, deposits = torch.tensor([2, 2, 5]), torch.tensor([0.3, 0.7, 0.5], dtype=torch.double)

    def scores(which: list[int]) -> Tensor:
        chosen = {"seed": seeds[which], "seed_query": torch.zeros(len(which)).long(), "seed_deposit": deposits[which]}
        return walk(**inputs | chosen).node_scores()

    torch.testing.assert_close(scores([0, 1, 2]), scores([0]) + scores([1]) + scores([2]), rtol=0, atol=1e-12)
    assert torch.equal(scores([0, 1, 2]), scores([0, 1, 2]))


# Hand-worked ----------------------------------------------------------------------------------------------------------


def test_chain_by_hand() -> None:
    """Half moves on at every hop, shared evenly: 1/2 | 1/8, 1/8 | 1/32, 1/32."""
    output = uniform_walk([(0, 1), (1, 2), (2, 3)], 4, {0: 1.0})
    assert output.plan.edge.tolist() == [0, 1, 0, 2, 1]
    assert output.deposit.tolist() == [1 / 2, 1 / 8, 1 / 8, 1 / 32, 1 / 32]
    assert output.edge_deposits().tolist() == [[1 / 2 + 1 / 8, 1 / 8 + 1 / 32, 1 / 32]]
    assert output.node_scores().tolist() == [[5 / 8, 5 / 8 + 5 / 32, 5 / 32 + 1 / 32, 1 / 32]]


def test_triangle_by_hand() -> None:
    """Nodes 1 and 2 are expanded at one hop, so nothing moves on between them; the edge counts from both sides."""
    output = uniform_walk([(0, 1), (1, 2), (2, 0)], 3, {0: 1.0})
    assert output.hop(1).tolist() == [1 / 4, 1 / 4]
    assert output.hop(2).tolist() == [1 / 16] * 4
    assert output.hop(3).tolist() == []
    assert output.edge_deposits().tolist() == [[5 / 16, 2 / 16, 5 / 16]]
    assert output.node_scores().tolist() == [[10 / 16, 7 / 16, 7 / 16]]


def test_diamond_by_hand() -> None:
    """Deposits of both ways meet at node 3: 1/4, 1/4 | 4 x 1/16, of which 1/16 + 1/16 move on | 1/32, 1/32."""
    output = uniform_walk([(0, 1), (0, 2), (1, 3), (2, 3)], 4, {0: 1.0})
    assert output.edge_deposits().tolist() == [[5 / 16, 5 / 16, 3 / 32, 3 / 32]]
    assert output.node_scores().tolist() == [[5 / 8, 13 / 32, 13 / 32, 3 / 16]]
    assert output.edge_deposits(hop=2).tolist() == [[1 / 16] * 4]
    assert output.node_scores(hop=3).tolist() == [[0, 1 / 32, 1 / 32, 1 / 16]]


def test_parallel_joins_by_hand() -> None:
    """Each of two parallel joins has its own share, and node 1 gets both; a loop has none."""
    output = uniform_walk([(0, 1), (1, 1), (1, 0), (1, 2)], 3, {0: 4.0}, hops=2)
    assert output.hop(1).tolist() == [1.0, 1.0]
    torch.testing.assert_close(output.hop(2), torch.full((3,), 1 / 3))
    torch.testing.assert_close(output.edge_deposits(), torch.tensor([[4 / 3, 0, 4 / 3, 1 / 3]]))
    torch.testing.assert_close(output.node_scores(), torch.tensor([[8 / 3, 3, 1 / 3]]))


def test_directed_chain_by_hand() -> None:
    output = uniform_walk([(0, 1), (1, 2), (3, 1)], 4, {0: 1.0, 2: 9.0}, undirected=False)
    assert output.edge_deposits().tolist() == [[1 / 2, 1 / 4, 0]]
    assert output.node_scores().tolist() == [[1 / 2, 3 / 4, 1 / 4, 0]]


def test_decays_by_hand() -> None:
    """Every hop has a decay of its own: 0.8 | 0.8 * 0.25 | 0.8 * 0.25 * 0.5."""
    walk = JoinWalk(hops=3, undirected=False)
    walk.load_state_dict({"decay_logit": torch.tensor([0.8, 0.25, 0.5]).logit()})
    one = torch.tensor([0])
    output = walk(
        torch.zeros(1, 1), torch.zeros(4, 1), edge_index_of([(0, 1), (1, 2), (2, 3)]), torch.zeros(3, 1),
        one, one, torch.ones(1),
    )  # fmt: skip
    torch.testing.assert_close(output.deposit, torch.tensor([0.8, 0.2, 0.1]))


@pytest.mark.parametrize("chooser", ["edge", "neighbor"])
def test_learned_shares_by_hand(chooser: str) -> None:
    """Two hidden channels normalise to plus and minus one; the edge that turns the first on scores ln 3, others 0."""
    scorer = EdgeScorer(1, 1, 1, hidden_channels=2)
    with torch.no_grad():
        scorer.input.weight.zero_()
        scorer.input.bias.zero_()
        scorer.input.weight[:, {"edge": 1, "neighbor": 3}[chooser]] = torch.tensor([100.0, -100.0])
        scorer.output.weight[:] = torch.tensor([3.0, 1.0]).log()
        scorer.output.bias.zero_()
    walk = JoinWalk(scorer, hops=2, decay=0.5).eval()
    edge_index = edge_index_of([(0, 1), (0, 2), (3, 2), (2, 4)])
    edge_attr = torch.tensor([[1.0], [-1.0], [-1.0], [1.0]]) if chooser == "edge" else torch.zeros(4, 1)
    x = torch.zeros(5, 1) if chooser == "edge" else torch.tensor([[-1.0], [1.0], [-1.0], [-1.0], [1.0]])
    one = torch.tensor([0])
    output = walk(torch.ones(1, 1), x, edge_index, edge_attr, one, one, torch.tensor([8.0]))
    # Node 0 shares 4 as 3 : 1; node 1 has 3 and one edge; node 2 has 1 and shares half of it as 3 : 1 : 1.
    torch.testing.assert_close(output.hop(1), torch.tensor([3.0, 1.0]))
    torch.testing.assert_close(output.hop(2), torch.tensor([1.5, 0.3, 0.1, 0.1]))
    torch.testing.assert_close(output.node_scores(), torch.tensor([[5.6, 4.5, 1.5, 0.1, 0.3]]))


# Against the literal Algorithm 2 --------------------------------------------------------------------------------------


@pytest.mark.parametrize("undirected", [True, False], ids=["undirected", "directed"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_equals_literal_algorithm(
    kernels: str, make_walk: Make, make_inputs: MakeInputs, literal: Literal, graph: str, undirected: bool
) -> None:
    num_nodes, edges = GRAPHS[graph]
    inputs = make_inputs(3, num_nodes, edge_index=edge_index_of(edges))
    assert_equals_literal(make_walk(3, undirected=undirected), inputs, literal, atol=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_equals_literal_algorithm_on_random_multigraphs(
    kernels: str, make_walk: Make, make_inputs: MakeInputs, literal: Literal, seed: int
) -> None:
    options = {"hops": 1 + seed % 5, "undirected": seed % 3 != 0}
    for dtype, atol in ((torch.float, 1e-5), (torch.double, 1e-11)):
        inputs = make_inputs(seed, 4 + seed, 3 * seed, num_queries=2, dtype=dtype)
        assert_equals_literal(make_walk(seed, dtype, **options), inputs, literal, atol)


@pytest.mark.parametrize("seed", range(4))
def test_heuristic_equals_literal_algorithm(
    make_walk: Make, make_inputs: MakeInputs, literal: Literal, seed: int
) -> None:
    walk, inputs = make_walk(seed, torch.double, learned=False), make_inputs(seed, dtype=torch.double)
    output = walk(**inputs)
    ours = (output.edge_deposits(), output.node_scores())
    torch.testing.assert_close(ours, literal(walk, inputs), rtol=0, atol=1e-12)


def test_gradcheck(kernels: str, make_walk: Make, make_inputs: MakeInputs) -> None:
    walk = make_walk(1, torch.double, hops=2)
    inputs = require_grad(make_inputs(2, num_nodes=4, num_edges=5, num_queries=2, dtype=torch.double))
    names, state = [name for name, value in inputs.items() if value.requires_grad], dict(walk.named_parameters())
    assert walk(**inputs).plan.hops[1].source.numel() > 4

    def scores(*leaves: Tensor) -> Tensor:
        given = inputs | dict(zip(names, leaves[: len(names)], strict=True))
        weights = dict(zip(state, leaves[len(names) :], strict=True))
        return torch.func.functional_call(walk, weights, kwargs=given).node_scores()

    assert torch.autograd.gradcheck(scores, [*(inputs[name] for name in names), *state.values()])


# Invariants -----------------------------------------------------------------------------------------------------------

invariant = settings(max_examples=20, deadline=None)
sizes = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**32),
        "num_nodes": st.integers(1, 8),
        "num_edges": st.integers(0, 16),
        "num_queries": st.integers(1, 4),
    }
)


@invariant
@given(size=sizes, undirected=st.booleans())
def test_a_hop_hands_on_its_decay_times_what_stood_on_nodes_with_edges(
    make_walk: Make, make_inputs: MakeInputs, size: dict, undirected: bool
) -> None:
    walk = make_walk(size["seed"], torch.double, undirected=undirected)
    inputs = make_inputs(**size, dtype=torch.double)
    decays = walk.decay_logit.sigmoid().tolist()
    tails, heads = inputs["edge_index"].tolist()
    proper = [(tail, head) for tail, head in zip(tails, heads, strict=True) if tail != head]
    joined = {end for pair in proper for end in (pair if undirected else pair[:1])}

    for node, deposit in zip(inputs["seed"].tolist(), inputs["seed_deposit"].tolist(), strict=True):
        output = walk(
            **inputs
            | {
                "seed": torch.tensor([node]),
                "seed_query": torch.tensor([0]),
                "seed_deposit": torch.tensor([deposit], dtype=torch.double),
            }
        )
        standing, expanded, start = Counter({node: deposit}), {node}, 0
        for hop, decay in enumerate(decays, start=1):
            laid = output.hop(hop).tolist()
            own = slice(start, start + len(laid))
            left: Counter[int] = Counter()
            moved: Counter[int] = Counter()
            for value, frontier, neighbor in zip(
                laid, output.plan.frontier[own].tolist(), output.plan.neighbor[own].tolist(), strict=True
            ):
                left[frontier] += value
                if neighbor not in expanded:
                    moved[neighbor] += value
            # Node by node, and so in all.
            assert left.keys() == standing.keys() & joined
            for frontier, value in left.items():
                assert value == pytest.approx(decay * standing[frontier], abs=1e-12)
            standing, start = moved, start + len(laid)
            expanded |= moved.keys()


@invariant
@given(size=sizes, data=st.data())
def test_permuting_nodes_and_edges_permutes_the_result(
    make_walk: Make, make_inputs: MakeInputs, size: dict, data: st.DataObject
) -> None:
    walk, inputs = make_walk(dtype=torch.double), make_inputs(**size, dtype=torch.double)
    nodes = torch.tensor(data.draw(st.permutations(range(size["num_nodes"]))))
    edges = torch.tensor(data.draw(st.permutations(range(size["num_edges"]))), dtype=torch.long)
    walks = torch.tensor(data.draw(st.permutations(range(inputs["seed"].numel()))), dtype=torch.long)
    permuted = walk(
        query=inputs["query"],
        x=inputs["x"],
        edge_index=nodes[inputs["edge_index"]][:, edges],
        edge_attr=inputs["edge_attr"][edges],
        seed=nodes[inputs["seed"]][walks],
        seed_query=inputs["seed_query"][walks],
        seed_deposit=inputs["seed_deposit"][walks],
        row=inputs["row"][:, nodes.argsort()],
    )
    output = walk(**inputs)
    torch.testing.assert_close(permuted.edge_deposits(), output.edge_deposits()[:, edges], rtol=0, atol=1e-12)
    torch.testing.assert_close(permuted.node_scores()[:, nodes], output.node_scores(), rtol=0, atol=1e-12)


@invariant
@given(size=sizes, other=sizes)
def test_a_disjoint_graph_beside_changes_nothing(
    make_walk: Make, make_inputs: MakeInputs, size: dict, other: dict
) -> None:
    walk, inputs = make_walk(dtype=torch.double), make_inputs(**size, dtype=torch.double)
    beside = make_inputs(**other | {"num_queries": size["num_queries"]}, dtype=torch.double)
    first = other["num_nodes"]  # The other graph comes first, so every number shifts.
    both = walk(
        **inputs
        | {
            "x": torch.cat([beside["x"], inputs["x"]]),
            "edge_index": torch.cat([beside["edge_index"], inputs["edge_index"] + first], 1),
            "edge_attr": torch.cat([beside["edge_attr"], inputs["edge_attr"]]),
            "seed": inputs["seed"] + first,
            "row": torch.cat([beside["row"], inputs["row"] + beside["x"].size(0)], 1),
        }
    )
    output = walk(**inputs)
    assert not both.node_scores()[:, :first].any()
    assert not both.edge_deposits()[:, : other["num_edges"]].any()
    torch.testing.assert_close(both.node_scores()[:, first:], output.node_scores(), rtol=0, atol=1e-12)
    torch.testing.assert_close(both.deposit, output.deposit, rtol=0, atol=1e-12)


@invariant
@given(size=sizes)
def test_a_batch_equals_its_queries_one_by_one(make_walk: Make, make_inputs: MakeInputs, size: dict) -> None:
    walk, inputs = make_walk(dtype=torch.double), make_inputs(**size, dtype=torch.double)
    batched = walk(**inputs).node_scores()
    planner = walk.planner(inputs["edge_index"], size["num_nodes"])
    for query in range(size["num_queries"]):
        own = inputs["seed_query"] == query
        seed = inputs["seed"][own]
        plan = planner(seed, torch.zeros_like(seed), 1)
        single = {"query": inputs["query"][[query]], "row": inputs["row"][[query]]}
        single |= {"seed": seed, "seed_query": torch.zeros_like(seed), "seed_deposit": inputs["seed_deposit"][own]}
        alone = walk(**inputs | single, plan=plan).node_scores()
        torch.testing.assert_close(alone[0], batched[query], rtol=0, atol=1e-12)


@invariant
@given(size=sizes, factor=st.floats(0, 10))
def test_uniform_walks_are_linear_in_the_deposit(
    make_walk: Make, make_inputs: MakeInputs, size: dict, factor: float
) -> None:
    walk, inputs = make_walk(dtype=torch.double, learned=False), make_inputs(**size, dtype=torch.double)
    scaled = walk(**inputs | {"seed_deposit": factor * inputs["seed_deposit"]})
    torch.testing.assert_close(scaled.deposit, factor * walk(**inputs).deposit, rtol=0, atol=1e-12)


# Edges of the input space ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learned", [True, False])
def test_no_queries_no_seeds_no_edges_no_nodes(make_walk: Make, make_inputs: MakeInputs, learned: bool) -> None:
    walk = make_walk(learned=learned)
    for num_nodes, num_edges, num_queries in ((7, 12, 0), (7, 0, 3), (7, 0, 0), (0, 0, 2), (0, 0, 0)):
        edge_index = None if num_edges else torch.empty(2, 0, dtype=torch.long)
        output = walk(**make_inputs(0, num_nodes, num_edges, num_queries, edge_index))
        assert output.edge_deposits().tolist() == [[0.0] * num_edges] * num_queries
        assert output.edge_deposits().shape == (num_queries, num_edges)
        assert output.node_scores().tolist() == [[0.0] * num_nodes] * num_queries
        assert output.node_scores().shape == (num_queries, num_nodes)

    inputs = make_inputs(num_queries=3)
    middle = {"seed": torch.tensor([4]), "seed_query": torch.tensor([1]), "seed_deposit": torch.tensor([2.0])}
    scores = walk(**inputs | middle).node_scores()
    assert scores.any(dim=1).tolist() == [False, True, False]


def test_zero_deposit(make_walk: Make, make_inputs: MakeInputs) -> None:
    """Nothing is laid and nothing is undefined, and the gradient still says what a deposit would be worth."""
    walk, inputs = make_walk(), make_inputs()
    inputs["seed_deposit"] = torch.zeros_like(inputs["seed_deposit"]).requires_grad_()
    output = walk(**inputs)
    assert len(output.plan) > 0
    assert not output.deposit.any()
    gradient = torch.autograd.grad(output.node_scores().sum(), inputs["seed_deposit"])[0]
    joined = torch.isin(inputs["seed"], inputs["edge_index"][:, inputs["edge_index"][0] != inputs["edge_index"][1]])
    assert torch.equal(gradient > 0, joined)


def test_integer_and_double_deposits(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs()
    ones = torch.ones_like(inputs["seed_deposit"])
    expected = walk(**inputs | {"seed_deposit": ones}).deposit
    assert torch.equal(walk(**inputs | {"seed_deposit": ones.long()}).deposit, expected)
    double = walk(**inputs | {"seed_deposit": ones.double()}).deposit
    assert double.dtype == torch.double
    torch.testing.assert_close(double.float(), expected, rtol=1e-5, atol=1e-6)


# Precision, compilation, devices, kernels -----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.half])
def test_autocast_keeps_deposits_in_single_precision(
    kernels: str, make_walk: Make, make_inputs: MakeInputs, dtype: torch.dtype
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


def prepared(walk: JoinWalk, inputs: Inputs) -> tuple:
    """The arguments of ``propagate``."""
    row = inputs["row"]
    plan = walk.planner(inputs["edge_index"], row.size(1))(inputs["seed"], inputs["seed_query"], row.size(0))
    projections = walk.scorer.project(inputs["query"], inputs["edge_attr"], inputs["x"])
    return plan, inputs["seed_deposit"], projections, row[plan.query, plan.frontier], row[plan.query, plan.neighbor]


def assert_compiled_agrees(walk: JoinWalk, inputs: Inputs, compiled: Callable[..., Tensor]) -> None:
    results = []
    for run in (walk.propagate, compiled):
        arguments = prepared(walk, require_grad(inputs))
        output = WalkOutput(run(*arguments), arguments[0])
        scores = (output.edge_deposits(), output.node_scores())
        results.append({"deposit": output.deposit} | gradients(walk, inputs, scores))
    torch.testing.assert_close(*results, rtol=1e-5, atol=1e-6)


@pytest.fixture
def fresh_compiler() -> None:
    torch._dynamo.reset()


def test_hops_compile_without_graph_breaks(make_walk: Make, make_inputs: MakeInputs, fresh_compiler: None) -> None:
    walk = make_walk(hops=2)
    compiled = torch.compile(walk.propagate, backend="aot_eager", fullgraph=True)
    assert_compiled_agrees(walk, make_inputs(0, 9, 20, 4), compiled)


def test_one_dynamic_graph_serves_all_plans(make_walk: Make, make_inputs: MakeInputs, fresh_compiler: None) -> None:
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
    make_walk: Make, make_inputs: MakeInputs, fresh_compiler: None
) -> None:
    walk = make_walk(hops=2)
    compiled = torch.compile(walk.propagate, backend="eager", fullgraph=True)
    for edges, num_queries in (([], 2), ([(0, 1)], 1), ([(0, 1), (1, 2), (2, 3)], 0)):
        inputs = make_inputs(5, 4, num_queries=num_queries, edge_index=edge_index_of(edges))
        arguments = prepared(walk, inputs)
        torch.testing.assert_close(compiled(*arguments), walk.propagate(*arguments), rtol=0, atol=1e-6)


@pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="no C++ compiler here")
def test_compiled_by_inductor_for_several_threads(
    make_walk: Make, make_inputs: MakeInputs, fresh_compiler: None
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
    make_walk: Make, make_inputs: MakeInputs, fresh_compiler: None
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


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_gpu_agrees(kernels: str, make_walk: Make, make_inputs: MakeInputs) -> None:
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


def test_both_kernels_agree(make_walk: Make, make_inputs: MakeInputs, monkeypatch: pytest.MonkeyPatch) -> None:
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


# State ----------------------------------------------------------------------------------------------------------------


def test_reset_parameters_is_seeded() -> None:
    walk = JoinWalk(EdgeScorer(5, 4, 3, 8), hops=3, decay=0.2)
    with torch.no_grad():
        for parameter in walk.parameters():
            parameter.fill_(7.0)
    states = []
    for seed in (1, 2, 1):
        torch.manual_seed(seed)
        walk.reset_parameters()
        states.append(copy.deepcopy(walk.state_dict()))
    assert not any((value == 7.0).any() for value in states[0].values())
    torch.testing.assert_close(walk.decay_logit.sigmoid(), torch.full((3,), 0.2))
    assert not torch.equal(states[0]["scorer.input.weight"], states[1]["scorer.input.weight"])
    torch.testing.assert_close(states[0], states[2], rtol=0, atol=0)


def test_a_trained_scorer_is_taken_as_it_is(make_walk: Make) -> None:
    scorer = make_walk().scorer
    before = copy.deepcopy(scorer.state_dict())
    walk = JoinWalk(scorer, hops=1)
    torch.testing.assert_close(walk.scorer.state_dict(), before, rtol=0, atol=0)


def test_decays_learn_only_with_a_scorer() -> None:
    assert JoinWalk(EdgeScorer(5, 4, 3)).decay_logit.requires_grad
    assert not any(parameter.requires_grad for parameter in JoinWalk().parameters())


def test_state_round_trip_loads_weights_only(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, other, inputs = make_walk(0), make_walk(1), make_inputs()
    expected = walk(**inputs).deposit
    assert not torch.equal(other(**inputs).deposit, expected)
    assert list(walk.state_dict()) == ["decay_logit"] + [
        f"scorer.{name}.{what}" for name in ("input", "norm", "output") for what in ("weight", "bias")
    ]
    file = io.BytesIO()
    torch.save(walk.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file, weights_only=True))
    assert torch.equal(other(**inputs).deposit, expected)


def test_deepcopy_is_independent(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs()
    expected = walk(**inputs).deposit
    twin = copy.deepcopy(walk)
    assert torch.equal(twin(**inputs).deposit, expected)
    with torch.no_grad():
        twin.decay_logit.add_(1)
    assert not torch.equal(twin(**inputs).deposit, expected)
    assert torch.equal(walk(**inputs).deposit, expected)


# Errors ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hops", [0, -3])
def test_hops_below_one_are_refused(hops: int) -> None:
    with pytest.raises(ValueError, match=rf"'hops' needs to be at least 1 \(got {hops}\)"):
        JoinWalk(hops=hops)


@pytest.mark.parametrize("decay", [0, 1, -0.1, 1.5, float("nan")])
def test_decay_out_of_range_is_refused(decay: float) -> None:
    with pytest.raises(ValueError, match=rf"'decay' needs to lie between 0 and 1 \(got {decay}\)"):
        JoinWalk(decay=decay)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"query": torch.zeros(5)}, "'query' needs to have shape [num_queries, channels] (got [5])"),
        ({"edge_index": torch.zeros(3, 12).long()}, "'edge_index' needs to have shape [2, num_edges] (got [3, 12])"),
        ({"edge_index": torch.full((2, 12), 7)}, "'edge_index' needs to hold numbers in [0, 7) (got 7 to 7)"),
        ({"edge_attr": torch.zeros(11, 4)}, "'edge_attr' needs to have 12 rows (got 11)"),
        ({"edge_attr": torch.zeros(13, 4)}, "'edge_attr' needs to have 12 rows (got 13)"),
        ({"seed": torch.tensor([7, 0])}, "'seed' needs to hold numbers in [0, 7) (got 0 to 7)"),
        ({"seed": torch.tensor([-1, 0])}, "'seed' needs to hold numbers in [0, 7) (got -1 to 0)"),
        ({"seed": torch.tensor([0])}, "'seed' and 'seed_query' need to have one shape [num_walks] (got [1] and [2])"),
        ({"seed_query": torch.tensor([0, 3])}, "'seed_query' needs to hold numbers in [0, 3) (got 0 to 3)"),
        ({"seed_deposit": torch.ones(1)}, "'seed_deposit' needs to have shape [2] (got [1])"),
        ({"seed_deposit": torch.ones(3)}, "'seed_deposit' needs to have shape [2] (got [3])"),
        ({"seed_deposit": torch.ones(2, 1)}, "'seed_deposit' needs to have shape [2] (got [2, 1])"),
        ({"row": torch.zeros(7).long()}, "'row' needs to have shape [3, num_nodes] (got [7])"),
        ({"row": torch.zeros(2, 7).long()}, "'row' needs to have shape [3, num_nodes] (got [2, 7])"),
        ({"row": torch.full((3, 7), 14)}, "'row' needs to hold numbers in [0, 14) (got 14 to 14)"),
        ({"row": torch.full((3, 7), -1)}, "'row' needs to hold numbers in [0, 14) (got -1 to -1)"),
    ],
)
def test_wrong_inputs_are_refused(make_walk: Make, make_inputs: MakeInputs, changes: Inputs, message: str) -> None:
    walks = {"seed": torch.tensor([1, 2]), "seed_query": torch.tensor([0, 2]), "seed_deposit": torch.ones(2)}
    inputs = make_inputs() | walks
    make_walk()(**inputs)
    with pytest.raises(ValueError, match=re.escape(message)):
        make_walk()(**inputs | changes)


def test_wrong_plans_are_refused(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(hops=2), make_inputs()
    plan = make_walk(hops=3).planner(inputs["edge_index"], 7)(inputs["seed"], inputs["seed_query"], 3)
    with pytest.raises(ValueError, match=re.escape("'plan' needs to have 2 hops (got 3)")):
        walk(**inputs, plan=plan)
    plan = walk.planner(inputs["edge_index"], 8)(inputs["seed"], inputs["seed_query"], 3)
    message = "'plan' needs to be one of 3 queries, 7 nodes and 12 edges (got (3, 8, 12))"
    with pytest.raises(ValueError, match=re.escape(message)):
        walk(**inputs, plan=plan)


def test_projections_belong_to_a_scorer(make_walk: Make, make_inputs: MakeInputs) -> None:
    learned, uniform = make_walk(), make_walk(learned=False)
    plan, deposit, projections, *_ = prepared(learned, make_inputs())
    for walk, given_projections in ((learned, None), (uniform, projections)):
        with pytest.raises(ValueError, match="'projections' need to be given where the layer has a scorer"):
            walk.propagate(plan, deposit, given_projections)


@pytest.mark.parametrize("hop", [0, 4, -1])
def test_hops_that_do_not_exist_are_refused(make_walk: Make, make_inputs: MakeInputs, hop: int) -> None:
    output = make_walk()(**make_inputs())
    with pytest.raises(IndexError, match=rf"'hop' needs to lie between 1 and 3 \(got {hop}\)"):
        output.hop(hop)
