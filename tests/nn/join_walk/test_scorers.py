"""Any module may score edges."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from joingr_pyg.nn import EdgeScorer, JoinWalk
from joingr_pyg.nn.compiled_walk import CompiledWalk

Inputs = dict[str, Tensor]
Make = Callable[..., JoinWalk]
MakeInputs = Callable[..., Inputs]


class Concatenated(nn.Module):
    """The scorer of the paper as it writes it: features are concatenated for every edge."""

    def __init__(self, scorer: EdgeScorer) -> None:
        super().__init__()
        self.scorer = scorer

    def forward(
        self, query: Tensor, edge_attr: Tensor, x_from: Tensor, x_to: Tensor, deposit: Tensor, hop: int
    ) -> Tensor:
        scalars = torch.stack([deposit, torch.full_like(deposit, hop)], dim=1)
        return self.scorer.concatenated(torch.cat([query, edge_attr, x_from, x_to, scalars], dim=1))


@pytest.mark.parametrize("with_rows", [True, False])
def test_a_module_walks_like_the_split_scorer(make_walk: Make, make_inputs: MakeInputs, with_rows: bool) -> None:
    walk, inputs = make_walk(dtype=torch.double), make_inputs(dtype=torch.double)
    if not with_rows:
        inputs["x"] = inputs["x"][:7]
        del inputs["row"]
    other = JoinWalk(Concatenated(walk.scorer), hops=3).double().eval()
    other.decay_logit = walk.decay_logit
    expected = walk(**inputs)
    assert expected.deposit.numel()
    torch.testing.assert_close(other(**inputs).deposit, expected.deposit, rtol=0, atol=1e-12)


def test_a_module_learns(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk = JoinWalk(Concatenated(make_walk().scorer), hops=2)
    (walk(**make_inputs()).node_scores() ** 2).sum().backward()
    for name, parameter in walk.named_parameters():
        # A constant added to all scores changes no share.
        assert name.endswith("output.bias") or parameter.grad.abs().sum() > 0, name


def test_vectors_of_edges_are_optional(make_inputs: MakeInputs) -> None:
    walk, inputs = JoinWalk(EdgeScorer(5, 0, 3, 8), hops=3).eval(), make_inputs()
    none = walk(**inputs | {"edge_attr": None})
    assert torch.equal(none.deposit, walk(**inputs | {"edge_attr": torch.zeros(12, 0)}).deposit)
    uniform = JoinWalk(hops=3)
    assert torch.equal(uniform(**inputs | {"edge_attr": None}).deposit, uniform(**inputs).deposit)


def test_compiled_code_knows_the_split_scorer_alone(make_walk: Make, make_inputs: MakeInputs) -> None:
    pytest.importorskip("numba")

    class Negated(EdgeScorer):
        def forward(self, projected: Tensor, deposit: Tensor, hop: int) -> Tensor:
            return -super().forward(projected, deposit, hop)

    inputs = make_inputs()
    for scorer in (Concatenated(make_walk().scorer), Negated(5, 4, 3, 8)):
        walk = JoinWalk(scorer, hops=3)
        with pytest.raises(ValueError, match=f"EdgeScorer or no scorer \\(got {type(scorer).__name__}\\)"):
            CompiledWalk(walk, walk.planner(inputs["edge_index"], 7), inputs["edge_attr"], inputs["x"])
