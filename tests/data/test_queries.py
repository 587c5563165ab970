"""Embedded questions."""

import pytest
import torch

from joingr_pyg.data.queries import Queries
from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.errors import JoinGRError

ENCODER = HashingEncoder(16)
QUERIES = Queries.encode(["Who?", "What?", "Where?"], ENCODER)


def test_vectors_are_those_of_the_texts() -> None:
    assert len(QUERIES) == 3
    assert torch.equal(QUERIES.vector, ENCODER.encode_queries(["Who?", "What?", "Where?"]))


@pytest.mark.parametrize("rows", [[2, 0], torch.tensor([2, 0]), slice(None, None, 2)])
def test_selecting_questions(rows: object) -> None:
    selected = QUERIES[rows]  # type: ignore[index]
    numbers = [0, 2] if isinstance(rows, slice) else [2, 0]
    assert selected.text == tuple(QUERIES.text[number] for number in numbers)
    assert torch.equal(selected.vector, QUERIES.vector[numbers])
    assert selected.encoder is ENCODER


def test_batches_are_in_order() -> None:
    assert [batch.text for batch in QUERIES.split(2)] == [("Who?", "What?"), ("Where?",)]


def test_texts_and_encoder_are_optional_until_required() -> None:
    bare = Queries(torch.eye(2))
    assert len(bare[[1]]) == 1
    with pytest.raises(JoinGRError, match="Method 'bm25' reads the words of a question"):
        bare.require_text("bm25")
    with pytest.raises(JoinGRError, match="Method 'jar' embeds parts of a question"):
        bare.require_encoder("jar")
    assert QUERIES.require_text("bm25") == ("Who?", "What?", "Where?")
    assert QUERIES.require_encoder("jar") is ENCODER
