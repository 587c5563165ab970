"""JoinGR+ in compiled code ranks as it does on tensors."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch

pytest.importorskip("numba")

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Demo
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGRPlus, Ranking
from joingr_pyg.models.joingr_plus import compiled, model
from joingr_pyg.testing.synthetic import synthetic_corpus, synthetic_questions

PARTS = ("table_vector", "lexical", "memory", "phrases", "candidates")
VARIANTS = [
    {},
    *({part: None} for part in PARTS),
    dict.fromkeys(PARTS),
    {"walk": False},
    {"rank": 0},
    {"messages": False},
    {"hub_damping": 0.8},
    {"anchors": 300, "hops": 1},
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    cache = tmp_path_factory.mktemp("cache")
    return Demo("unused", "test", CachedEncoder(HashingEncoder(64), cache), cache)


@pytest.fixture(scope="module")
def queries(demo: Demo) -> Queries:
    return demo.encode_questions()[::5]


def learned(plus: JoinGRPlus) -> JoinGRPlus:
    """As if it had learned something: no weight is what it was, or zero."""
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in plus.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return plus


def on_tensors(plus: JoinGRPlus, queries: Queries, k: int, monkeypatch: pytest.MonkeyPatch) -> Ranking:
    with monkeypatch.context() as patch:
        patch.setattr(model, "kernels_available", lambda: False)
        return plus.rank(queries, k)


def assert_same(found: Ranking, expected: Ranking) -> None:
    torch.testing.assert_close(found.score, expected.score, atol=1e-4, rtol=0)
    assert (found.table == expected.table).float().mean() > 0.99  # But for those as good as equal.


@pytest.mark.parametrize("remembers", [False, True])
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_both_paths_agree(
    demo: Demo, queries: Queries, options: dict[str, int | None], remembers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plus = learned(JoinGRPlus(64, **options)).eval().index(demo.corpus())
    if remembers:
        plus.remember(queries[:9], [question.gold for question in demo.questions[::5][:9]])
    for k in (15, demo.corpus().num_tables + 3):
        assert_same(plus.rank(queries, k), on_tensors(plus, queries, k, monkeypatch))


def test_they_agree_untrained(demo: Demo, queries: Queries, monkeypatch: pytest.MonkeyPatch) -> None:
    plus = JoinGRPlus(None).eval().index(demo.corpus())
    assert_same(plus.rank(queries, 15), on_tensors(plus, queries, 15, monkeypatch))


@pytest.mark.parametrize("channels", [64, None])
def test_they_agree_where_joins_are_more_or_less_sure(
    demo: Demo, queries: Queries, channels: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = demo.corpus()
    weight = 1 - torch.rand(len(corpus.edge_weight), generator=torch.Generator().manual_seed(0))
    plus = learned(JoinGRPlus(channels)).eval().index(replace(corpus, edge_weight=weight))
    assert_same(plus.rank(queries, 15), on_tensors(plus, queries, 15, monkeypatch))


@pytest.mark.parametrize("threads", [1, 3])
def test_they_agree_among_many_tables(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = synthetic_corpus(400, dim=32)
    asked = Queries(synthetic_questions(corpus, 70), tuple(f"{corpus.titles[i]} of {i}" for i in range(70)))
    plus = learned(JoinGRPlus(32, phrases=None)).eval().index(corpus)
    plus.remember(asked[:20], [[corpus.tables[i]] for i in range(20)])
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        assert_same(plus.rank(asked, 30), on_tensors(plus, asked, 30, monkeypatch))
        whole = plus.rank(asked, 30)
        monkeypatch.setattr(compiled, "PHRASE_NUMBERS_AT_ONCE", 25 * compiled.PHRASES_PER_QUESTION * corpus.num_tables)
        monkeypatch.setattr(compiled, "NUMBERS_AT_ONCE", 1)
        assert_same(plus.rank(asked, 30), whole)
    finally:
        torch.set_num_threads(before)


def test_what_is_learned_or_remembered_later_counts(
    demo: Demo, queries: Queries, monkeypatch: pytest.MonkeyPatch
) -> None:
    plus = JoinGRPlus(64).eval().index(demo.corpus())
    before = plus.rank(queries, 15)
    plus.memory.add(queries.vector[:9], [question.gold for question in demo.questions[::5][:9]])
    remembering = plus.rank(queries, 15)
    assert not torch.allclose(remembering.score, before.score)
    assert_same(remembering, on_tensors(plus, queries, 15, monkeypatch))
    plus.load_state_dict(learned(copy.deepcopy(plus)).state_dict())
    assert not torch.allclose(plus.rank(queries, 15).score, remembering.score)
    learned(plus.train()).eval()
    assert_same(plus.rank(queries, 15), on_tensors(plus, queries, 15, monkeypatch))
    again = pickle.loads(pickle.dumps(plus)).rank(queries, 15)
    assert torch.equal(again.score, plus.rank(queries, 15).score)


def test_a_remembered_question_does_not_vote_for_itself_in_training_mode(demo: Demo, queries: Queries) -> None:
    """As a calibration asks for it: the memory alone is in training mode."""
    plus = JoinGRPlus(None).eval().index(demo.corpus())
    without = plus.rank(queries[:1], 5)
    plus.memory.add(queries[:1].vector, [[demo.corpus().tables[int(without.table[0, -1])]]])
    assert plus.rank(queries[:1], 1).table[0, 0] == without.table[0, -1]
    plus.memory.train()
    assert_same(plus.rank(queries[:1], 5), without)


def test_no_question_and_no_place(demo: Demo, queries: Queries) -> None:
    plus = JoinGRPlus(64).eval().index(demo.corpus())
    assert plus.rank(queries[:0], 5).table.shape == (0, 5)
    with pytest.raises(JoinGRError, match="K needs to be at least 1"):
        plus.rank(queries, 0)


def test_threads_of_torch_are_as_before() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with compiled.one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
        with ThreadPoolExecutor(1) as pool, compiled.one_thread():
            assert pool.submit(torch.get_num_threads).result() == 2
    finally:
        torch.set_num_threads(before)
