"""Contriever as its authors use it: the mean of BERT's token embeddings, without padding tokens."""

from pathlib import Path

import torch
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from torch.nn.functional import normalize

CONF = Path(__file__).parents[2] / "conf"


def test_tokens_are_averaged(plain_transformer: Path) -> None:
    from transformers import AutoModel, AutoTokenizer

    with initialize_config_dir(str(CONF), version_base="1.3"):
        changes = [f"encoder.path='{plain_transformer}'", "encoder.dim=16", "encoder.device=cpu"]
        encoder = instantiate(compose("evaluate", ["encoder=contriever", *changes]).encoder)
    texts = ["a name", "city of birth", "x"]
    tokenizer = AutoTokenizer.from_pretrained(plain_transformer)
    model = AutoModel.from_pretrained(plain_transformer).eval()
    inputs = tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        tokens = model(**inputs).last_hidden_state
    mask = inputs["attention_mask"].unsqueeze(-1)
    assert (mask == 0).any()  # the batch has padding
    expected = normalize((tokens * mask).sum(1) / mask.sum(1))
    torch.testing.assert_close(encoder.encode_documents(texts), expected)
    torch.testing.assert_close(encoder.encode_queries(texts), expected)
    assert (encoder.name, encoder.dim) == ("contriever", 16)
