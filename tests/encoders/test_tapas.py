from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch.nn.functional import normalize

from joingr_pyg.datasets.demo import read_demo
from joingr_pyg.encoders import TapasEncoder
from joingr_pyg.encoders.tapas import PROJECTION, linearize
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.descriptors import split_table_descriptor, table_descriptors

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "table", "dog", "in", "database", "vet", ";"]
WORDS += ["name", "owner", "##id", "city", "which"]
COLUMN = 1


def tapas(folder: Path, seed: int = 0) -> Path:
    """A random TAPAS of 16 numbers that knows a few words."""
    from transformers import TapasConfig, TapasModel

    torch.manual_seed(seed)
    config = TapasConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
        type_vocab_sizes=[3, 8, 8, 2, 8, 8, 10],
    )
    TapasModel(config).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    return folder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tapas(tmp_path_factory.mktemp("tapas"))


TABLE = "table dog in database vet; columns: name, ownerid"


def pooled(folder: Path, tokens: str, column: list[int]) -> torch.Tensor:
    """The pooled output ``[16]`` of the model for tokens and their column numbers."""
    from transformers import TapasModel

    types = torch.zeros(1, len(column), 7, dtype=torch.long)
    types[0, :, 0] = torch.tensor([int(number > 0) for number in column])
    types[0, :, COLUMN] = torch.tensor(column)
    ids = torch.tensor([[WORDS.index(word) for word in tokens.split()]])
    with torch.no_grad():
        return TapasModel.from_pretrained(folder).eval()(input_ids=ids, token_type_ids=types).pooler_output[0]


def test_a_table_is_its_title_and_its_header(tiny: Path) -> None:
    embeddings = TapasEncoder(path=tiny).encode_documents([TABLE])
    tokens = "[CLS] table dog in database vet [SEP] name owner ##id"
    expected = pooled(tiny, tokens, [0] * 7 + [1, 2, 2])
    torch.testing.assert_close(embeddings[0], normalize(expected, dim=0))


def test_questions_and_other_texts_have_no_header(tiny: Path) -> None:
    encoder = TapasEncoder(path=tiny)
    expected = normalize(pooled(tiny, "[CLS] which dog [SEP]", [0] * 4), dim=0)
    torch.testing.assert_close(encoder.encode_queries(["Which dog"])[0], expected)
    torch.testing.assert_close(encoder.encode_documents(["which dog"])[0], expected)


def test_embeddings_do_not_depend_on_the_batch(tiny: Path) -> None:
    texts = ["dog", TABLE, "table city in database vet; columns: city", "which city"]
    encoder = TapasEncoder(path=tiny, batch_size=3)
    alone = torch.cat([encoder.encode_documents([text]) for text in texts])
    torch.testing.assert_close(encoder.encode_documents(texts), alone)
    assert (encoder.dim, encoder.encode_documents([]).shape) == (16, (0, 16))


def test_long_headers_are_cut(tiny: Path) -> None:
    from transformers import BertTokenizer

    tokenizer = BertTokenizer.from_pretrained(tiny)
    ids, column = linearize(tokenizer, "dog city", ["name"] * 20, max_length=9, columns=4)
    assert column == [0, 0, 0, 0, 1, 2, 3]  # at most as many columns as the model has ids
    ids, column = linearize(tokenizer, "dog city", ["ownerid", ""], max_length=6, columns=8)
    assert ([WORDS[number] for number in ids], column) == (
        ["[CLS]", "dog", "city", "[SEP]", "owner", "##id"],
        [0] * 4 + [1, 1],
    )
    ids, _ = linearize(tokenizer, "dog " * 50, ["name"], max_length=6, columns=8)
    assert [WORDS[number] for number in ids] == ["[CLS]", *["dog"] * 4, "[SEP]"]
    wide = f"table dog in database vet; columns: {', '.join(['name'] * 100)}"
    assert TapasEncoder(path=tiny).encode_documents([wide]).isfinite().all()


def test_tables_may_have_their_own_model_and_a_projection(tiny: Path, tmp_path: Path) -> None:
    weight = torch.randn(4, 16, generator=torch.Generator().manual_seed(1))
    folders = [tapas(tmp_path / name, seed) for seed, name in enumerate(("questions", "tables"), start=1)]
    for folder in folders:
        save_file({"weight": weight}, folder / PROJECTION)
    encoder = TapasEncoder(path=folders[0], table_path=folders[1])
    question, table = encoder.encode_queries(["dog"]), encoder.encode_documents(["dog"])
    for embedding, folder in ((question, folders[0]), (table, folders[1])):
        expected = normalize(weight @ pooled(folder, "[CLS] dog [SEP]", [0] * 3), dim=0)
        torch.testing.assert_close(embedding[0], expected)
    assert not torch.allclose(question, table)
    assert len({TapasEncoder(path=path).identity for path in (tiny, *folders)} | {encoder.identity}) == 4


def test_every_table_descriptor_can_be_split() -> None:
    for database in read_demo("train").databases:
        for table, text in zip(database, table_descriptors(database), strict=True):
            title, columns = split_table_descriptor(text) or ("", [])
            assert title == f"table {table.name} in database {database.name}"
            assert len(columns) == len(table.columns)
    assert split_table_descriptor("The name of a dog in vet. Column vet.dog.name, text.") is None


def test_missing_weights_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(JoinGRError, match=r"hf download google/tapas-base.* encoder.path=<folder>"):
        TapasEncoder().encode_queries(["dog"])
    with pytest.raises(JoinGRError, match=r"encoder.path='.*' is not the folder of a TAPAS model"):
        TapasEncoder(path=tmp_path).encode_queries(["dog"])


def test_a_damaged_model_is_reported(tiny: Path, tmp_path: Path) -> None:
    for name in ("config.json", "vocab.txt"):
        (tmp_path / name).write_bytes((tiny / name).read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"cut")
    with pytest.raises(JoinGRError, match=r"cannot be loaded as TAPAS .* download it again"):
        TapasEncoder(path=tmp_path).encode_queries(["dog"])
    (tmp_path / "vocab.txt").unlink()
    with pytest.raises(JoinGRError, match=r"has no vocab.txt"):
        TapasEncoder(path=tmp_path).encode_queries(["dog"])
