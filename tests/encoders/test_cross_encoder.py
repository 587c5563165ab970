from pathlib import Path

import pytest
import torch

from joingr_pyg.encoders import PairScorer
from joingr_pyg.errors import JoinGRError


def cross_encoder(folder: Path, plain_transformer: Path, outputs: int) -> Path:
    """A random BERT that reads pairs, with so many outputs."""
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    config = BertConfig.from_pretrained(plain_transformer, num_labels=outputs)
    BertForSequenceClassification(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(plain_transformer).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def tiny(plain_transformer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cross_encoder(tmp_path_factory.mktemp("cross"), plain_transformer, outputs=1)


def test_scores_are_those_of_the_model(tiny: Path) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model, tokenizer = AutoModelForSequenceClassification.from_pretrained(tiny), AutoTokenizer.from_pretrained(tiny)
    texts = ["city name", "a", "dog"]
    with torch.no_grad():
        logits = [model.eval()(**tokenizer("name", text, return_tensors="pt")).logits.item() for text in texts]
    scores = PairScorer("org/tiny", path=tiny, batch_size=2, device="cpu").score("name", texts)
    torch.testing.assert_close(scores, torch.tensor(logits).sigmoid(), atol=1e-5, rtol=0)
    assert len(set(scores.tolist())) == 3


def test_long_pairs_are_cut(tiny: Path) -> None:
    scorer = PairScorer("org/tiny", path=tiny, device="cpu")
    assert scorer.score("name", ["word " * 500]).isfinite().all()
    short = PairScorer("org/tiny", path=tiny, device="cpu", max_length=6)
    torch.testing.assert_close(short.score("a", ["b c d e"]), short.score("a", ["b c"]))


def test_no_texts_need_no_model() -> None:
    assert PairScorer("org/tiny", path="nowhere").score("name", []).shape == (0,)


def test_a_model_with_several_outputs_is_refused(plain_transformer: Path, tmp_path: Path) -> None:
    folder = cross_encoder(tmp_path, plain_transformer, outputs=3)
    with pytest.raises(JoinGRError, match="'org/tiny' has 3 outputs"):
        PairScorer("org/tiny", path=folder, device="cpu").require()


def test_a_damaged_model_is_reported(tiny: Path, tmp_path: Path) -> None:
    for path in tiny.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"cut")
    with pytest.raises(
        JoinGRError, match=r"The cross-encoder 'org/tiny' in '.*' cannot be loaded .* download it again"
    ):
        PairScorer("org/tiny", path=tmp_path, device="cpu").require()


def test_an_absent_model_is_reported_with_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(JoinGRError, match=r"hf download org/tiny.* method.refiner.path=<folder>"):
        PairScorer("org/tiny").require()
