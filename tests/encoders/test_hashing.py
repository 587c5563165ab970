import os
import subprocess
import sys

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg.encoders import Encoder, HashingEncoder


def test_it_is_an_encoder() -> None:
    encoder: Encoder = HashingEncoder(dim=64)
    assert (encoder.name, encoder.dim) == ("hashing-64", 64)
    assert encoder.encode_queries([]).shape == (0, 64)


@settings(deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_vectors_are_normalised_and_independent_of_their_batch(texts: list[str]) -> None:
    encoder = HashingEncoder()
    vectors = encoder.encode_documents(texts)
    torch.testing.assert_close(vectors.norm(dim=1), torch.ones(len(texts)))
    assert torch.equal(vectors[-1:], encoder.encode_queries(texts[-1:]))


def test_shared_words_and_shared_stems_make_texts_similar() -> None:
    vectors = HashingEncoder().encode_documents(
        ["The building key of a room", "Which buildings have a room?", "FCLT_BUILDING_KEY", "singer salary"]
    )
    similarity = vectors @ vectors.T
    assert similarity[0, 1] > 0.5
    assert similarity[0, 2] > 0.4
    assert similarity[0, 3].abs() < 0.2


def test_one_word_by_hand() -> None:
    # "ab" has the features ab, <ab, ab> and <ab>: four hashes, each with weight 1 / sqrt(4).
    vector = HashingEncoder(dim=1 << 16).encode_documents(["ab"])[0]
    assert vector[vector != 0].abs().tolist() == [0.5] * 4


def test_the_vectors_are_the_same_in_every_process() -> None:
    program = (
        "from joingr_pyg.encoders import HashingEncoder as H; print(H(8).encode_queries(['join tables']).tolist())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == str(HashingEncoder(8).encode_queries(["join tables"]).tolist())
