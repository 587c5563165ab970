"""The compiled walk over potentials equals the layer."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("numba")

from joingr_pyg.nn import EdgeScorer, JoinWalk, Potentials
from joingr_pyg.nn.compiled_potential_walk import CompiledPotentialWalk


def both(
    edge_index: torch.Tensor,
    num_nodes: int,
    hops: int,
    undirected: bool,
    seed: torch.Tensor,
    number: int,
    weighted: bool = False,
    damping: float = 0.0,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Node scores of the layer and of the compiled walk, under drawn potentials, decays and deposits."""
    generator = torch.Generator().manual_seed(number)
    walk = JoinWalk(None, hops=hops, undirected=undirected, learn_decays=True, hub_damping=damping)
    with torch.no_grad():
        walk.decay_logit.copy_(torch.randn(hops, generator=generator))
    weight = 1 - torch.rand(edge_index.size(1), generator=generator) if weighted else None
    planner = walk.planner(edge_index, num_nodes, weight)
    potentials = Potentials(
        3 * torch.randn(len(seed), edge_index.size(1), generator=generator),
        torch.randn(len(seed), num_nodes, generator=generator),
    )
    deposit = torch.rand(seed.shape, generator=generator)
    query, place = (seed >= 0).nonzero(as_tuple=True)
    plan = planner(seed[query, place], query, len(seed))
    with torch.no_grad():
        laid = walk.propagate(plan, deposit[query, place], potentials.along(plan))
    scores = torch.zeros(len(seed) * num_nodes)
    for node in (plan.frontier, plan.neighbor):
        scores.index_add_(0, plan.query * num_nodes + node, laid)
    return scores.view(len(seed), num_nodes), CompiledPotentialWalk(walk, planner)(potentials, seed, deposit)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_node_scores_are_those_of_the_layer(data: st.DataObject) -> None:
    num_nodes = data.draw(st.integers(1, 7))
    node = st.integers(0, num_nodes - 1)
    edges = data.draw(st.lists(st.tuples(node, node), max_size=12))
    seeds = data.draw(st.lists(st.lists(st.integers(-1, num_nodes - 1), min_size=3, max_size=3), max_size=4))
    expected, found = both(
        torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t(),
        num_nodes,
        data.draw(st.integers(1, 4)),
        data.draw(st.booleans()),
        torch.tensor(seeds, dtype=torch.long).reshape(-1, 3),
        data.draw(st.integers(0, 99)),
        data.draw(st.booleans()),
        data.draw(st.sampled_from([0.0, 0.7])),
    )
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-5)


def test_many_questions_are_shared_among_threads() -> None:
    generator = torch.Generator().manual_seed(0)
    edge_index = torch.randint(40, (2, 90), generator=generator)
    seed = torch.randint(40, (150, 5), generator=generator)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        expected, found = both(edge_index, 40, 5, True, seed, 1)
    finally:
        torch.set_num_threads(before)
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-5)


def test_wrong_input_is_refused() -> None:
    walk = JoinWalk(None, hops=1)
    planner = walk.planner(torch.tensor([[0], [1]]), 2)
    compiled = CompiledPotentialWalk(walk, planner)
    good = Potentials(torch.zeros(1, 1), torch.zeros(1, 2))
    with pytest.raises(ValueError, match=r"'node' potentials need shape \[1, 2\]"):
        compiled(good._replace(node=torch.zeros(1, 3)), torch.zeros(1, 1).long(), torch.ones(1, 1))
    with pytest.raises(ValueError, match="'seed' needs to name nodes below 2"):
        compiled(good, torch.full((1, 1), 2), torch.ones(1, 1))
    with pytest.raises(ValueError, match="need one shape"):
        compiled(good, torch.zeros(1, 1).long(), torch.ones(1, 2))
    with pytest.raises(ValueError, match="without a scorer"):
        CompiledPotentialWalk(JoinWalk(EdgeScorer(1, 1, 1, 4), hops=1), planner)
