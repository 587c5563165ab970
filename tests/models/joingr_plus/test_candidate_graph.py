import torch

from joingr_pyg.models.joingr_plus.candidate_graph import CandidateGraph
from joingr_pyg.testing.synthetic import synthetic_corpus


def test_joined_tables_worked_by_hand(make_corpus) -> None:
    # Columns 0 to 4 of tables 0, 1, 1, 2 and 3; two joins of tables 0 and 1, one of 2 and 1, one of 1 with itself.
    corpus = make_corpus([[[1.0]], [[1.0], [1.0]], [[1.0]], [[1.0]]], [(0, 1), (2, 0), (3, 2), (1, 2)])
    graph = CandidateGraph.of(corpus)
    assert graph.joined(torch.tensor([[3, 1, 0], [2, 0, 1]])).int().tolist() == [
        [[0, 0, 0], [0, 0, 1], [0, 1, 0]],
        [[0, 0, 1], [0, 0, 1], [1, 1, 0]],
    ]
    ptr, neighbor = graph.neighbors
    assert ptr.tolist() == [0, 1, 3, 4, 4]
    assert neighbor.tolist() == [1, 2, 0, 1]


def test_no_joins(make_corpus) -> None:
    graph = CandidateGraph.of(make_corpus([[[1.0]], [[1.0]]]))
    assert not graph.joined(torch.tensor([[0, 1]])).any()
    assert graph.neighbors[0].tolist() == [0, 0, 0]
    assert not len(graph.neighbors[1])


def test_both_views_agree() -> None:
    corpus = synthetic_corpus(60, dim=8)
    graph = CandidateGraph.of(corpus)
    joined = graph.joined(torch.arange(60)[None])[0]
    ptr, neighbor = graph.neighbors
    listed = torch.zeros(60, 60, dtype=torch.bool)
    listed[torch.arange(60).repeat_interleave(ptr.diff()), neighbor] = True
    assert torch.equal(joined, listed)
    assert torch.equal(joined, joined.t())
    assert joined.any()
