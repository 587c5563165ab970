import logging
import shutil
import sys
from pathlib import Path

import pytest
import torch
from torch.nn.functional import normalize

from joingr_pyg.encoders import CachedEncoder, SentenceTransformerEncoder
from joingr_pyg.errors import JoinGRError


def token_vectors(folder: Path, text: str) -> torch.Tensor:
    """Token embeddings ``[tokens, 16]`` of a text, computed by the transformer without pooling."""
    from transformers import AutoModel, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.no_grad():
        return AutoModel.from_pretrained(folder).eval()(**tokens).last_hidden_state[0]


@pytest.fixture
def encoder(tiny_model: Path) -> SentenceTransformerEncoder:
    return SentenceTransformerEncoder("org/tiny", path=tiny_model, query_prompt="query: ", device="cpu")


def test_vectors_are_pooled_as_the_model_says_and_normalised(
    encoder: SentenceTransformerEncoder, tiny_model: Path
) -> None:
    vectors = encoder.encode_documents(["name", "city of birth"])
    expected = [token_vectors(tiny_model, text)[0] for text in ("name", "city of birth")]
    torch.testing.assert_close(vectors, normalize(torch.stack(expected)))
    assert (encoder.dim, vectors.dtype) == (16, torch.float32)


def test_the_query_prompt_is_put_before_questions_only(encoder: SentenceTransformerEncoder, tiny_model: Path) -> None:
    torch.testing.assert_close(encoder.encode_queries(["name"]), encoder.encode_documents(["query: name"]))
    plain = SentenceTransformerEncoder("org/tiny", path=tiny_model, device="cpu")
    torch.testing.assert_close(plain.encode_queries(["name"]), plain.encode_documents(["name"]))


def test_a_prompt_that_the_model_defines_is_used_unless_another_is_configured(tiny_model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_model, tmp_path / "prompted")
    (folder / "config_sentence_transformers.json").write_text('{"prompts": {"query": "query: "}}')
    prompted = SentenceTransformerEncoder("org/tiny", path=folder, device="cpu")
    torch.testing.assert_close(prompted.encode_queries(["name"]), prompted.encode_documents(["query: name"]))
    without = SentenceTransformerEncoder("org/tiny", path=folder, query_prompt="", device="cpu")
    torch.testing.assert_close(without.encode_queries(["name"]), without.encode_documents(["name"]))


def test_no_texts_give_an_empty_tensor(encoder: SentenceTransformerEncoder) -> None:
    assert encoder.encode_queries([]).shape == encoder.encode_documents([]).shape == (0, 16)


def test_a_plain_transformer_is_refused_unless_its_pooling_is_configured(plain_transformer: Path) -> None:
    plain = SentenceTransformerEncoder("org/tiny", path=plain_transformer, device="cpu")
    with pytest.raises(JoinGRError, match=r"'org/tiny' in '.*' defines no pooling .* encoder.pooling=mean"):
        plain.encode_queries(["name"])
    mean = SentenceTransformerEncoder("org/tiny", path=plain_transformer, pooling="mean", device="cpu")
    expected = normalize(token_vectors(plain_transformer, "name").mean(0), dim=0)
    torch.testing.assert_close(mean.encode_queries(["name"])[0], expected)


def test_an_unknown_pooling_is_refused_at_once() -> None:
    with pytest.raises(
        JoinGRError, match="Unknown pooling 'average' of encoder 'org/tiny': choose cls, mean, max, last"
    ):
        SentenceTransformerEncoder("org/tiny", pooling="average")  # type: ignore[arg-type]


def test_long_texts_are_counted_in_one_warning(
    encoder: SentenceTransformerEncoder, caplog: pytest.LogCaptureFixture
) -> None:
    fits, too_long = " ".join("a" * 14), " ".join("a" * 15)
    with caplog.at_level(logging.WARNING):
        encoder.encode_documents([fits, "name"])
        assert caplog.messages == []
        vectors = encoder.encode_documents(["name", too_long, "word " * 5000, fits])
    assert caplog.messages == [
        "2 of 4 texts are longer than the 16 tokens that tiny reads (the longest has 20002): their ends were cut off."
    ]
    torch.testing.assert_close(vectors[1], vectors[3])


def test_the_prompt_counts_toward_the_length(
    encoder: SentenceTransformerEncoder, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        encoder.encode_queries([" ".join("a" * 14)])
    assert caplog.messages == [
        "1 of 1 texts are longer than the 16 tokens that tiny reads (the longest has 18): their ends were cut off."
    ]


def test_max_length_truncates_texts(tiny_model: Path) -> None:
    short = SentenceTransformerEncoder("org/tiny", path=tiny_model, max_length=4, device="cpu")
    torch.testing.assert_close(short.encode_documents(["a b c"]), short.encode_documents(["a b"]))


def test_the_identity_names_all_that_the_vectors_depend_on(tiny_model: Path) -> None:
    def identity(**settings: object) -> str:
        return SentenceTransformerEncoder("org/tiny", **settings).identity  # type: ignore[arg-type]

    assert identity() == identity(name="another", dim=16, batch_size=1, device="cpu") == "org/tiny@main l2"
    assert (
        identity(revision="abc", query_prompt="query: ", document_prompt="", pooling="mean", max_length=8)
        == "org/tiny@abc pooling='mean' max_length=8 query='query: ' document='' l2"
    )
    assert (
        identity(weights_sha256="53aa", path=tiny_model) == identity(weights_sha256="53aa") == "org/tiny sha256:53aa l2"
    )


def test_a_local_folder_is_identified_by_its_content(tiny_model: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(tiny_model, tmp_path / "copy")
    (copy / "README.md").write_text("Another card changes no vector.")
    original, same = (SentenceTransformerEncoder("org/tiny", path=folder).identity for folder in (tiny_model, copy))
    assert original.startswith("sha256:")
    assert original == same
    with (copy / "model.safetensors").open("r+b") as weights:
        weights.seek(-1, 2)
        weights.write(b"\x01")
    assert SentenceTransformerEncoder("org/tiny", path=copy).identity != original


def test_other_weights_than_the_configured_ones_are_refused(tiny_model: Path) -> None:
    encoder = SentenceTransformerEncoder("org/tiny", path=tiny_model, weights_sha256="53aa", device="cpu")
    with pytest.raises(
        JoinGRError, match=r"weights '.*model.safetensors' are not the expected ones \(sha256 .*, not 53aa"
    ):
        encoder.encode_queries(["name"])


def test_a_configured_dimension_is_known_at_once_and_checked_when_the_model_is_loaded(tiny_model: Path) -> None:
    assert SentenceTransformerEncoder("org/absent", dim=384).dim == 384
    with pytest.raises(JoinGRError, match=r"'org/tiny' has embeddings of length 16, not encoder.dim=384"):
        SentenceTransformerEncoder("org/tiny", path=tiny_model, dim=384, device="cpu").encode_queries(["name"])


def test_a_run_answered_by_the_cache_never_loads_the_model(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build() -> CachedEncoder:
        return CachedEncoder(SentenceTransformerEncoder("org/tiny", path=tiny_model, device="cpu"), tmp_path)

    expected = build().encode_queries(["name"])
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # Importing it now fails.
    again = build()
    assert torch.equal(again.encode_queries(["name"]), expected)
    assert again.dim == 16


@pytest.mark.parametrize("content", [{}, {"config.json": "{}"}, {"model.safetensors": ""}])
def test_a_folder_without_a_model_is_refused(tmp_path: Path, content: dict[str, str]) -> None:
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(JoinGRError, match=r"encoder.path='.*' is not the folder of a model"):
        SentenceTransformerEncoder("org/tiny", path=tmp_path).identity  # noqa: B018


def test_a_broken_model_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_model, tmp_path / "broken")
    (folder / "model.safetensors").write_bytes(b"cut")
    with pytest.raises(JoinGRError, match=r"The model 'org/tiny' in '.*broken' cannot be loaded"):
        SentenceTransformerEncoder("org/tiny", path=folder, device="cpu").encode_queries(["name"])


@pytest.mark.parametrize("device", ["cuda:99", "toaster"])
def test_a_device_that_is_not_there_is_refused(tiny_model: Path, device: str) -> None:
    encoder = SentenceTransformerEncoder("org/tiny", path=tiny_model, device=device)
    with pytest.raises(JoinGRError, match=rf"encoder\.device='{device}' cannot be used \(.*\): try cpu") as refusal:
        encoder.encode_queries(["name"])
    assert "\n" not in str(refusal.value)


def test_a_folder_without_a_tokenizer_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    for path in [*folder.rglob("tokenizer.json"), *folder.rglob("vocab.txt")]:
        path.unlink()
    encoder = SentenceTransformerEncoder("tiny", path=folder, device="cpu")
    with pytest.raises(JoinGRError, match=r"has no tokenizer, such as tokenizer.json or vocab.txt: download the model"):
        encoder.encode_documents(["a"])
