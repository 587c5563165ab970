"""Graphs in the forms of torch and torch_geometric."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch_geometric import EdgeIndex

from joingr_pyg.nn import JoinWalk
from joingr_pyg.nn.edges import edges_of

Inputs = dict[str, Tensor]

# From 0 to 1 and 2, from 1 to 3; row by row of the transposed matrix.
EDGES = torch.tensor([[0, 0, 1], [1, 2, 3]])
WEIGHT = torch.tensor([0.5, 1.0, 0.25])


def matrix(layout: torch.layout, value: Tensor = WEIGHT) -> Tensor:
    """The transposed adjacency matrix of the graph."""
    return torch.sparse_coo_tensor(EDGES.flip(0), value, (4, 4)).coalesce().to_sparse(layout=layout)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_values_of_a_matrix_are_weights(layout: torch.layout) -> None:
    edges, weight = edges_of(matrix(layout))
    assert edges.tolist() == EDGES.tolist()
    assert torch.equal(weight, WEIGHT)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
@pytest.mark.parametrize("undirected", [True, False])
def test_a_walk_over_a_matrix(layout: torch.layout, undirected: bool) -> None:
    walk, none = JoinWalk(hops=2, undirected=undirected), torch.tensor([0])
    given = torch.zeros(1, 1), torch.zeros(4, 1)
    seeds = None, none, none, torch.ones(1)
    expected = walk(*given, EDGES, *seeds, edge_weight=WEIGHT)
    output = walk(*given, matrix(layout), *seeds)
    assert torch.equal(output.edge_deposits(), expected.edge_deposits())
    assert torch.equal(walk.planner(matrix(layout), 4)(none, none, 1).edge, expected.plan.edge)
    # Ones and booleans change nothing.
    ones = walk(*given, matrix(layout, torch.ones(3, dtype=torch.bool)), *seeds)
    assert torch.equal(ones.deposit, walk(*given, EDGES, *seeds).deposit)


def test_gradients_reach_the_values_of_a_matrix() -> None:
    weight, none = WEIGHT.clone().requires_grad_(), torch.tensor([0])
    graph = torch.sparse_coo_tensor(EDGES.flip(0), weight, (4, 4))
    walk = JoinWalk(hops=1)
    walk(torch.zeros(1, 1), torch.zeros(4, 1), graph, None, none, none, torch.ones(1)).node_scores()[0, 1].backward()
    # Half of w / (w + v) with w = 1/2 and v = 1: half of v / (w + v)², and half of -w / (w + v)².
    torch.testing.assert_close(weight.grad, torch.tensor([2 / 9, -1 / 9, 0.0]))


def test_an_edge_index_is_a_tensor_of_edges(
    make_walk: Callable[..., JoinWalk], make_inputs: Callable[..., Inputs]
) -> None:
    walk, inputs = make_walk(), make_inputs()
    index = EdgeIndex(inputs["edge_index"], sparse_size=(7, 7))
    assert type(edges_of(index)[0]) is Tensor
    assert torch.equal(walk(**inputs | {"edge_index": index}).deposit, walk(**inputs).deposit)
    plan = walk.planner(index, 7)(inputs["seed"], inputs["seed_query"], 3)
    compiled = torch.compile(walk, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(**inputs | {"edge_index": index}, plan=plan).deposit, walk(**inputs).deposit)


def test_a_sparse_tensor_of_torch_sparse() -> None:
    torch_sparse = pytest.importorskip("torch_sparse")
    graph = torch_sparse.SparseTensor(row=EDGES[1], col=EDGES[0], value=WEIGHT, sparse_sizes=(4, 4))
    edges, weight = edges_of(graph)
    assert (edges.tolist(), weight.tolist()) == (EDGES.tolist(), WEIGHT.tolist())
    assert edges_of(graph.set_value(None))[1].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("graph", "weight", "message"),
    [
        (torch.zeros(3, 4).to_sparse(), None, r"'edge_index' needs to be square where it is a matrix \(got 3 x 4\)"),
        (
            torch.sparse_coo_tensor(EDGES.flip(0), torch.ones(3, 2), (4, 4, 2)),
            None,
            r"one value for each edge, its weight \(got values of shape \[3, 2\]\): give vectors of",
        ),
        (matrix(torch.sparse_coo), WEIGHT, "'edge_weight' needs to be None where the values of 'edge_index' are"),
    ],
)
def test_other_matrices_are_refused(graph: Tensor, weight: Tensor | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        edges_of(graph, weight)
