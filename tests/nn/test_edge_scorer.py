import io
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from joingr_pyg.nn import EdgeScorer


def make_scorer(dtype: torch.dtype = torch.double) -> EdgeScorer:
    torch.manual_seed(12345)
    scorer = EdgeScorer(5, 4, 3, hidden_channels=8).to(dtype)
    for parameter in scorer.parameters():
        torch.nn.init.uniform_(parameter, -1, 1)
    return scorer


def both_ways(scorer: EdgeScorer, inputs: dict[str, Tensor], hop: int) -> tuple[Tensor, Tensor]:
    """Scores of every edge by the split first layer, and on the concatenation."""
    projections = scorer.project(inputs["query"], inputs["edge_attr"], inputs["x"])
    of = inputs["of"]
    projected = projections.query[of[0]] + projections.edge + projections.frontier[of[1]] + projections.neighbor[of[2]]
    split = scorer(projected, inputs["deposit"], hop)
    deposit = inputs["deposit"].unsqueeze(-1)
    features = [
        inputs["query"][of[0]],
        inputs["edge_attr"],
        inputs["x"][of[1]],
        inputs["x"][of[2]],
        deposit,
        torch.full_like(deposit, hop),
    ]
    return split, scorer.concatenated(torch.cat(features, dim=-1))


def make_inputs(seed: int, length: int, dtype: torch.dtype = torch.double) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return {
        "query": torch.randn(2, 5, generator=generator, dtype=dtype),
        "edge_attr": torch.randn(length, 4, generator=generator, dtype=dtype),
        "x": torch.randn(6, 3, generator=generator, dtype=dtype),
        "deposit": torch.rand(length, generator=generator, dtype=dtype),
        "of": torch.stack([torch.randint(high, (length,), generator=generator) for high in (2, 6, 6)]),
    }


def test_repr_and_shapes() -> None:
    scorer = EdgeScorer(16, 8, 4)
    assert str(scorer) == "EdgeScorer(16, 8, 4, hidden_channels=64)"
    assert scorer.input.weight.shape == (64, 16 + 8 + 2 * 4 + 2)
    projections = scorer.project(torch.randn(3, 16), torch.randn(7, 8), torch.randn(5, 4))
    assert [tuple(p.shape) for p in projections] == [(3, 64), (7, 64), (5, 64), (5, 64)]
    assert scorer(torch.randn(9, 64), torch.rand(9), 1).shape == (9,)
    assert scorer(torch.randn(0, 64), torch.rand(0), 1).shape == (0,)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), length=st.integers(0, 9), hop=st.integers(1, 6))
def test_split_first_layer_equals_the_concatenation(seed: int, length: int, hop: int) -> None:
    scorer = make_scorer().eval()
    split, concatenated = both_ways(scorer, make_inputs(seed, length), hop)
    torch.testing.assert_close(split, concatenated, rtol=0, atol=1e-12)


@pytest.mark.parametrize("channels", [(0, 2, 0), (3, 0, 0), (0, 0, 2), (0, 0, 0)])
def test_parts_without_channels(channels: tuple[int, int, int]) -> None:
    scorer = EdgeScorer(*channels, hidden_channels=8).eval()
    query, edge, x = (torch.randn(rows, size) for rows, size in zip((1, 1, 2), channels, strict=True))
    deposit, hop = torch.rand(1), 2
    projections = scorer.project(query, edge, x)
    projected = projections.query + projections.edge + projections.frontier[:1] + projections.neighbor[1:]
    features = torch.cat([query, edge, x[:1], x[1:], deposit.unsqueeze(1), torch.tensor([[float(hop)]])], dim=1)
    torch.testing.assert_close(scorer(projected, deposit, hop), scorer.concatenated(features))


def test_split_first_layer_has_the_gradients_of_the_concatenation() -> None:
    scorer, inputs = make_scorer().eval(), make_inputs(0, 6)
    leaves = [*scorer.parameters(), *(inputs[name].requires_grad_() for name in ("query", "edge_attr", "x", "deposit"))]
    weight = torch.randn(6, dtype=torch.double)
    split, concatenated = (
        torch.autograd.grad((scores * weight).sum(), leaves) for scores in both_ways(scorer, inputs, hop=3)
    )
    assert all(gradient.abs().sum() > 0 for gradient in split)
    torch.testing.assert_close(split, concatenated, rtol=0, atol=1e-11)


def test_score_by_hand() -> None:
    """Two hidden channels a and b normalise to plus and minus one, so the score is ``w_a`` if a > b, else ``w_b``."""
    scorer = EdgeScorer(1, 1, 1, hidden_channels=2).double().eval()
    with torch.no_grad():
        # The columns are q, e, r_f, r_t', z_f, h; channel b is the negative of channel a.
        scorer.input.weight[0] = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
        scorer.input.weight[1] = -scorer.input.weight[0]
        scorer.input.bias.copy_(torch.tensor([-100.0, 100.0]))
        scorer.output.weight[:] = torch.tensor([[math.log(3), math.log(2)]])
        scorer.output.bias.fill_(0.5)
    one = torch.ones(1, 1, dtype=torch.double)
    projections = scorer.project(one, one, one)
    assert [p.tolist() for p in projections] == [[[-99, 99]], [[2, -2]], [[4, -4]], [[8, -8]]]
    # a = 1 + 2 + 4 + 8 + 16 z + 32 h - 100 turns positive between z = 1 and z = 2 at h = 2, for any z at h = 3.
    projected = sum(projections).expand(2, 2)
    deposit = torch.tensor([1.0, 2.0], dtype=torch.double)
    for hop, winners in ((1, (2, 2)), (2, (2, 3)), (3, (3, 3))):
        expected = torch.tensor([math.log(winner) + 0.5 for winner in winners], dtype=torch.double)
        torch.testing.assert_close(scorer(projected, deposit, hop), expected, rtol=0, atol=1e-5)


def test_project_query_alone() -> None:
    scorer, inputs = make_scorer(), make_inputs(0, 4)
    expected = scorer.project(inputs["query"], inputs["edge_attr"], inputs["x"]).query
    assert torch.equal(scorer.project_query(inputs["query"]), expected)


def test_gradcheck() -> None:
    scorer, inputs = make_scorer().eval(), make_inputs(1, 3)
    names = ("query", "edge_attr", "x", "deposit")

    def scores(*leaves: Tensor) -> Tensor:
        return both_ways(scorer, {**inputs, **dict(zip(names, leaves, strict=True))}, hop=2)[0]

    assert torch.autograd.gradcheck(scores, [inputs[name].requires_grad_() for name in names])


def test_dropout_acts_in_training_alone() -> None:
    scorer = EdgeScorer(5, 4, 3, hidden_channels=64, dropout=0.5)
    projected, deposit = torch.randn(20, 64), torch.rand(20)
    assert torch.equal(scorer.eval()(projected, deposit, 1), scorer(projected, deposit, 1))
    scorer.train()
    torch.manual_seed(0)
    first = scorer(projected, deposit, 1)
    assert not torch.equal(first, scorer(projected, deposit, 1))
    torch.manual_seed(0)
    assert torch.equal(first, scorer(projected, deposit, 1))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.half])
def test_half_precision_weights_with_single_precision_deposits(dtype: torch.dtype) -> None:
    scorer, inputs = make_scorer(torch.float).eval(), make_inputs(0, 6, torch.float)
    expected = both_ways(scorer, inputs, hop=2)[1]
    half = {name: value.to(dtype) if name in ("query", "edge_attr", "x") else value for name, value in inputs.items()}
    scorer.to(dtype)
    projections = scorer.project(half["query"], half["edge_attr"], half["x"])
    of = half["of"]
    projected = projections.query[of[0]] + projections.edge + projections.frontier[of[1]] + projections.neighbor[of[2]]
    out = scorer(projected, half["deposit"], 2)
    assert out.dtype == dtype
    torch.testing.assert_close(out.float(), expected, rtol=0.05, atol=0.05)


def test_reset_parameters_is_seeded() -> None:
    scorer = EdgeScorer(5, 4, 3, hidden_channels=8)
    with torch.no_grad():
        for parameter in scorer.parameters():
            parameter.fill_(7.0)
    torch.manual_seed(1)
    scorer.reset_parameters()
    first = {name: parameter.clone() for name, parameter in scorer.named_parameters()}
    assert not any((parameter == 7.0).any() for parameter in first.values())
    scorer.reset_parameters()
    assert not torch.equal(first["input.weight"], scorer.input.weight)
    torch.manual_seed(1)
    scorer.reset_parameters()
    for name, parameter in scorer.named_parameters():
        assert torch.equal(parameter, first[name])
    torch.manual_seed(1)
    fresh = EdgeScorer(5, 4, 3, hidden_channels=8)
    for name, parameter in fresh.named_parameters():
        assert torch.equal(parameter, first[name])


def test_state_loads_weights_only() -> None:
    scorer, inputs = make_scorer().eval(), make_inputs(0, 5)
    file = io.BytesIO()
    torch.save(scorer.state_dict(), file)
    file.seek(0)
    other = EdgeScorer(5, 4, 3, hidden_channels=8).double().eval()
    other.load_state_dict(torch.load(file, weights_only=True))
    assert torch.equal(both_ways(scorer, inputs, 1)[0], both_ways(other, inputs, 1)[0])


@pytest.mark.parametrize("unknown", [(0, 1, 2), (0,), (1,), (2,)])
def test_channels_told_by_the_first_call(unknown: tuple[int, ...]) -> None:
    inputs, sizes = make_inputs(0, 6), [5, 4, 3]
    scorer = EdgeScorer(*(-1 if place in unknown else size for place, size in enumerate(sizes)), hidden_channels=8)
    scorer = scorer.double().eval()
    assert scorer.is_lazy
    scorer.reset_parameters()
    torch.manual_seed(0)
    split, concatenated = both_ways(scorer, inputs, hop=2)
    torch.testing.assert_close(split, concatenated, rtol=0, atol=1e-12)
    assert not scorer.is_lazy
    assert str(scorer) == "EdgeScorer(5, 4, 3, hidden_channels=8)"
    # The weights of the first layer are those that a layer would have drawn that knew its sizes.
    known = EdgeScorer(5, 4, 3, 8).double()
    torch.manual_seed(0)
    known.input.reset_parameters()
    assert torch.equal(scorer.input.weight, known.input.weight)
    with pytest.raises(ValueError, match=r"'edge_attr' needs to have shape \[\*, 4\]"):
        scorer.project(inputs["query"], inputs["edge_attr"][:, :2], inputs["x"])


def test_a_state_loads_into_a_scorer_whose_channels_are_not_told_yet() -> None:
    trained, inputs = make_scorer().eval(), make_inputs(0, 6)
    for empty in (EdgeScorer(-1, -1, -1, trained.hidden_channels), EdgeScorer(5, -1, 3, trained.hidden_channels)):
        empty.double().eval().load_state_dict(trained.state_dict())
        with pytest.raises(ValueError, match=r"features of an edge, as the loaded state has \(got 13\)"):
            empty.project(inputs["query"], inputs["edge_attr"][:, :0], inputs["x"])
        torch.testing.assert_close(both_ways(empty, inputs, hop=1), both_ways(trained, inputs, hop=1))
