"""A sentence encoder small enough to be made on the spot."""

import string
from pathlib import Path

import pytest
import torch

TINY_LENGTH = 16


@pytest.fixture(scope="session")
def plain_transformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random BERT of 16 numbers that reads letters, without a word on how its tokens are pooled."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("plain")
    letters = string.ascii_lowercase
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *letters,
        *(f"##{letter}" for letter in letters),
        "query",
        ":",
    ]
    (folder / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=TINY_LENGTH).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=TINY_LENGTH,
    )
    BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_model(plain_transformer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same BERT as a sentence-transformers model that pools its first token."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    folder = tmp_path_factory.mktemp("tiny")
    SentenceTransformer(modules=[Transformer(str(plain_transformer)), Pooling(16, "cls")], device="cpu").save(
        str(folder)
    )
    return folder
