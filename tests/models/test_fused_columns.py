"""Products in 8 bits lead to the similarities and choices of single precision."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch.nn import functional as F

pytest.importorskip("numba")

from joingr_pyg.corpus import Corpus
from joingr_pyg.models import fused_columns
from joingr_pyg.models.column_kernel import encode
from joingr_pyg.models.fused_columns import FusedColumns
from joingr_pyg.models.phrase_matches import phrase_matches
from joingr_pyg.phrases import phrases
from joingr_pyg.queries import Queries

TEXTS = ("Which movies were produced in France?", "movies", "Actors of 'The Artist', in France or Spain", "")


class Drawn:
    """An encoder that draws a vector for each text."""

    def __init__(self, channels: int) -> None:
        self.channels = channels
        self.vectors: dict[str, torch.Tensor] = {}

    def encode_queries(self, texts: Sequence[str]) -> torch.Tensor:
        for text in texts:
            self.vectors.setdefault(text, F.normalize(torch.randn(self.channels), dim=0))
        return torch.stack([self.vectors[text] for text in texts])


@pytest.fixture(params=[3, 96])
def corpus(request: pytest.FixtureRequest, make_corpus) -> Corpus:
    """Forty tables of one to twelve columns, many of them alike."""
    torch.manual_seed(0)
    kinds = torch.randn(9, request.param)
    widths = torch.randint(1, 13, (40,)).tolist()
    return make_corpus(
        [
            F.normalize(kinds[torch.randint(9, (width,))] + 0.2 * torch.randn(width, request.param)).tolist()
            for width in widths
        ]
    )


def test_codes_are_as_near_as_they_say() -> None:
    torch.manual_seed(0)
    vectors = torch.cat([torch.randn(20, 50), torch.zeros(1, 50), torch.eye(50)[:2]])
    code, about = encode(vectors.numpy())
    decoded = torch.from_numpy(code) * torch.from_numpy(about[:, :1])
    assert torch.allclose(torch.from_numpy(about[:, 1]), vectors.norm(dim=1))
    assert torch.allclose(torch.from_numpy(about[:, 2]), (vectors - decoded).norm(dim=1), atol=1e-6)
    assert (about[:, 2] <= 0.51 * about[:, 0] * 50**0.5).all()


def test_similarities_are_those_of_the_corpus(corpus: Corpus) -> None:
    query = torch.cat([F.normalize(torch.randn(30, corpus.x.size(1))), torch.zeros(1, corpus.x.size(1))])
    found = FusedColumns(corpus).similarity(query)
    torch.testing.assert_close(torch.from_numpy(found), corpus.best_similarity(query), atol=1e-6, rtol=0)


@pytest.mark.parametrize("counts", [0, 1 / 8192])
def test_phrases_choose_as_in_single_precision(corpus: Corpus, counts: float, monkeypatch: pytest.MonkeyPatch) -> None:
    if not counts:
        monkeypatch.setattr(fused_columns, "COUNTS", 0)
    encoder = Drawn(corpus.x.size(1))
    queries = Queries(torch.zeros(len(TEXTS), corpus.x.size(1)), TEXTS, encoder)
    whole = torch.rand(len(TEXTS), 40)
    expected = phrase_matches(queries, corpus, whole, "it")
    matcher = FusedColumns(corpus).phrase_matches([phrases(text) for text in TEXTS], encoder.encode_queries)
    # In parts, as threads do it.
    parts = zip(*(matcher(begin, end, whole.numpy()[begin:end]) for begin, end in ((0, 3), (3, 4))), strict=True)
    for found, known in zip(map(np.concatenate, parts), expected, strict=True):
        torch.testing.assert_close(torch.from_numpy(found), known, atol=5e-4 if counts else 2e-6, rtol=0)


def test_where_nobody_says_anything(corpus: Corpus) -> None:
    found = FusedColumns(corpus).phrase_matches([[], []], Drawn(3).encode_queries)(0, 2, np.ones((2, 40), np.float32))
    assert all(part.shape == (2, 40) and not part.any() for part in found)


def test_memory_is_bounded(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = FusedColumns(corpus)
    monkeypatch.setattr(fused_columns, "PRODUCTS_AT_ONCE", 12 * corpus.num_columns)
    assert [columns.at_once(each) for each in ([["a"] * 4, ["b"]], [["a"] * 99], [[]], [])] == [3, 1, 12, 12]


def test_threads_are_as_before(corpus: Corpus) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with fused_columns.one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
        with ThreadPoolExecutor(1) as pool, fused_columns.one_thread():
            assert pool.submit(torch.get_num_threads).result() == 2
    finally:
        torch.set_num_threads(before)
