"""Encoders in half precision."""

from pathlib import Path

import pytest
import torch

from joingr_pyg.encoders import MiniLMEncoder, SentenceTransformerEncoder
from joingr_pyg.encoders.packaged import packaged_minilm
from joingr_pyg.encoders.precision import resolved_precision, without_precision
from joingr_pyg.errors import JoinGRError

TEXTS = ["Which dogs are retired?", "", "column born of table dogs", "word " * 300, *("name " * n for n in range(40))]


@pytest.fixture(params=[{"avx512_bf16": True}, {"amx_bf16": True}, {"avx512_bf16": False}, {}])
def fast(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """A processor with and without instructions for bfloat16."""
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: request.param, raising=False)
    return any(request.param.values())


def test_auto_is_bfloat16_where_the_processor_has_it(fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = "bfloat16" if fast else "float32"
    assert resolved_precision("auto", "cpu") == expected
    assert resolved_precision("auto", "cuda") == "float32"
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda check_available: None)
    assert resolved_precision("auto", None) == expected
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda check_available: torch.device("cuda"))
    assert resolved_precision("auto", None) == "float32"
    for precision in ("float32", "bfloat16"):
        assert resolved_precision(precision, None) == precision


def test_an_unknown_precision_is_refused_at_once() -> None:
    with pytest.raises(JoinGRError, match="no precision 'int8' of encoders: choose float32, bfloat16, auto"):
        MiniLMEncoder(precision="int8")


def test_vectors_of_half_precision_have_an_identity_of_their_own() -> None:
    single, half = MiniLMEncoder(), MiniLMEncoder(precision="bfloat16")
    assert single.identity == MiniLMEncoder(precision="float32").identity
    assert half.identity == f"{single.identity} precision='bfloat16'"
    assert without_precision(half.identity) == without_precision(single.identity) == single.identity
    assert half.settings["precision"] == "bfloat16"


def test_a_model_of_sentence_transformers_in_half_precision(tiny_model: Path) -> None:
    single, half = (
        SentenceTransformerEncoder("org/tiny", path=tiny_model, device="cpu", precision=precision)
        for precision in ("float32", "bfloat16")
    )
    assert {weight.dtype for weight in half._model.parameters()} == {torch.bfloat16}
    for encode in ("encode_queries", "encode_documents"):
        vectors, expected = getattr(half, encode)(["name", "a b"]), getattr(single, encode)(["name", "a b"])
        assert vectors.dtype == torch.float32
        torch.testing.assert_close(vectors.norm(dim=1), torch.ones(2))
        torch.testing.assert_close(vectors, expected, atol=0.02, rtol=0)
        assert not torch.equal(vectors, expected)


@pytest.mark.skipif(packaged_minilm() is None, reason="the packaged MiniLM weights (extra 'offline') are missing")
def test_minilm_in_half_precision() -> None:
    single, half = (MiniLMEncoder(device="cpu", precision=precision) for precision in ("float32", "bfloat16"))
    vectors, expected = half.encode_documents(TEXTS), single.encode_documents(TEXTS)
    assert vectors.dtype == torch.float32
    torch.testing.assert_close(vectors.norm(dim=1), torch.ones(len(TEXTS)))
    assert (vectors * expected).sum(dim=1).min() > 0.999
    assert not torch.equal(vectors, expected)
    # Cosines, which is what rankings are made of.
    torch.testing.assert_close(vectors @ vectors.t(), expected @ expected.t(), atol=0.01, rtol=0)
