import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.describing.answers import Answer, TableWords
from joingr_pyg.describing.words_file import WordsFile
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, Table
from joingr_pyg.schema.names.glossary import read_words

ORDER = TableWords("ORD", "a purchase", {"ST_CD": "open or paid"}, {"ORD.CUST_KEY = CUST.CUST_KEY": "who ordered"})
CUSTOMER = TableWords("CUST", "a buyer")


def answer(*tables: TableWords, **abbreviations: str) -> Answer:
    return Answer(tables, abbreviations, {})


def file(schema: Database, path: Path, *tables: TableWords, **abbreviations: str) -> WordsFile:
    words = WordsFile(schema, path / "words.json", "by the model m")
    if tables:
        words.add(answer(*tables, **abbreviations))
    return words


def edit(path: Path, **parts: Any) -> None:
    """What somebody does with an editor."""
    content = json.loads((path / "words.json").read_text())
    (path / "words.json").write_text(json.dumps({**content, **parts}))


def names(tables: list[Table]) -> list[str]:
    return [table.name for table in tables]


def with_table(schema: Database, table: Table) -> Database:
    return replace(schema, tables=tuple(table if one.name == table.name else one for one in schema))


def test_answers_are_written_in_the_order_of_the_schema(shop: Database, tmp_path: Path) -> None:
    words = file(shop, tmp_path, ORDER, ORD="order")
    words.add(answer(CUSTOMER, ord="another meaning", CUST="customer"))
    content = json.loads((tmp_path / "words.json").read_text())
    described = content.pop("described")
    assert content == {
        "provenance": "by the model m",
        "abbreviations": {"ORD": "order", "CUST": "customer"},
        "tables": {"CUST": "a buyer", "ORD": "a purchase"},
        "columns": {"ORD": {"ST_CD": "open or paid"}},
        "joins": {"ORD.CUST_KEY = CUST.CUST_KEY": "who ordered"},
    }
    assert list(content["tables"]) == list(described) == ["CUST", "ORD"]
    assert read_words(tmp_path / "words.json") == words.words
    assert names(words.to_describe()) == ["ORD_LN", "ORD_HIST"]
    assert list(tmp_path.iterdir()) == [tmp_path / "words.json"]


def test_an_answer_of_no_use_writes_nothing(shop: Database, tmp_path: Path) -> None:
    file(shop, tmp_path).add(Answer([], {}, {"ORD": "the table was missing"}))
    assert list(tmp_path.iterdir()) == []


def test_without_a_path_nothing_is_written(shop: Database) -> None:
    words = WordsFile(shop, None, "by m")
    words.add(answer(ORDER))
    assert words.lines() == {"ORD": "a purchase"}


def test_only_tables_that_have_changed_are_asked_for_again(shop: Database, tmp_path: Path) -> None:
    file(shop, tmp_path, ORDER, CUSTOMER)
    order = replace(shop["ORD"], columns=(*shop["ORD"].columns, Column("PAID", "DATE")))
    now = file(with_table(shop, order), tmp_path)
    assert names(now.to_describe()) == ["ORD", "ORD_LN", "ORD_HIST"]
    now.add(answer(TableWords("ORD", "a purchase, paid or not", {"PAID": "day of payment"})))
    assert now.words.tables["ORD"] == "a purchase, paid or not"
    assert now.words.columns == {"ORD": {"PAID": "day of payment"}}  # What the model wrote before is gone.
    assert now.words.joins == {}
    assert names(now.to_describe()) == ["ORD_LN", "ORD_HIST"]


@pytest.mark.parametrize(
    "edited",
    [
        {"tables": {"ORD": "what we sell"}},
        {"columns": {"ORD": {"ST_CD": "open or paid", "ORD_KEY": "ours"}}},
        {"joins": {"CUST.CUST_KEY = ORD.CUST_KEY": "our buyer"}},
    ],
)
def test_what_people_edited_is_kept_even_where_the_table_changed(
    edited: dict[str, Any], shop: Database, tmp_path: Path
) -> None:
    file(shop, tmp_path, ORDER)
    edit(tmp_path, **edited)
    now = file(with_table(shop, replace(shop["ORD"], description="new")), tmp_path)
    assert now.changed_and_edited() == ["ORD"]
    assert "ORD" not in names(now.to_describe())


def test_what_people_wrote_is_completed_and_never_replaced(shop: Database, tmp_path: Path) -> None:
    (tmp_path / "words.json").write_text(
        '{"provenance": "ours", "tables": {"ord ": "what we sell"}, "abbreviations": {"ord": "order"},'
        ' "columns": {"cust": {"NAME": "full name"}}, "joins": {"CUST.CUST_KEY = ORD.CUST_KEY": "ours"}}'
    )
    words = file(shop, tmp_path)
    assert names(words.to_describe()) == ["CUST", "ORD_LN", "ORD_HIST"]
    words.add(answer(TableWords("CUST", "a buyer", {"NAME": "x", "CUST_KEY": "number"}), ORDER, Ord="x"))
    assert words.words.tables == {"CUST": "a buyer", "ord ": "what we sell"}
    assert words.words.columns == {
        "cust": {"NAME": "full name", "CUST_KEY": "number"},
        "ORD": {"ST_CD": "open or paid"},
    }
    assert words.words.joins == {"CUST.CUST_KEY = ORD.CUST_KEY": "ours"}
    assert words.words.abbreviations == {"ord": "order"}
    assert words.words.provenance == "ours; by the model m"
    changed = file(with_table(shop, replace(shop["CUST"], description="new")), tmp_path)
    assert changed.changed_and_edited() == ["CUST"]


def test_what_is_edited_while_a_model_answers_is_kept(shop: Database, tmp_path: Path) -> None:
    words = file(shop, tmp_path, CUSTOMER)
    edit(tmp_path, tables={"CUST": "our buyers"})
    words.add(answer(ORDER))
    assert words.words.tables == {"CUST": "our buyers", "ORD": "a purchase"}


def test_a_line_that_was_deleted_is_asked_for_again(shop: Database, tmp_path: Path) -> None:
    file(shop, tmp_path, ORDER)
    edit(tmp_path, tables={})
    words = file(shop, tmp_path)
    assert "ORD" in names(words.to_describe())
    words.add(answer(TableWords("ORD", "a sale", {"ST_CD": "state"})))
    assert words.words.tables == {"ORD": "a sale"}
    assert words.words.columns == {"ORD": {"ST_CD": "open or paid"}}  # It may have been edited.


def test_opinions_are_added_beside_those_of_people(shop: Database, tmp_path: Path) -> None:
    words = file(shop, tmp_path)
    words.add_opinions({"ORD_HIST.NOTE = ORD.ORD_KEY": 0.5})
    words.add_opinions({"ORD.ORD_KEY = ord_hist.note": 0.9, "ORD_LN.QTY = ORD.ORD_KEY": 0.1})
    assert read_words(tmp_path / "words.json").opinions == {
        "ORD_HIST.NOTE = ORD.ORD_KEY": 0.5,
        "ORD_LN.QTY = ORD.ORD_KEY": 0.1,
    }


def test_a_file_that_cannot_be_used_is_refused(shop: Database, tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"The folder of the words file .* is missing"):
        file(shop, tmp_path / "gone")
    (tmp_path / "words.json").write_text("[")
    with pytest.raises(JoinGRError, match="not JSON"):
        file(shop, tmp_path).to_describe()
    assert (tmp_path / "words.json").read_text() == "["
    (tmp_path / "words.json").unlink()
    (tmp_path / "words.json").mkdir()
    with pytest.raises(JoinGRError, match=r"words\.json"):
        file(shop, tmp_path, ORDER)
