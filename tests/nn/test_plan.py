import copy
import pickle
from dataclasses import fields

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from joingr_pyg.nn import Hop, WalkPlan, WalkPlanner

DIAMOND = torch.tensor([[0, 0, 1, 2], [1, 2, 3, 3]])


def tensors(value: Hop | WalkPlan) -> dict[str, Tensor]:
    return {f.name: getattr(value, f.name) for f in fields(value) if isinstance(getattr(value, f.name), Tensor)}


def numbers(value: Hop | WalkPlan) -> dict[str, int]:
    return {f.name: getattr(value, f.name) for f in fields(value) if isinstance(getattr(value, f.name), int)}


def assert_equal(left: WalkPlan, right: WalkPlan) -> None:
    for one, other in zip((left, *left.hops), (right, *right.hops), strict=True):
        assert numbers(one) == numbers(other)
        for name, tensor in tensors(one).items():
            assert tensor.dtype == (torch.float if name == "edge_weight" else torch.long)
            assert torch.equal(tensor, getattr(other, name)), name


def layers(edge_index: Tensor, num_nodes: int, seed: int, hops: int, undirected: bool) -> list[list[tuple[int, ...]]]:
    """The edges ``(edge, from, to, carries on)`` out of each breadth-first layer, by plain sets."""
    outgoing: dict[int, list[tuple[int, int]]] = {node: [] for node in range(num_nodes)}
    for edge, (tail, head) in enumerate(edge_index.t().tolist()):
        if tail != head:
            outgoing[tail].append((edge, head))
            if undirected:
                outgoing[head].append((edge, tail))
    frontier, expanded, result = {seed}, {seed}, []
    for hop in range(1, hops + 1):
        edges = [(edge, node, head) for node in frontier for edge, head in outgoing[node]]
        result.append(sorted((*e, int(e[2] not in expanded and hop < hops)) for e in edges))
        frontier = {head for _, _, head in edges} - expanded
        expanded |= frontier
    return result


@st.composite
def multigraphs(draw: st.DrawFn) -> tuple[Tensor, int]:
    num_nodes = draw(st.integers(1, 8))
    node = st.integers(0, num_nodes - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=16))
    return torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t(), num_nodes


@st.composite
def batches(draw: st.DrawFn) -> tuple[Tensor, int, Tensor, Tensor, int]:
    edge_index, num_nodes = draw(multigraphs())
    num_queries = draw(st.integers(1, 4))
    walk = st.tuples(st.integers(0, num_nodes - 1), st.integers(0, num_queries - 1))
    seed, query = torch.tensor(draw(st.lists(walk, max_size=6)), dtype=torch.long).reshape(-1, 2).t()
    return edge_index, num_nodes, seed, query, num_queries


def test_repr_and_length() -> None:
    planner = WalkPlanner(DIAMOND, num_nodes=5, hops=3)
    assert str(planner) == "WalkPlanner(5 nodes, 4 edges, hops=3)"
    plan = planner(torch.tensor([0]), torch.tensor([0]), 1)
    assert len(plan) == sum(len(hop) for hop in plan.hops) == 2 + 4 + 2


def test_plan_by_hand() -> None:
    """The diamond 0-1-3, 0-2-3 from node 0 for query 1, and from the end of its fourth edge for query 0."""
    planner = WalkPlanner(DIAMOND, num_nodes=5, hops=3)
    plan = planner(torch.tensor([0, 4]), torch.tensor([1, 0]), 2)
    assert numbers(plan) == {"num_queries": 2, "num_nodes": 5, "num_edges": 4}
    assert plan.query.tolist() == [1] * 8
    assert plan.edge.tolist() == [0, 1, 2, 0, 3, 1, 2, 3]
    assert plan.frontier.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert plan.neighbor.tolist() == [1, 2, 3, 0, 3, 0, 1, 2]

    first, second, third = plan.hops
    # Node 4 stands in the frontier without an edge.
    assert numbers(first) == {"start": 0, "frontier": 2, "next_frontier": 2}
    assert first.source.tolist() == [0, 0]
    assert first.ptr.tolist() == [0, 2, 2]
    assert first.carry.tolist() == [0, 1]
    assert first.target.tolist() == [0, 1]
    # Both ways into node 3 carry on to one place; the ways back to node 0 do not.
    assert numbers(second) == {"start": 2, "frontier": 2, "next_frontier": 1}
    assert second.source.tolist() == [0, 0, 1, 1]
    assert second.ptr.tolist() == [0, 2, 4]
    assert second.carry.tolist() == [0, 2]
    assert second.target.tolist() == [0, 0]
    assert numbers(third) == {"start": 6, "frontier": 1, "next_frontier": 0}
    assert third.source.tolist() == [0, 0]
    assert third.carry.tolist() == []


def test_directed_plan_by_hand() -> None:
    plan = WalkPlanner(DIAMOND, num_nodes=4, hops=3, undirected=False)(torch.tensor([1, 0]), torch.tensor([0, 0]), 1)
    assert [len(hop) for hop in plan.hops] == [3, 2, 0]
    assert plan.frontier.tolist() == [1, 0, 0, 1, 2]
    assert plan.neighbor.tolist() == [3, 1, 2, 3, 3]


@settings(max_examples=100, deadline=None)
@given(batch=batches(), hops=st.integers(1, 5), undirected=st.booleans())
def test_plan_lists_the_edges_out_of_each_breadth_first_layer(
    batch: tuple[Tensor, int, Tensor, Tensor, int], hops: int, undirected: bool
) -> None:
    edge_index, num_nodes, seed, query, num_queries = batch
    plan = WalkPlanner(edge_index, num_nodes, hops, undirected)(seed, query, num_queries)
    expected = [layers(edge_index, num_nodes, s, hops, undirected) for s in seed.tolist()]
    start, width = 0, seed.numel()
    for number, hop in enumerate(plan.hops):
        assert hop.start == start
        assert hop.frontier == width
        assert hop.source.tolist() == sorted(hop.source.tolist())
        counts = torch.bincount(hop.source, minlength=hop.frontier)
        assert torch.equal(hop.ptr, torch.cat([torch.zeros(1, dtype=torch.long), counts.cumsum(0)]))

        own = slice(start, start + len(hop))
        edge, frontier, neighbor = plan.edge[own], plan.frontier[own], plan.neighbor[own]
        carries = torch.zeros(len(hop), dtype=torch.long)
        carries[hop.carry] = 1
        found = sorted(torch.stack([plan.query[own], edge, frontier, neighbor, carries], 1).tolist())
        wanted = sorted(
            [q, *listed] for q, layer in zip(query.tolist(), expected, strict=True) for listed in layer[number]
        )
        assert found == wanted
        # Every place of the next frontier is the far end of the edges that lead to it, and no place is unused.
        assert sorted(set(hop.target.tolist())) == list(range(hop.next_frontier))
        if number + 1 < hops:
            after = plan.hops[number + 1]
            for place, node in zip(hop.target.tolist(), neighbor[hop.carry].tolist(), strict=True):
                leaving = after.start + after.ptr[place]
                if after.ptr[place] < after.ptr[place + 1]:
                    assert plan.frontier[leaving] == node
        start, width = start + len(hop), hop.next_frontier
    assert start == len(plan)


@settings(max_examples=50, deadline=None)
@given(batch=batches(), bound=st.integers(0, 12), data=st.data())
def test_a_used_planner_plans_as_a_fresh_one(
    batch: tuple[Tensor, int, Tensor, Tensor, int], bound: int, data: st.DataObject
) -> None:
    """Whatever was asked before, also after the bound was hit and the kept layers were dropped."""
    edge_index, num_nodes, *walks = batch
    used = WalkPlanner(edge_index, num_nodes, hops=3, max_cached_edges=bound)
    for earlier in data.draw(st.lists(st.lists(st.integers(0, num_nodes - 1), max_size=5), max_size=5)):
        used(torch.tensor(earlier, dtype=torch.long), torch.zeros(len(earlier), dtype=torch.long), 1)
    assert_equal(used(*walks), WalkPlanner(edge_index, num_nodes, hops=3)(*walks))


def test_the_bound_drops_kept_layers() -> None:
    chain = torch.stack([torch.arange(30), torch.arange(1, 31)])
    planner = WalkPlanner(chain, num_nodes=31, hops=2, max_cached_edges=40)
    for node in range(31):
        planner(torch.tensor([node]), torch.tensor([0]), 1)
        # A batch may overshoot by its own edges, at most six from one seed here.
        assert planner._num_kept <= 40 + 6
    assert 0 < int((planner._slot >= 0).sum()) < 31


def test_layers_of_a_seed_are_searched_once() -> None:
    planner = WalkPlanner(DIAMOND, num_nodes=4, hops=3)
    planner(torch.tensor([0, 0, 3]), torch.tensor([0, 1, 1]), 2)
    assert planner._searches == 2
    planner(torch.tensor([3, 1, 0]), torch.tensor([0, 0, 0]), 1)
    assert planner._searches == 3


@settings(max_examples=50, deadline=None)
@given(batch=batches(), parts=st.lists(multigraphs(), max_size=3), undirected=st.booleans(), data=st.data())
def test_an_extended_planner_plans_as_one_of_all_graphs(
    batch: tuple[Tensor, int, Tensor, Tensor, int],
    parts: list[tuple[Tensor, int]],
    undirected: bool,
    data: st.DataObject,
) -> None:
    edge_index, num_nodes, *walks = batch

    def weights(edges: Tensor) -> Tensor:
        weight = st.sampled_from([1.0, 0.5] if data.draw(st.booleans()) else [1.0])
        return torch.tensor(data.draw(st.lists(weight, min_size=edges.size(1), max_size=edges.size(1))))

    weight = weights(edge_index)
    planner = WalkPlanner(edge_index, num_nodes, hops=3, undirected=undirected, edge_weight=weight)
    before = planner(*walks)
    searches = planner._searches
    for added, count in parts:
        weight = torch.cat([weight, added_weight := weights(added)])
        planner.extend(added, count, added_weight)
        edge_index, num_nodes = torch.cat([edge_index, added + num_nodes], dim=1), num_nodes + count
    whole = WalkPlanner(edge_index, num_nodes, hops=3, undirected=undirected, edge_weight=weight)
    assert str(planner) == str(whole)
    assert_equal(planner(*walks), whole(*walks))
    assert planner._searches == searches
    assert before.num_nodes == batch[1]
    seed = torch.tensor(data.draw(st.lists(st.integers(0, num_nodes - 1), max_size=6)), dtype=torch.long)
    assert_equal(planner(seed, torch.zeros_like(seed), 1), whole(seed, torch.zeros_like(seed), 1))


def test_an_added_graph_with_edges_to_elsewhere_is_refused() -> None:
    planner = WalkPlanner(DIAMOND, num_nodes=4, hops=2)
    with pytest.raises(ValueError, match=r"'edge_index' needs to hold numbers in \[0, 2\) \(got 0 to 2\)"):
        planner.extend(torch.tensor([[0], [2]]), 2)
    assert str(planner) == "WalkPlanner(4 nodes, 4 edges, hops=2)"


def test_queries_without_seeds_and_empty_batches() -> None:
    planner = WalkPlanner(DIAMOND, num_nodes=4, hops=2)
    none = torch.empty(0, dtype=torch.long)
    for num_queries in (0, 3):
        plan = planner(none, none, num_queries)
        assert len(plan) == 0
        assert numbers(plan) == {"num_queries": num_queries, "num_nodes": 4, "num_edges": 4}
        assert [hop.ptr.tolist() for hop in plan.hops] == [[0], [0]]
    # Only the middle one of three queries has a seed.
    assert planner(torch.tensor([3]), torch.tensor([1]), 3).query.unique().tolist() == [1]


def test_graph_without_edges_or_nodes() -> None:
    no_edges = torch.empty(2, 0, dtype=torch.long)
    plan = WalkPlanner(no_edges, num_nodes=2, hops=2)(torch.tensor([1]), torch.tensor([0]), 1)
    assert len(plan) == 0
    assert [hop.frontier for hop in plan.hops] == [1, 0]
    none = torch.empty(0, dtype=torch.long)
    assert len(WalkPlanner(no_edges, num_nodes=0, hops=1)(none, none, 0)) == 0


def test_input_forms_give_one_plan() -> None:
    expected = WalkPlanner(DIAMOND, 4, 3)(torch.tensor([0, 3]), torch.tensor([0, 1]), 2)
    interleaved = DIAMOND.t().contiguous().t()
    assert not interleaved.is_contiguous()
    assert_equal(WalkPlanner(interleaved, 4, 3)(torch.tensor([0, 3]), torch.tensor([0, 1]), 2), expected)
    small = WalkPlanner(DIAMOND.int(), 4, 3)(torch.tensor([0, 3]).int(), torch.tensor([0, 1]).int(), 2)
    assert_equal(small, expected)


def test_planner_does_not_follow_later_changes_of_its_input() -> None:
    edge_index = DIAMOND.clone()
    planner = WalkPlanner(edge_index, 4, 3)
    edge_index.fill_(0)
    walks = (torch.tensor([0]), torch.tensor([0]), 1)
    assert_equal(planner(*walks), WalkPlanner(DIAMOND, 4, 3)(*walks))


def test_copies_equal_the_original() -> None:
    planner = WalkPlanner(DIAMOND, 4, 3)
    walks = (torch.tensor([0, 3]), torch.tensor([0, 1]), 2)
    plan = planner(*walks)
    assert_equal(plan.to("cpu"), plan)
    assert_equal(pickle.loads(pickle.dumps(plan)), plan)
    assert_equal(copy.deepcopy(planner)(*walks), plan)
    assert_equal(pickle.loads(pickle.dumps(planner))(*walks), plan)


@pytest.mark.parametrize(
    "device",
    ["meta", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here"))],
)
def test_plan_moves_to_a_device(device: str) -> None:
    plan = WalkPlanner(DIAMOND, 4, 3)(torch.tensor([0, 3]), torch.tensor([0, 1]), 2)
    moved = plan.to(device)
    for one, other in zip((plan, *plan.hops), (moved, *moved.hops), strict=True):
        assert numbers(one) == numbers(other)
        for name, tensor in tensors(one).items():
            there = getattr(other, name)
            assert there.device.type == device
            assert there.shape == tensor.shape
    if device != "meta":
        assert_equal(moved.to("cpu"), plan)
        # Seeds may live on the device as well.
        cuda = torch.device(device)
        planner = WalkPlanner(DIAMOND.to(cuda), 4, 3)
        assert_equal(planner(torch.tensor([0, 3], device=cuda), torch.tensor([0, 1], device=cuda), 2), plan)


@pytest.mark.parametrize(
    ("edge_index", "message"),
    [
        (torch.zeros(2, dtype=torch.long), r"'edge_index' needs to have shape \[2, num_edges\] \(got \[2\]\)"),
        (torch.zeros(4, 2, dtype=torch.long), r"'edge_index' needs to have shape .* \(got \[4, 2\]\)"),
        (torch.zeros(2, 3), r"'edge_index' needs to be of integer type \(got torch.float32\)"),
        (torch.tensor([[0, 1], [1, 4]]), r"'edge_index' needs to hold numbers in \[0, 4\) \(got 0 to 4\)"),
        (torch.tensor([[0, -1], [1, 3]]), r"'edge_index' needs to hold numbers in \[0, 4\) \(got -1 to 3\)"),
    ],
)
def test_wrong_edges_are_refused(edge_index: Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WalkPlanner(edge_index, num_nodes=4, hops=2)


@pytest.mark.parametrize("hops", [0, -1])
def test_hops_below_one_are_refused(hops: int) -> None:
    with pytest.raises(ValueError, match=rf"'hops' needs to be at least 1 \(got {hops}\)"):
        WalkPlanner(DIAMOND, num_nodes=4, hops=hops)


@pytest.mark.parametrize(
    ("seed", "query", "message"),
    [
        ([0, 4], [0, 1], r"'seed' needs to hold numbers in \[0, 4\) \(got 0 to 4\)"),
        ([-1], [0], r"'seed' needs to hold numbers in \[0, 4\) \(got -1 to -1\)"),
        ([0.0], [0], r"'seed' needs to be of integer type \(got torch.float32\)"),
        ([0, 1], [0, 2], r"'seed_query' needs to hold numbers in \[0, 2\) \(got 0 to 2\)"),
        ([0, 1], [-1, 0], r"'seed_query' needs to hold numbers in \[0, 2\) \(got -1 to 0\)"),
        ([0], [0.5], r"'seed_query' needs to be of integer type \(got torch.float32\)"),
        ([0, 1], [0], r"'seed' and 'seed_query' need to have one shape .* \(got \[2\] and \[1\]\)"),
        ([[0, 1]], [[0, 1]], r"'seed' and 'seed_query' need to have one shape .* \(got \[1, 2\] and \[1, 2\]\)"),
    ],
)
def test_wrong_seeds_are_refused(seed: list, query: list, message: str) -> None:
    planner = WalkPlanner(DIAMOND, num_nodes=4, hops=2)
    with pytest.raises(ValueError, match=message):
        planner(torch.tensor(seed), torch.tensor(query), 2)
