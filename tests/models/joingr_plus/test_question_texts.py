"""Texts are looked up once, and the cache is bounded."""

from typing import Any

import pytest
import torch

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Demo
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.models import JoinGRPlus
from joingr_pyg.models.joingr_plus import Feature, question_texts
from joingr_pyg.models.joingr_plus.question_texts import QuestionTexts
from joingr_pyg.models.phrase_matches import phrase_choices
from joingr_pyg.text.phrases import phrases


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    cache = tmp_path_factory.mktemp("cache")
    return Demo("unused", "test", CachedEncoder(HashingEncoder(64), cache), cache)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were looked up, in order."""
    texts: list[str] = []

    def noting(queries: Queries, *rest: Any) -> Any:
        texts.extend(queries.text)
        return similarities(queries, *rest)

    similarities = question_texts.phrase_similarities
    monkeypatch.setattr(question_texts, "phrase_similarities", noting)
    return texts


def look_up(demo: Demo, **options: Any) -> QuestionTexts:
    return JoinGRPlus(64, **options).eval().index(demo.corpus())._texts


def test_phrase_choices_follow_from_similarities(demo: Demo) -> None:
    queries = demo.encode_questions()[:20]
    corpus, nothing = demo.corpus(), torch.zeros(20, demo.corpus().num_tables)
    for found, chosen in zip(look_up(demo)(queries), phrase_choices(queries, corpus, nothing, "it"), strict=True):
        expected = torch.stack(list(chosen.values()))
        torch.testing.assert_close((20 * torch.from_numpy(found.similarity)).softmax(dim=1), expected)


def test_each_text_is_looked_up_once(demo: Demo, read: list[str]) -> None:
    queries, reads = demo.encode_questions(), look_up(demo)
    first = [reads(queries[rows]) for rows in ([0], [1, 1, 2], [2, 0, 3])]
    assert read == [queries.text[row] for row in (0, 1, 2, 3)]
    assert first[1][0] is first[1][1]
    assert first[1][2] is first[2][0]
    assert [len(each.similarity) for each in first[2]] == [len(phrases(queries.text[row])) for row in (2, 0, 3)]


def test_more_texts_than_the_cache_holds_are_not_cached(
    demo: Demo, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    queries, reads = demo.encode_questions(), look_up(demo)
    (size,) = [each.similarity.size + each.row.size for each in reads(queries[[0]])]
    monkeypatch.setattr(question_texts, "CACHED_NUMBERS", size)
    # More texts than the cache holds are looked up again.
    for rows in ([0], [1, 2, 3], [0], [1, 2, 3]):
        assert len(reads(queries[rows])) == len(rows)
    assert read == [queries.text[row] for row in (0, 1, 2, 3, 1, 2, 3)]


def test_new_texts_replace_a_full_cache(demo: Demo, read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    queries, reads = demo.encode_questions(), look_up(demo)
    sizes = [each.similarity.size + each.row.size for each in look_up(demo)(queries[[0, 1]])]
    read.clear()
    monkeypatch.setattr(question_texts, "CACHED_NUMBERS", max(sizes))
    for rows in ([0], [1], [1], [0], [0]):
        assert len(reads(queries[rows])) == len(rows)
    assert read == [queries.text[row] for row in (0, 1, 0)]


def test_another_encoder_starts_a_new_cache(demo: Demo, read: list[str]) -> None:
    class Other(HashingEncoder):
        def __init__(self) -> None:
            super().__init__(64)
            self.identity = "another"

        def encode_queries(self, texts: Any) -> torch.Tensor:
            return -super().encode_queries(texts)

    queries, reads = demo.encode_questions()[[0]], look_up(demo)
    before = reads(queries)[0].similarity
    after = reads(Queries(queries.vector, queries.text, Other()))[0].similarity
    assert abs(after - before).max() > 0.1
    assert read == [*queries.text, *queries.text]


def test_unused_parts_are_not_looked_up(demo: Demo) -> None:
    silent = Queries(demo.encode_questions().vector[:2])
    nothing = look_up(demo, lexical=None, phrases=None, candidates=None)
    assert [each.similarity.shape for each in nothing(silent)] == [(0, demo.corpus().num_tables)] * 2
    without_phrases = look_up(demo, phrases=None)
    assert list(without_phrases.postings) == [Feature.WORDS, Feature.NAMED, Feature.COVERED]
    (found,) = without_phrases(Queries(silent.vector[:1], ("Which rivers?",)))
    assert found.similarity.shape == (0, demo.corpus().num_tables)
    assert len(found.size) == len(found.scale) == 3
