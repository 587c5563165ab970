"""Join graphs go into layers and models of torch_geometric as they are."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import HeteroData
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GraphConv, SAGEConv, to_hetero
from torch_geometric.transforms import ToUndirected

from joingr_pyg.data.graph import TABLE_JOIN
from joingr_pyg.datasets import Demo
from joingr_pyg.encoders import Encoder
from joingr_pyg.nn import EdgeScorer, JoinWalk

CHANNELS = 16


class GNN(nn.Module):
    """A model for one type of nodes and edges, as torch_geometric's documentation has it."""

    def __init__(self, layer: type[nn.Module]) -> None:
        super().__init__()
        self.first, self.second = layer((-1, -1), CHANNELS), layer((-1, -1), 4)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.second(self.first(x, edge_index).relu(), edge_index)


@pytest.fixture
def graphs(encoder: Encoder, tmp_path: Path) -> list[HeteroData]:
    demo = Demo("unused", "test", encoder, tmp_path)
    return [demo[number] for number in range(len(demo))]


@pytest.mark.parametrize("layer", [SAGEConv, GraphConv])
def test_a_heterogeneous_gnn_over_batches(graphs: list[HeteroData], layer: type[nn.Module]) -> None:
    torch.manual_seed(0)
    undirected = [ToUndirected()(graph) for graph in graphs]
    model = to_hetero(GNN(layer), undirected[0].metadata()).eval()
    (batch,) = DataLoader(undirected, batch_size=len(undirected))
    with torch.no_grad():
        together = model(batch.x_dict, batch.edge_index_dict)["table"]
        apart = [model(graph.x_dict, graph.edge_index_dict)["table"] for graph in undirected]
    assert together.shape == (sum(graph["table"].num_nodes for graph in graphs), 4)
    torch.testing.assert_close(together, torch.cat(apart))
    assert apart[0].std(dim=0).min() > 0


def test_a_gnn_learns_along_joins(graphs: list[HeteroData]) -> None:
    """The gradient of every relation's weights: tables hear of each other, and of their columns."""
    torch.manual_seed(0)
    graph = graphs[0]
    model = to_hetero(GNN(SAGEConv), graph.metadata())
    (model(graph.x_dict, graph.edge_index_dict)["table"] ** 2).sum().backward()
    used = {name for name, weight in model.named_parameters() if weight.grad is not None and weight.grad.any()}
    assert {"second.table__join__table.lin_l.weight", "second.column__of__table.lin_l.weight"} <= used


def test_a_walk_over_a_batch_of_graphs(graphs: list[HeteroData]) -> None:
    torch.manual_seed(0)
    dim = graphs[0]["table"].x.size(1)
    walk = JoinWalk(EdgeScorer(dim, dim, dim, 8), hops=3).eval()
    query, one = torch.randn(1, dim), torch.tensor([0])

    def scores(graph: HeteroData) -> Tensor:
        joins = graph[TABLE_JOIN]
        return walk(
            query, graph["table"].x, joins.edge_index, joins.edge_attr, one, one, torch.ones(1),
            edge_weight=joins.confidence,
        ).node_scores()[0]  # fmt: skip

    (batch,) = DataLoader(graphs, batch_size=len(graphs))
    first = scores(graphs[0])
    assert (first > 0).sum() > 1
    count = graphs[0]["table"].num_nodes
    torch.testing.assert_close(scores(batch)[:count], first)
    assert not scores(batch)[count:].any()
