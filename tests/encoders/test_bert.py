import pytest
import torch
from sentence_transformers import SentenceTransformer

from joingr_pyg.encoders import MiniLMEncoder
from joingr_pyg.encoders.bert import Bert
from joingr_pyg.encoders.packaged import packaged_minilm

FOLDER = packaged_minilm()

pytestmark = pytest.mark.skipif(FOLDER is None, reason="the packaged MiniLM weights (extra 'offline') are missing")

TEXTS = [
    "Which dogs are retired?",
    "",
    "a",
    "哪个部门预算最高？",
    "Ünïcödé café <b> [SEP] $$$",
    "word " * 400,
    "long " * 200,
    "text " * 200,
    *(f"column {number} of table {'word ' * (number % 7)}" for number in range(40)),
]


def test_vectors_are_those_of_sentence_transformers() -> None:
    expected = SentenceTransformer(str(FOLDER), device="cpu").encode(TEXTS, normalize_embeddings=True)
    bert = Bert(FOLDER, "cpu")
    for batch_size in (1, 7, 32):
        found = bert.encode_query(TEXTS, batch_size=batch_size)
        torch.testing.assert_close(found, torch.from_numpy(expected), atol=1e-6, rtol=0)
    assert bert.get_embedding_dimension() == 384
    assert torch.equal(bert.encode_query(["dogs"], prompt="all "), bert.encode_document(["all dogs"]))


def test_a_text_that_is_cut_off_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    encoder = MiniLMEncoder(device="cpu")
    encoder.encode_documents(["word " * 254])
    assert not caplog.records
    encoder.encode_documents(["short", "word " * 255])
    assert "1 of 2 texts are longer than the 256 tokens that minilm reads (the longest has 257)" in caplog.text


def test_one_text_more_changes_no_other() -> None:
    bert = Bert(FOLDER, "cpu")
    alone = bert.encode_query(TEXTS[:1])
    torch.testing.assert_close(bert.encode_query(TEXTS)[:1], alone, atol=1e-6, rtol=0)
