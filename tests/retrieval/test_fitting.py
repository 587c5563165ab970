"""Whether a question fits the schemas at all."""

import json
from pathlib import Path

import pytest

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import Encoder, MiniLMEncoder
from joingr_pyg.encoders.packaged import packaged_minilm
from joingr_pyg.errors import JoinGRError
from joingr_pyg.retrieval.fitting import EVIDENCE, LEAST_FIT, FitModel, evidence

needs_minilm = pytest.mark.skipif(
    packaged_minilm() is None, reason="the packaged MiniLM weights (extra 'offline') are missing"
)

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), placed DATE);
CREATE TABLE warehouses (id INTEGER PRIMARY KEY, town TEXT);
"""
QUESTION = "Which customers placed an order in May?"
WEATHER = "What will the weather be like tomorrow?"


@pytest.fixture(scope="module")
def shop() -> TableRetriever:
    return TableRetriever.from_ddl(SHOP)


def test_the_model_is_a_logistic_regression() -> None:
    model = FitModel("encoder", -1.0, (2.0, 1.0))
    assert model.probability([0.5, 0.0]) == 0.5
    assert model.probability([0.0, 0.0]) == pytest.approx(0.26894142)
    assert len(FitModel.fitted().weights) == len(EVIDENCE)
    assert all(weight > 0 for weight in FitModel.fitted().weights)


def test_evidence_is_the_best_cosine_and_the_share_of_words(encoder: Encoder) -> None:
    from joingr_pyg.data.queries import Queries

    retriever = TableRetriever.from_ddl(SHOP, encoder)
    first = retriever.model.explained(Queries.encode([QUESTION], encoder), 5).explain(0, 5)
    similarity, covered = evidence(retriever.corpus, QUESTION, first)
    assert similarity == max(table.similarity for table in first)
    assert covered == 3 / 4  # customers, placed and order, but not May
    assert evidence(retriever.corpus, "", []) == (0.0, 0.0)


@needs_minilm
def test_a_question_about_something_else_does_not_fit(shop: TableRetriever) -> None:
    fitting, other = shop.retrieve_batch([QUESTION, WEATHER])
    assert other.fits is not None
    assert fitting.fits is not None
    assert other.fits < LEAST_FIT < 0.5 < fitting.fits
    assert (fitting.nothing_fits, other.nothing_fits) == (False, True)
    assert len(other) == 3
    assert other[:1].fits == other.fits == other.to_dict()["fits"] == json.loads(other.to_json())["fits"]
    assert [shop.retrieve(QUESTION, k).fits for k in (1, 2, 9, None)] == [fitting.fits] * 4
    assert shop.retrieve(QUESTION, k=1) == fitting[:1]


@needs_minilm
def test_no_table_is_returned_where_only_fitting_ones_are_wanted(shop: TableRetriever) -> None:
    kept, none = shop.retrieve_batch([QUESTION, WEATHER], only_if_fits=True)
    assert kept == shop.retrieve(QUESTION)
    assert (len(none), none.joins, none.to_ddl(), none.nothing_fits) == (0, (), "", True)
    alone = shop.retrieve(QUESTION, allowed=["warehouses"])
    assert alone.fits == TableRetriever.from_ddl(SHOP[SHOP.index("CREATE TABLE warehouses") :]).retrieve(QUESTION).fits
    assert alone.fits < shop.retrieve(QUESTION).fits


def test_fits_are_known_with_one_encoder_alone(encoder: Encoder) -> None:
    retriever = TableRetriever.from_ddl(SHOP, encoder)
    found = retriever.retrieve(QUESTION)
    assert (found.fits, found.nothing_fits) == (None, False)
    with pytest.raises(
        JoinGRError, match="'only_if_fits' needs the encoder MiniLM, since fits are not known with 'has"
    ):
        retriever.retrieve(QUESTION, only_if_fits=True)
    with pytest.raises(JoinGRError, match="'only_if_fits' needs to be true or false"):
        retriever.retrieve(QUESTION, only_if_fits="yes")
    assert FitModel.fitted().encoder == MiniLMEncoder().identity


@needs_minilm
def test_ask_says_so_in_plain_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from joingr_pyg.cli.main import main

    (tmp_path / "shop.sql").write_text(SHOP)
    assert main(["ask", str(tmp_path / "shop.sql"), WEATHER]) == 0
    printed = capsys.readouterr()
    assert "Nothing in this schema seems to fit the question (probability 0.0" in printed.err
    assert "customers" in printed.out
    assert main(["ask", str(tmp_path / "shop.sql"), WEATHER, "--only-if-fits"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["ask", str(tmp_path / "shop.sql"), QUESTION, "--only-if-fits"]) == 0
    printed = capsys.readouterr()
    assert "customers" in printed.out
    assert "Nothing" not in printed.err
