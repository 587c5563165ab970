"""Compiled code finds what phrases point at as tensor operations do."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch.nn import functional as F

pytest.importorskip("numba")

from joingr_pyg.data.queries import Queries
from joingr_pyg.kernels.phrases import match_phrases, phrase_totals
from joingr_pyg.models.phrase_matches import CONTEXT_WEIGHT, SHARPNESS, phrase_matches, phrase_similarities

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


@pytest.mark.parametrize("texts", [TEXTS, ("", "")])
def test_phrases_point_at_the_same_tables(make_corpus, texts: tuple[str, ...]) -> None:
    torch.manual_seed(0)
    corpus = make_corpus([F.normalize(torch.randn(width, 9)).tolist() for width in torch.randint(1, 6, (40,)).tolist()])
    queries = Queries(torch.zeros(len(texts), 9), texts, Drawn(9))
    whole = torch.rand(len(texts), 40)
    expected = phrase_matches(queries, corpus, whole, "it")
    similarity = [own for _, own in phrase_similarities(queries, corpus, "it")]
    ptr = np.cumsum([0, *map(len, similarity)])
    first = np.append(np.flatnonzero(np.diff(corpus.database.numpy(), prepend=-1)), 40)
    found = np.zeros((3, len(texts), 40), np.float32)
    reals = np.float32(SHARPNESS), np.float32(CONTEXT_WEIGHT)
    phrases = whole.numpy(), ptr, np.concatenate(similarity), *reals
    totals = np.empty(ptr[-1], np.float32), np.empty(ptr[-1])
    phrase_totals(*phrases, *totals)
    match_phrases(*phrases, *totals, first, *found)
    for part, known in zip(found, expected, strict=True):
        torch.testing.assert_close(torch.from_numpy(part), known, atol=2e-6, rtol=0)
