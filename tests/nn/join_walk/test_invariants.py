"""What holds of every walk."""

from collections import Counter
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from joingr_pyg.nn import JoinWalk

Inputs = dict[str, Tensor]
Make = Callable[..., JoinWalk]
MakeInputs = Callable[..., Inputs]


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
