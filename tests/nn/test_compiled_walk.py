import copy
import itertools
import multiprocessing
import subprocess
import sys
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from joingr_pyg.kernels import kernels_available
from joingr_pyg.nn import EdgeScorer, JoinWalk
from joingr_pyg.nn.compiled_walk import CompiledWalk, Reached

pytest.importorskip("numba", reason="numba is not installed")

Inputs = dict[str, Tensor]
Make = Callable[..., JoinWalk]
MakeInputs = Callable[..., Inputs]
Literal = Callable[[JoinWalk, Inputs], tuple[Tensor, Tensor]]


def seed_matrix(inputs: Inputs, num_queries: int) -> tuple[Tensor, Tensor]:
    """Seeds and deposits of a batch of walks as ``[B, A]`` matrices, with gaps where a query has fewer."""
    seed = torch.full((num_queries, inputs["seed"].numel() + 1), -1)
    deposit = torch.zeros(seed.shape)
    for place, query in enumerate(inputs["seed_query"].tolist()):
        seed[query, place], deposit[query, place] = inputs["seed"][place], inputs["seed_deposit"][place]
    return seed, deposit


def compiled_scores(walk: JoinWalk, inputs: Inputs) -> Tensor:
    row = inputs["row"]
    planner = walk.planner(inputs["edge_index"], row.size(1), inputs.get("edge_weight"))
    compiled = CompiledWalk(walk, planner, inputs["edge_attr"], inputs["x"])
    return compiled(inputs["query"], *seed_matrix(inputs, row.size(0)), row).dense(row.size(1))


def assert_equals_layer(walk: JoinWalk, inputs: Inputs) -> None:
    expected = walk(**inputs).node_scores()
    torch.testing.assert_close(compiled_scores(walk, inputs), expected.detach(), rtol=1e-5, atol=1e-5)


def chain(seeds: list[list[int]], deposits: list[list[float]]) -> Reached:
    """Uniform walks along 0 - 1 - 2 - 3, beside a table without joins."""
    walk = JoinWalk(hops=5)
    planner = walk.planner(torch.tensor([[0, 1, 2], [1, 2, 3]]), 5)
    compiled = CompiledWalk(walk, planner, torch.zeros(3, 1), torch.zeros(5, 1))
    return compiled(torch.zeros(len(seeds), 1), torch.tensor(seeds), torch.tensor(deposits))


# By hand --------------------------------------------------------------------------------------------------------------


def test_chain_by_hand() -> None:
    """Half moves on at every hop, shared evenly: 1/2 | 1/8, 1/8 | 1/32, 1/32, and nothing is left of table 3's."""
    reached = chain([[0]], [[1.0]])
    assert reached.ptr.tolist() == [0, 4]
    assert reached.node.tolist() == [1, 0, 2, 3]
    torch.testing.assert_close(reached.score, torch.tensor([25 / 32, 5 / 8, 5 / 32 + 1 / 32 + 1 / 64, 1 / 32 + 1 / 64]))


def test_each_query_has_its_own_seeds() -> None:
    reached = chain([[0, -1], [4, 3], [-1, -1], [3, 0]], [[1.0, 9.0], [1.0, 1.0], [9.0, 9.0], [1.0, 1.0]])
    one, other = chain([[0]], [[1.0]]).dense(5)[0], chain([[3]], [[1.0]]).dense(5)[0]
    torch.testing.assert_close(reached.dense(5), torch.stack([one, other, torch.zeros(5), one + other]))


def test_equal_scores_go_by_node() -> None:
    """A star whose centre hands out equal shares."""
    walk = JoinWalk(hops=1)
    compiled = CompiledWalk(
        walk, walk.planner(torch.tensor([[2, 2, 2], [3, 0, 1]]), 4), torch.zeros(3, 1), torch.zeros(4, 1)
    )
    reached = compiled(torch.zeros(1, 1), torch.tensor([[2]]), torch.tensor([[1.0]]))
    assert reached.node.tolist() == [2, 0, 1, 3]
    torch.testing.assert_close(reached.score, torch.tensor([1 / 2, 1 / 6, 1 / 6, 1 / 6]))


def test_a_seed_without_deposit_reaches_nothing() -> None:
    reached = chain([[0]], [[0.0]])
    assert reached.ptr.tolist() == [0, 0]
    assert reached.node.tolist() == reached.score.tolist() == []


def test_first() -> None:
    reached = Reached(torch.tensor([0, 3, 3, 4]), torch.tensor([7, 2, 5, 1]), torch.tensor([0.9, 0.5, 0.1, 0.3]))
    node, score = reached.first(2)
    assert node.tolist() == [[7, 2], [-1, -1], [1, -1]]
    torch.testing.assert_close(score, torch.tensor([[0.9, 0.5], [-torch.inf] * 2, [0.3, -torch.inf]]))
    assert reached.first(9)[0].tolist()[0] == [7, 2, 5] + 6 * [-1]


# The same as the layer ------------------------------------------------------------------------------------------------


def test_equals_literal(make_walk: Make, make_inputs: MakeInputs, literal: Literal) -> None:
    walk, inputs = make_walk(), make_inputs(seed=3, num_nodes=9, num_edges=20, num_queries=4)
    expected = literal(walk, inputs)[1].detach()
    assert expected.any()
    torch.testing.assert_close(compiled_scores(walk, inputs), expected, rtol=0, atol=1e-5)


@given(
    seed=st.integers(0, 2**20),
    num_nodes=st.integers(1, 12),
    num_edges=st.integers(0, 40),
    num_queries=st.integers(1, 4),
    hops=st.integers(1, 5),
    undirected=st.booleans(),
    learned=st.booleans(),
    weighted=st.booleans(),
    damping=st.sampled_from([0.0, 0.7]),
)
@settings(deadline=None, max_examples=80)
def test_equals_layer(
    make_walk: Make,
    make_inputs: MakeInputs,
    seed: int,
    num_nodes: int,
    num_edges: int,
    num_queries: int,
    hops: int,
    undirected: bool,
    learned: bool,
    weighted: bool,
    damping: float,
) -> None:
    walk = make_walk(seed, learned=learned, hops=hops, undirected=undirected, hub_damping=damping)
    inputs = make_inputs(seed, num_nodes, num_edges, num_queries)
    if weighted:
        inputs["edge_weight"] = 1 - torch.rand(num_edges, generator=torch.Generator().manual_seed(seed))
    assert_equals_layer(walk, inputs)


def test_walks_of_one_query_may_start_at_one_node(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs(num_queries=1)
    seeds = {"seed": torch.tensor([2, 2, 5]), "seed_query": torch.zeros(3).long(), "seed_deposit": torch.rand(3)}
    assert_equals_layer(walk, inputs | seeds)


def test_dropout_is_not_applied(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs()
    expected = compiled_scores(walk, inputs)
    assert torch.equal(compiled_scores(walk.train(), inputs), expected)


def test_scores_beyond_the_range_of_the_exponential(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs(num_edges=30)
    with torch.no_grad():
        walk.scorer.output.weight.mul_(200)
    assert_equals_layer(walk, inputs)


def test_channels_without_gain(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs(num_edges=30)
    with torch.no_grad():
        walk.scorer.norm.weight[:3] = 0
    assert_equals_layer(walk, inputs)


def test_variance_of_terms_that_cancel(make_walk: Make, make_inputs: MakeInputs) -> None:
    """A large bias that the second hop takes off again leaves few digits of the sum of squares."""
    walk, inputs = make_walk(), make_inputs(num_nodes=9, num_edges=30)
    direction = torch.linspace(-200, 200, 8)
    with torch.no_grad():
        walk.scorer.input.bias.copy_(-2 * direction)
        walk.scorer.input.weight[:, -1] = direction
    assert_equals_layer(walk, inputs)


def test_default_rows(make_walk: Make, make_inputs: MakeInputs) -> None:
    """Node vectors that do not depend on the query."""
    walk, inputs = make_walk(), make_inputs()
    inputs["x"], inputs["row"] = inputs["x"][:7], torch.arange(7).expand(3, 7)
    compiled = CompiledWalk(walk, walk.planner(inputs["edge_index"], 7), inputs["edge_attr"], inputs["x"])
    reached = compiled(inputs["query"], *seed_matrix(inputs, 3))
    assert torch.equal(reached.dense(7), compiled_scores(walk, inputs))


def test_rows_nearest_to_the_query(make_inputs: MakeInputs) -> None:
    """Where nodes own rows, the pass finds the one that stands for a node itself, the first of equals."""
    torch.manual_seed(0)
    walk = JoinWalk(EdgeScorer(3, 4, 3, hidden_channels=8), hops=3).eval()
    inputs = make_inputs(num_nodes=5)
    inputs["query"] = inputs["query"][:, :3]
    x = torch.randn(9, 3)
    x[4] = x[3]
    first_row = torch.tensor([0, 1, 3, 5, 8, 9])
    similarity = inputs["query"] @ x.t()
    owned = itertools.pairwise(first_row.tolist())
    inputs["row"] = torch.stack([similarity[:, begin:end].argmax(1) + begin for begin, end in owned], dim=1)
    assert (inputs["row"][:, 2] == 3).all()
    compiled = CompiledWalk(walk, walk.planner(inputs["edge_index"], 5), inputs["edge_attr"], x, first_row)
    reached = compiled(inputs["query"], *seed_matrix(inputs, 3))
    assert torch.equal(reached.dense(5), compiled_scores(walk, inputs | {"x": x}))


# Numbers whose sums of products single precision holds exactly, so that no order of summation matters; rows that are
# the same in 16 bits, or wholly, or far apart.
WIDTH = 6
BASE = st.lists(st.integers(-(2**19), 2**19), min_size=WIDTH, max_size=WIDTH)
NEAR = st.lists(st.lists(st.integers(-2, 2), min_size=WIDTH, max_size=WIDTH), min_size=1, max_size=6)
QUERY = st.lists(st.integers(-2, 2), min_size=WIDTH, max_size=WIDTH)


def nearest(query: np.ndarray, rows: np.ndarray, first: int = 0) -> int:
    """The nearest of the rows behind the first ``first`` ones, as the pass finds it."""
    from joingr_pyg.kernels.join_walk import encode, nearest_row

    query, rows = query.astype(np.float32), rows.astype(np.float32)
    norm = np.float32(np.linalg.norm(query.astype(np.float64)))
    upper = np.empty(len(rows), np.float32)
    return int(nearest_row(query, norm, (rows, *encode(rows)), np.uint64(first), np.uint64(len(rows)), upper))


@given(bases=st.lists(st.tuples(BASE, NEAR), min_size=1, max_size=3), query=QUERY, data=st.data())
@settings(deadline=None, max_examples=300)
def test_the_nearest_row_is_that_of_single_precision(
    bases: list[tuple[list[int], list[list[int]]]], query: list[int], data: st.DataObject
) -> None:
    """The first of the largest, also among rows whose codes are equal."""
    rows = np.concatenate([np.array(base) + np.array(near) for base, near in bases])
    first = data.draw(st.integers(0, len(rows) - 1))
    product = rows @ np.array(query)
    assert nearest(np.array(query), rows, first) == first + product[first:].argmax()
    # Powers of two change no digit.
    assert nearest(np.array(query) * 2.0**-60, rows * 2.0**-60, first) == first + product[first:].argmax()


@pytest.mark.parametrize("width", [1, 7, 384])
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_products_with_codes_are_off_by_no_more_than_they_say(width: int, scale: float) -> None:
    from joingr_pyg.kernels.join_walk import encode

    random = np.random.default_rng(0)
    rows = (scale * random.standard_normal((200, width)) ** 3).astype(np.float32)
    code, step_radius = encode(rows)
    decoded = code * step_radius[:, :1].astype(np.float64)
    off = rows - decoded
    # What is left of a row is the query that a code serves worst.
    for query in np.concatenate([off[:20] / scale, random.standard_normal((20, width))]).astype(np.float32):
        difference = np.abs((rows @ query).astype(np.float64) - decoded @ query.astype(np.float64))
        assert (difference <= step_radius[:, 1] * np.linalg.norm(query.astype(np.float64))).all()
    assert (step_radius[:, 1] <= np.linalg.norm(rows, axis=1) * 2e-4).all()


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[0, 0], [0, 0]], 0),
        ([[-1, -1], [0, 0], [0, 0]], 1),
        ([[np.nan, 1], [-1, 1], [0, 1], [np.nan, 0]], 2),
        ([[np.nan, 1], [np.nan, 1]], 0),
        ([[1, 1], [np.inf, 1], [np.inf, 0]], 1),
        ([[-np.inf, 1], [-5, 1]], 1),
        ([[1e-40, 0], [3e-40, 0], [2e-40, 0]], 1),
    ],
)
def test_the_nearest_of_rows_without_codes(rows: list[list[float]], expected: int) -> None:
    """Zeros, numbers that are too small for one, and what is no number."""
    assert nearest(np.ones(2), np.array(rows)) == expected


# Batches, threads, memory ---------------------------------------------------------------------------------------------


def test_batches_and_threads(make_walk: Make, make_inputs: MakeInputs) -> None:
    """A batch large enough to be shared out gives what its queries give one by one, whatever the threads."""
    walk, inputs = make_walk(), make_inputs(num_nodes=20, num_edges=40, num_queries=100)
    planner = walk.planner(inputs["edge_index"], 20)
    compiled = CompiledWalk(walk, planner, inputs["edge_attr"], inputs["x"])
    batch = (inputs["query"], *seed_matrix(inputs, 100), inputs["row"])
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        together = compiled(*batch)
        torch.set_num_threads(1)
        alone = [compiled(*(part[query : query + 1] for part in batch)) for query in range(100)]
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(together.ptr.diff(), torch.tensor([len(each.node) for each in alone]))
    assert torch.equal(together.node, torch.cat([each.node for each in alone]))
    assert torch.equal(together.score, torch.cat([each.score for each in alone]))


def test_many_nodes_for_a_query() -> None:
    """More than there is room for at first."""
    walk = JoinWalk(hops=1)
    star = torch.stack([torch.zeros(500, dtype=torch.long), torch.arange(1, 501)])
    compiled = CompiledWalk(walk, walk.planner(star, 501), torch.zeros(500, 1), torch.zeros(501, 1))
    reached = compiled(torch.zeros(2, 1), torch.tensor([[0], [1]]), torch.ones(2, 1))
    assert reached.ptr.tolist() == [0, 501, 503]
    assert reached.node.tolist() == [*range(501), 0, 1]
    torch.testing.assert_close(reached.score, torch.tensor([0.5] + 500 * [0.001] + [0.5, 0.5]))


def test_empty_batch() -> None:
    walk = JoinWalk()
    compiled = CompiledWalk(
        walk, walk.planner(torch.zeros(2, 0, dtype=torch.long), 3), torch.zeros(0, 1), torch.zeros(3, 1)
    )
    reached = compiled(torch.zeros(0, 1), torch.zeros(0, 5, dtype=torch.long), torch.zeros(0, 5))
    assert reached.dense(3).shape == (0, 3)
    assert reached.first(2)[0].shape == (0, 2)


def test_memory_follows_the_nodes_reached() -> None:
    num_nodes = 200_000
    walk = JoinWalk(hops=2)
    pairs = torch.arange(num_nodes).view(-1, 2).t()
    compiled = CompiledWalk(
        walk, walk.planner(pairs, num_nodes), torch.zeros(pairs.size(1), 1), torch.zeros(num_nodes, 1)
    )
    batch = (torch.zeros(8, 1), torch.arange(8).view(8, 1), torch.ones(8, 1))
    compiled(*batch)
    tracemalloc.start()
    try:
        assert compiled(*batch).node.numel() == 16
        assert tracemalloc.get_traced_memory()[1] < num_nodes / 4
    finally:
        tracemalloc.stop()


def _scores_in_child(compiled: CompiledWalk, batch: tuple[Tensor, ...], results: multiprocessing.Queue) -> None:
    results.put(compiled(*batch).score.numpy())


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork on Windows")
def test_after_a_fork(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs(num_queries=100)
    compiled = CompiledWalk(walk, walk.planner(inputs["edge_index"], 7), inputs["edge_attr"], inputs["x"])
    batch = (inputs["query"], *seed_matrix(inputs, 100), inputs["row"])
    expected = compiled(*batch).score
    context = multiprocessing.get_context("fork")
    results: multiprocessing.Queue = context.Queue()
    child = context.Process(target=_scores_in_child, args=(compiled, batch, results))
    child.start()
    try:
        assert torch.equal(torch.from_numpy(results.get(timeout=60)), expected)
    finally:
        child.kill()


def test_copies(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs()
    compiled = CompiledWalk(walk, walk.planner(inputs["edge_index"], 7), inputs["edge_attr"], inputs["x"])
    batch = (inputs["query"], *seed_matrix(inputs, 3), inputs["row"])
    assert torch.equal(copy.deepcopy(compiled)(*batch).score, compiled(*batch).score)


def test_repr(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs()
    compiled = CompiledWalk(walk, walk.planner(inputs["edge_index"], 7), inputs["edge_attr"], inputs["x"])
    assert str(compiled) == f"CompiledWalk({walk}, num_nodes=7)"


# Errors ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"seed": torch.tensor([[0], [1], [7]])}, IndexError, "'seed' names a node"),
        ({"row": torch.full((3, 7), 14)}, IndexError, "'row' names a row"),
        ({"row": torch.full((3, 7), -1)}, IndexError, "'row' names a row"),
        ({"row": torch.zeros(3, 6).long()}, ValueError, r"'row' needs to have shape \[3, 7\] \(got \[3, 6\]\)"),
        ({"seed": torch.tensor([0, 1, 2])}, ValueError, r"'seed' and 'seed_deposit' need .* \[3, num_seeds\]"),
        ({"seed_deposit": torch.ones(3, 2)}, ValueError, r"\(got \[3, 1\] and \[3, 2\]\)"),
        ({"query": torch.zeros(3, 4)}, ValueError, r"'query' needs to have shape \[3, 5\] \(got \[3, 4\]\)"),
    ],
)
def test_wrong_calls(
    make_walk: Make, make_inputs: MakeInputs, change: Inputs, error: type[Exception], message: str
) -> None:
    walk, inputs = make_walk(), make_inputs(edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]))
    compiled = CompiledWalk(walk, walk.planner(inputs["edge_index"], 7), inputs["edge_attr"], inputs["x"])
    batch = {
        "query": inputs["query"],
        "seed": torch.tensor([[0], [1], [3]]),
        "seed_deposit": torch.ones(3, 1),
        "row": inputs["row"],
    }
    before = compiled(**batch).score
    with pytest.raises(error, match=message):
        compiled(**batch | change)
    # What an error left half done is not taken up by the next call.
    assert torch.equal(compiled(**batch).score, before)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"edge_attr": torch.zeros(2, 4)}, r"'edge_attr' needs to have shape \[3, 4\] \(got \[2, 4\]\)"),
        ({"edge_attr": torch.zeros(3, 5)}, r"'edge_attr' needs to have shape \[3, 4\] \(got \[3, 5\]\)"),
        ({"x": torch.zeros(7, 2)}, r"'x' needs to have shape \[7, 3\] \(got \[7, 2\]\)"),
        ({"first_row": torch.arange(7)}, "'first_row' needs to hold 8 numbers from 0 to 7"),
        ({"first_row": torch.arange(8) + 1}, "'first_row' needs to hold 8 numbers from 0 to 7"),
        ({"first_row": torch.tensor([0, 2, 2, 3, 4, 5, 6, 7])}, "'first_row' needs to ascend"),
    ],
)
def test_wrong_arguments(make_walk: Make, arguments: Inputs, message: str) -> None:
    walk = make_walk()
    planner = walk.planner(torch.tensor([[0, 1, 2], [1, 2, 3]]), 7)
    with pytest.raises(ValueError, match=message):
        CompiledWalk(walk, planner, **{"edge_attr": torch.zeros(3, 4), "x": torch.zeros(7, 3)} | arguments)


def test_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package imports; only the pass is not to be had."""
    assert kernels_available()
    monkeypatch.setitem(sys.modules, "numba", None)
    assert not kernels_available()
    program = (
        "import sys; sys.modules['numba'] = None; import torch; from joingr_pyg.nn import JoinWalk;"
        "from joingr_pyg.nn.compiled_walk import CompiledWalk;"
        "walk = JoinWalk(); edges = torch.zeros(2, 0, dtype=torch.long);"
        "CompiledWalk(walk, walk.planner(edges, 1), torch.zeros(0, 1), torch.zeros(1, 1))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "ImportError: CompiledWalk needs numba: pip install 'joingr-pyg[kernels]'" in result.stderr
