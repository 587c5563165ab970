"""Equal scores are ordered by the number of the table, on every path; types of numbers rank alike."""

from collections.abc import Callable

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.models import JoinGR, JoinGRPlus, TrainableRetriever, heuristic
from joingr_pyg.models.backend import TensorBackend

MODELS: dict[str, Callable[[], TrainableRetriever]] = {
    "joingr": heuristic,
    "joingr_plus": lambda: JoinGRPlus(None, phrases=None),
}


def queries(count: int) -> Queries:
    vectors = torch.tensor([[1.0, 0.0, 0.0, 0.0]]).repeat(count, 1)
    return Queries(vectors, tuple("Which one?" for _ in range(count)))


@pytest.fixture
def alike(make_corpus: Callable[..., Corpus]) -> Corpus:
    """Forty tables that differ in nothing but their numbers, a joined pair in the middle."""
    return make_corpus([[[1.0, 0.0, 0.0, 0.0]]] * 40, [(20, 21)])


@pytest.mark.parametrize("kind", MODELS)
def test_ties_are_broken_alike_on_every_path(kind: str, alike: Corpus) -> None:
    model = MODELS[kind]().eval().index(alike)
    by_tensors = TensorBackend(model).rank(queries(3), 40)
    anchors = int(model.arguments["anchors"])
    for row in by_tensors.table.tolist():
        # Anchors are the first of all that are alike.
        assert set(row[:anchors]) == set(range(anchors))
        assert sorted(row) == list(range(40))
        rest = [table for table in row[anchors:] if table not in (20, 21)]
        assert rest == sorted(rest)
    assert torch.equal(by_tensors.table, model.rank(queries(3), 40).table)
    one_by_one = torch.cat([model.rank(queries(1), 40).table for _ in range(3)])
    assert torch.equal(by_tensors.table, one_by_one)


@pytest.mark.parametrize("kind", [JoinGR, JoinGRPlus])
def test_half_precision_ranks_alike(kind: type[TrainableRetriever], make_corpus: Callable[..., Corpus]) -> None:
    torch.manual_seed(0)
    vectors = torch.nn.functional.normalize(torch.randn(60, 32), dim=1)
    corpus = make_corpus([[vector.tolist()] for vector in vectors], [(n, (7 * n + 3) % 60) for n in range(60)])
    model = kind(32, **({"phrases": None} if kind is JoinGRPlus else {})).eval().index(corpus)
    asked = Queries(torch.nn.functional.normalize(torch.randn(50, 32), dim=1), ("Which?",) * 50)
    evidence = model.evidence(asked)

    def ranked() -> list[list[int]]:
        with torch.no_grad():
            return model.ranking(model.scores(model(asked.vector, evidence), evidence), evidence, 5).table.tolist()

    expected = ranked()
    with torch.autocast("cpu", torch.bfloat16):
        low = ranked()
    shared = [len(set(one) & set(other)) / 5 for one, other in zip(expected, low, strict=True)]
    assert sum(shared) / len(shared) >= 0.95
    assert sum(one[0] == other[0] for one, other in zip(expected, low, strict=True)) >= 48
