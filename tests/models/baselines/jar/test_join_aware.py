import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.baselines.jar import IterativeJar, Jar, JoinAware

MakeCorpus = Callable[..., Corpus]


class Phrases(HashingEncoder):
    """Embeds two phrases as axes of a space of three."""

    def encode_queries(self, texts: object) -> torch.Tensor:
        return torch.stack([torch.eye(3)[{"dogs": 0, "owners": 1}[text]] for text in texts])  # type: ignore[attr-defined]


@pytest.fixture
def corpus(make_corpus: MakeCorpus) -> Corpus:
    """t0 is about dogs, t1 less so, t2 about owners; t2 is joined with t0; t3 and t4 are about neither."""
    tables = [[[1.0, 0.0, 0.0]], [[0.9, 0.0, 0.19**0.5]], [[0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0]], [[0.6, 0.0, 0.8]]]
    return make_corpus(tables, joins=[(0, 2)])


QUESTION = Queries(torch.tensor([[1.0, 0.0, 0.0]]), ("Which dogs have owners?",), Phrases(3))


@pytest.mark.parametrize("method", [Jar, IterativeJar])
def test_tables_are_selected_jointly(corpus: Corpus, method: type[JoinAware]) -> None:
    table, score = method(size=2, candidates=5).index(corpus).rank(QUESTION, 6)
    # By similarity alone t1 and t4 would come before t2.
    assert table.tolist() == [[0, 2, 1, 4, 3, -1]]
    assert score.tolist() == [[2, 1, pytest.approx(0.9 - 2), pytest.approx(0.6 - 2), -2, -torch.inf]]


def test_only_candidates_are_selected(corpus: Corpus) -> None:
    table, _ = Jar(size=2, candidates=2).index(corpus).rank(QUESTION, 5)
    assert table.tolist() == [[0, 1, 4, 2, 3]]


def test_the_number_of_selected_tables(corpus: Corpus) -> None:
    table, score = Jar(candidates=1).index(corpus).rank(QUESTION, 3)
    assert (sorted(table[0].tolist()), score.tolist()) == ([0, 1, 4], [[3, 2, 1]])


def test_both_selections_are_measured(corpus: Corpus) -> None:
    model = Jar(size=2, candidates=5).index(corpus)
    assert model.measured() == {}
    model.rank(QUESTION[[0, 0]], 2)
    # Covers 1 and 1, relevance 1 and 0, and a declared join of columns whose words are db, t0, c0 and db, t2, c2.
    worth = 3 * 2 + 3 * 1 + 0.5 + 0.25 / 3
    expected = {"questions": 2, "published_decompositions": 0, "time_limit_hits": 0}
    expected |= {"objective": worth, "greedy_objective": worth, "greedy_ratio": 1}
    assert model.measured() == pytest.approx(expected)
    rushed = Jar(size=2, candidates=5, time_limit=1e-9).index(corpus)
    assert rushed.rank(QUESTION, 2).table.tolist() == [[0, 2]]
    assert rushed.measured()["time_limit_hits"] == 1


def test_published_files_are_read(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "decomp.json").write_text(json.dumps([["dogs"]]))
    (tmp_path / "dev.json").write_text(json.dumps([{"question": QUESTION.text[0]}]))
    (tmp_path / "uniqueness.json").write_text(json.dumps({"db#sep#t0#sep#c0": 0.5, "db#sep#t2#sep#c2": 0.5}))
    model = IterativeJar(
        size=2,
        candidates=5,
        decompositions=[{"subqueries": str(tmp_path / "decomp.json"), "questions": str(tmp_path / "dev.json")}],
        uniqueness=[str(tmp_path / "uniqueness.json"), str(tmp_path / "missing.json")],
    ).index(corpus)
    # The published sub-queries do not mention owners, and the join has half the weight.
    assert model.rank(QUESTION, 2).table.tolist() == [[0, 1]]
    assert model.measured()["published_decompositions"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"candidates": 0}, "'candidates' and 'size' need"),
        ({"size": 0}, "'candidates' and 'size' need"),
        ({"coverage_weight": -1}, "'coverage_weight' needs"),
        ({"time_limit": 0}, "'time_limit' needs"),
        ({"gap": -0.1}, "'gap' needs"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(JoinGRError, match=message):
        Jar(**arguments)


def test_words_and_an_encoder_are_needed(corpus: Corpus) -> None:
    with pytest.raises(JoinGRError, match="'jar' reads the words"):
        Jar().index(corpus).rank(Queries(QUESTION.vector), 2)
    with pytest.raises(JoinGRError, match="'iterjar' embeds parts"):
        IterativeJar().index(corpus).rank(Queries(QUESTION.vector, QUESTION.text), 2)
