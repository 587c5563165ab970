"""Graphs with walks, put together by a loader."""

import pytest
import torch
from torch_geometric.loader import DataLoader

from joingr_pyg.data.walk_data import WalkData
from joingr_pyg.nn import EdgeScorer, JoinWalk


def graph(seed: int, num_nodes: int, num_queries: int, weighted: bool) -> WalkData:
    """A random graph with two walks for each query."""
    generator = torch.Generator().manual_seed(seed)
    num_edges = 2 * num_nodes
    data = WalkData(
        x=torch.randn(num_nodes, 3, generator=generator),
        edge_index=torch.randint(num_nodes, (2, num_edges), generator=generator),
        edge_attr=torch.randn(num_edges, 4, generator=generator),
        query=torch.randn(num_queries, 5, generator=generator),
        seed=torch.randint(num_nodes, (2 * num_queries,), generator=generator),
        seed_query=torch.arange(num_queries).repeat_interleave(2),
        seed_deposit=torch.rand(2 * num_queries, generator=generator),
    )
    if weighted:
        data.edge_weight = 1 - torch.rand(num_edges, generator=generator)
    return data


@pytest.mark.parametrize("weighted", [True, False])
def test_walks_of_a_batch_are_those_of_its_graphs(weighted: bool) -> None:
    torch.manual_seed(0)
    walk = JoinWalk(EdgeScorer(5, 4, 3, 8), hops=3).eval()
    graphs = [graph(seed, *sizes, weighted) for seed, sizes in enumerate([(4, 1), (7, 3), (5, 2)])]
    (batch,) = DataLoader(graphs, batch_size=3)
    assert batch.seed_query.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    scores = walk(**batch.walk_inputs()).node_scores()
    assert scores.shape == (6, 16)
    expected = torch.block_diag(*(walk(**part.walk_inputs()).node_scores() for part in graphs))
    torch.testing.assert_close(scores, expected)
    assert [part.seed.tolist() for part in batch.to_data_list()] == [part.seed.tolist() for part in graphs]
