"""Texts are read once, and not more of them are kept than there is room for."""

from typing import Any

import pytest
import torch

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Demo
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.models import JoinGRPlus
from joingr_pyg.models.joingr_plus import reading
from joingr_pyg.models.joingr_plus.reading import Reader
from joingr_pyg.models.joingr_plus.signals import Signal
from joingr_pyg.models.phrase_matches import phrase_choices
from joingr_pyg.text.phrases import phrases


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    cache = tmp_path_factory.mktemp("cache")
    return Demo("unused", "test", CachedEncoder(HashingEncoder(64), cache), cache)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were read anew, in order."""
    texts: list[str] = []

    def noting(queries: Queries, *rest: Any) -> Any:
        texts.extend(queries.text)
        return similarities(queries, *rest)

    similarities = reading.phrase_similarities
    monkeypatch.setattr(reading, "phrase_similarities", noting)
    return texts


def reader(demo: Demo, **options: Any) -> Reader:
    return Reader(JoinGRPlus(64, **options).eval().index(demo.corpus()))


def test_what_phrases_resemble_is_what_they_choose_by(demo: Demo) -> None:
    queries = demo.encode_questions()[:20]
    corpus, nothing = demo.corpus(), torch.zeros(20, demo.corpus().num_tables)
    for found, chosen in zip(reader(demo)(queries), phrase_choices(queries, corpus, nothing, "it"), strict=True):
        expected = torch.stack(list(chosen.values()))
        torch.testing.assert_close((20 * torch.from_numpy(found.similarity)).softmax(dim=1), expected)


def test_each_text_is_read_once(demo: Demo, read: list[str]) -> None:
    queries, reads = demo.encode_questions(), reader(demo)
    first = [reads(queries[rows]) for rows in ([0], [1, 1, 2], [2, 0, 3])]
    assert read == [queries.text[row] for row in (0, 1, 2, 3)]
    assert first[1][0] is first[1][1]
    assert first[1][2] is first[2][0]
    assert [len(each.similarity) for each in first[2]] == [len(phrases(queries.text[row])) for row in (2, 0, 3)]


def test_there_is_no_more_kept_than_room(demo: Demo, read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    queries, reads = demo.encode_questions(), reader(demo)
    (size,) = [each.similarity.size + each.row.size for each in reads(queries[[0]])]
    monkeypatch.setattr(reading, "NUMBERS_KEPT", size)
    # More than there is room for is read, and not kept.
    for rows in ([0], [1, 2, 3], [0], [1, 2, 3]):
        assert len(reads(queries[rows])) == len(rows)
    assert read == [queries.text[row] for row in (0, 1, 2, 3, 1, 2, 3)]


def test_what_is_new_takes_the_place_of_what_was_kept(
    demo: Demo, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    queries, reads = demo.encode_questions(), reader(demo)
    sizes = [each.similarity.size + each.row.size for each in reader(demo)(queries[[0, 1]])]
    read.clear()
    monkeypatch.setattr(reading, "NUMBERS_KEPT", max(sizes))
    for rows in ([0], [1], [1], [0], [0]):
        assert len(reads(queries[rows])) == len(rows)
    assert read == [queries.text[row] for row in (0, 1, 0)]


def test_another_encoder_finds_other_similarities(demo: Demo, read: list[str]) -> None:
    class Other(HashingEncoder):
        def __init__(self) -> None:
            super().__init__(64)
            self.identity = "another"

        def encode_queries(self, texts: Any) -> torch.Tensor:
            return -super().encode_queries(texts)

    queries, reads = demo.encode_questions()[[0]], reader(demo)
    before = reads(queries)[0].similarity
    after = reads(Queries(queries.vector, queries.text, Other()))[0].similarity
    assert abs(after - before).max() > 0.1
    assert read == [*queries.text, *queries.text]


def test_what_does_not_count_is_not_read(demo: Demo) -> None:
    silent = Queries(demo.encode_questions().vector[:2])
    nothing = reader(demo, lexical=None, phrases=None, candidates=None)
    assert [each.similarity.shape for each in nothing(silent)] == [(0, demo.corpus().num_tables)] * 2
    without_phrases = reader(demo, phrases=None)
    assert list(without_phrases.matches) == [Signal.WORDS, Signal.NAMED, Signal.COVERED]
    (found,) = without_phrases(Queries(silent.vector[:1], ("Which rivers?",)))
    assert found.similarity.shape == (0, demo.corpus().num_tables)
    assert len(found.size) == len(found.scale) == 3
