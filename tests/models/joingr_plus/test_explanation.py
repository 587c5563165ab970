"""Compiled code explains its rankings as the tensor path does."""

import pytest
import torch

pytest.importorskip("numba")

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Demo
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.models import JoinGRPlus
from joingr_pyg.models.backend import TensorBackend
from joingr_pyg.models.joingr_plus import untrained

VARIANTS = [
    {},
    {"walk": False},
    {"lexical": None},
    {"phrases": None},
    {"memory": None},
    {"hops": 2, "anchors": 3},
    {"hub_damping": 0.8},
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    cache = tmp_path_factory.mktemp("cache")
    return Demo("unused", "test", CachedEncoder(HashingEncoder(64), cache), cache)


@pytest.fixture(scope="module")
def queries(demo: Demo) -> Queries:
    return demo.encode_questions()[::9]


def learned(**options: object) -> JoinGRPlus:
    torch.manual_seed(0)
    model = JoinGRPlus(64, **options)  # type: ignore[arg-type]
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return model


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("make", [learned, untrained])
def test_both_backends_explain_alike(demo: Demo, queries: Queries, make: object, options: dict[str, object]) -> None:
    model = make(**options).eval().index(demo.corpus())  # type: ignore[operator]
    model.remember(queries[:9], [question.gold for question in demo.questions[::9][:9]])
    compiled, tensors = model.explained(queries, 6), TensorBackend(model).explained(queries, 6)
    assert type(compiled) is not type(tensors)
    seen = set()
    for row in range(len(queries)):
        expected = {table.table: table for table in tensors.explain(row, 6)}
        for table in compiled.explain(row, 4):
            other = expected[table.table]
            for name in ("column", "matched_words", "phrase", "is_anchor", "is_strong_anchor"):
                assert getattr(table, name) == getattr(other, name), name
            assert (table.score, table.similarity) == pytest.approx((other.score, other.similarity), abs=1e-4)
            assert table.features == pytest.approx(other.features, abs=1e-4)
            assert table.contributions == pytest.approx(other.contributions, abs=1e-5)
            assert [step[:3] for step in table.path] == [step[:3] for step in other.path]
            assert [step.deposit for step in table.path] == pytest.approx(
                [step.deposit for step in other.path], abs=1e-5
            )
            seen |= {len(table.path), table.matched_words, table.phrase, table.is_anchor}
    # The questions are of every kind: with and without paths, words, phrases and anchors.
    assert {0, True} <= seen
    assert max(length for length in seen if isinstance(length, int)) > 0


def test_nothing_is_explained_for_no_place(demo: Demo, queries: Queries) -> None:
    ranked = untrained().eval().index(demo.corpus()).explained(queries[:1], 3)
    assert ranked.explain(0, 0) == []
    assert len(ranked.explain(0, 9)) == 3
