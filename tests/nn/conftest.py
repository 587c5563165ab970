"""Walks over random multigraphs, and the literal Algorithm 2 on the same inputs."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from joingr_pyg.nn import EdgeScorer, JoinWalk, segment
from joingr_pyg.testing.algorithm2 import literal_scores, literal_walk

Inputs = dict[str, Tensor]
# All different, so that no two can be taken for each other.
QUERY, EDGE, NODE, HIDDEN = 5, 4, 3, 8


@pytest.fixture(scope="session")
def make_walk() -> Callable[..., JoinWalk]:
    """A layer in evaluation mode whose weights and decays are all drawn at random."""

    def make(seed: int = 0, dtype: torch.dtype = torch.float, learned: bool = True, **options: object) -> JoinWalk:
        walk = JoinWalk(EdgeScorer(QUERY, EDGE, NODE, HIDDEN) if learned else None, **{"hops": 3} | options)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for parameter in walk.parameters():
                parameter.uniform_(-1, 1, generator=generator)
        return walk.to(dtype).eval()

    return make


@pytest.fixture(scope="session")
def make_inputs() -> Callable[..., Inputs]:
    """Arguments of a walk over a random multigraph with loops, parallel edges and isolated nodes.

    Every query has its own number of seeds, all different, and its own row for every node.
    """

    def make(
        seed: int = 0,
        num_nodes: int = 7,
        num_edges: int = 12,
        num_queries: int = 3,
        edge_index: Tensor | None = None,
        dtype: torch.dtype = torch.float,
    ) -> Inputs:
        generator = torch.Generator().manual_seed(seed)

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=generator, dtype=torch.double).to(dtype)

        def below(high: int, *shape: int) -> Tensor:
            return torch.randint(max(high, 1), shape, generator=generator)

        if edge_index is None:
            edge_index = below(num_nodes, 2, num_edges)
        walks = [int(below(min(num_nodes, 3) + 1, 1)) for _ in range(num_queries)]
        seeds = [torch.randperm(num_nodes, generator=generator)[:count] for count in walks]
        return {
            "query": normal(num_queries, QUERY),
            "x": normal(2 * num_nodes, NODE),
            "edge_index": edge_index,
            "edge_attr": normal(edge_index.size(1), EDGE),
            "seed": torch.cat([*seeds, torch.empty(0, dtype=torch.long)]),
            "seed_query": torch.arange(num_queries).repeat_interleave(torch.tensor(walks, dtype=torch.long)),
            "seed_deposit": normal(sum(walks)).abs(),
            "row": below(2 * num_nodes, num_queries, num_nodes),
        }

    return make


@pytest.fixture(scope="session")
def literal() -> Callable[[JoinWalk, Inputs], tuple[Tensor, Tensor]]:
    """Edge deposits ``[B, E]`` and node scores ``[B, N]`` by the literal Algorithm 2."""

    def run(walk: JoinWalk, inputs: Inputs) -> tuple[Tensor, Tensor]:
        query, row, edge_index = inputs["query"], inputs["row"], inputs["edge_index"]
        deposits, scores = query.new_zeros(query.size(0), edge_index.size(1)), []
        for number in range(query.size(0)):
            own = (inputs["seed_query"] == number).nonzero().flatten().tolist()
            anchors = {int(inputs["seed"][i]): inputs["seed_deposit"][i] for i in own}
            vectors = inputs["x"][row[number]], edge_index, inputs["edge_attr"]
            laid = literal_walk(walk, query[number], *vectors, anchors, inputs.get("edge_weight"))
            for edge, deposit in laid.items():
                deposits = deposits.index_put((torch.tensor(number), torch.tensor(edge)), deposit)
            scores.append(literal_scores(laid, edge_index, row.size(1)).to(query.dtype))
        return deposits, torch.stack(scores) if scores else query.new_zeros(0, row.size(1))

    return run


@pytest.fixture(params=["torch", "torch_scatter"])
def kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with torch's own operations, and with torch-scatter's where that is installed."""
    if request.param == "torch":
        monkeypatch.setattr(segment, "torch_scatter", None)
    elif segment.torch_scatter is None:
        pytest.skip("torch-scatter is not installed for this torch")
    return request.param
