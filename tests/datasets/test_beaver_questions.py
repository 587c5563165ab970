import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.datasets.beaver import WORDS, read_beaver
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.names.glossary import read_words


def table(*columns: str) -> dict[str, Any]:
    return {"column_names_original": list(columns), "column_types": ["VARCHAR2"] * len(columns)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "dev_tables.json", {"dw#sep#A": table("K"), "nova#sep#a": table("id"), "dw#sep#B": table("A_K")})
    write(tmp_path, "dw_join_keys.json", [["A.K", "B.A_K"]])
    return tmp_path


def write(root: Path, file: str, content: Any) -> None:
    (root / file).write_text(json.dumps(content))


def record(database: str, sql: str = "SELECT 1 FROM a", **annotations: Any) -> dict[str, Any]:
    return {"question": "Which?", "db_id": database, "sql": sql, **annotations}


def test_the_warehouse_has_annotated_tables_and_joins(root: Path) -> None:
    gold = {"gold_tables": ["dw#sep#B", "dw#sep#A"], "join_keys": [["b.A_K", "A.K"]]}
    write(root, "dev_dw.json", [record("dw", **gold), record("nova", gold_tables=["nova#sep#a"])])
    beaver = read_beaver(root, "dw")
    assert (beaver.name, beaver.split) == ("beaver", "dev")
    assert [database.name for database in beaver.databases] == ["dw"]
    assert len(beaver.databases[0].joins) == 1
    (question,) = beaver.questions
    assert question.gold_tables == ("B", "A")
    assert question.gold_joins == ((("B", "A_K"), ("A", "K")),)
    assert [(dropped.index, dropped.database) for dropped in beaver.dropped] == [(1, "nova")]


def test_a_gold_join_of_an_unknown_column_is_skipped(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    gold = {"gold_tables": ["dw#sep#A"], "join_keys": [["A.K", "C.K"], ["A.K", "B.A_K"]]}
    write(root, "dev_dw.json", [record("dw", **gold)])
    assert read_beaver(root, "dw").questions[0].gold_joins == ((("A", "K"), ("B", "A_K")),)
    assert "question 0 is skipped: there is no column 'C.K'" in caplog.text


@pytest.mark.parametrize("gold", ["dw#sep#C", "nova#sep#a"])
def test_a_question_with_an_unknown_gold_table_is_dropped(root: Path, gold: str) -> None:
    write(root, "dev_dw.json", [record("dw", gold_tables=[gold])])
    assert gold.removeprefix("dw#sep#") in read_beaver(root, "dw").dropped[0].reason
    with pytest.raises(JoinGRError, match="Question 0 of beaver dev"):
        read_beaver(root, "dw", strict=True)


def test_gold_tables_of_the_network_are_read_from_mysql_queries(root: Path) -> None:
    write(root, "dev_nw.json", [record("nova", 'SELECT `a`.`id` FROM `A` AS a WHERE id = "it\'s"', join_keys=[])])
    (root / "dw_join_keys.json").unlink()
    beaver = read_beaver(root, "nw", strict=True)
    assert (beaver.name, beaver.split) == ("beaver_nw", "dev")
    assert [database.name for database in beaver.databases] == ["nova"]
    assert beaver.questions[0].gold == (("nova", "a"),)


def test_missing_questions_of_the_network_are_explained(root: Path) -> None:
    with pytest.raises(JoinGRError) as caught:
        read_beaver(root, "nw")
    assert str(root / "dev_nw.json") in str(caught.value)
    assert "not every release has them" in str(caught.value)


@pytest.mark.parametrize("file", ["dev_dw.json", "dev_tables.json", "dw_join_keys.json"])
def test_a_missing_file_is_named(root: Path, file: str) -> None:
    write(root, "dev_dw.json", [])
    (root / file).unlink()
    with pytest.raises(JoinGRError, match=f"'{file}' is missing"):
        read_beaver(root, "dw")


def test_an_unknown_part_is_refused(root: Path) -> None:
    with pytest.raises(JoinGRError, match="There is no part of beaver 'both': choose 'dw' or 'nw'"):
        read_beaver(root, "both")


BUNDLED = Path(str(files("joingr_pyg.datasets") / WORDS))


def test_the_warehouse_s_words_come_in_levels(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = {
        "provenance": "a test",
        "abbreviations": {"K": "key"},
        "tables": {"B": "what B holds"},
        "columns": {"A": {"K": "what K is"}},
        "joins": {"B.A_K = A.K": "why"},
    }
    write(root, WORDS, written)
    write(root, "dev_dw.json", [])
    monkeypatch.setattr("joingr_pyg.datasets.beaver.files", lambda package: root)
    (plain,), (names,), (full,) = (
        read_beaver(root, "dw", words=level).databases for level in ("none", "names", "full")
    )
    assert plain == read_beaver(root, "dw").databases[0]
    assert (plain["A"].columns[0].natural_name, plain["B"].description) == ("", "")
    for database in (names, full):
        assert (database["A"].columns[0].natural_name, database["B"].description) == ("key", "what B holds")
    assert (names["A"].columns[0].description, full["A"].columns[0].description) == ("", "what K is")
    assert (names.joins[0].description, full.joins[0].description) == ("", "why")


def test_an_unknown_level_of_words_is_refused(root: Path) -> None:
    with pytest.raises(JoinGRError, match="no level of words of beaver dw 'all': choose 'none' or 'names' or 'full'"):
        read_beaver(root, "dw", words="all")
    with pytest.raises(JoinGRError, match="no level of words of beaver nw 'names': choose 'none'"):
        read_beaver(root, "nw", words="names")


def test_the_bundled_words_state_their_provenance() -> None:
    assert "language model" in read_words(BUNDLED).provenance
    assert "from the schema" in read_words(BUNDLED).provenance


def test_the_bundled_words_describe_the_real_warehouse(benchmarks: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        (warehouse,) = read_beaver(benchmarks / "beaver", "dw", words="full").databases
    assert "Ignored" not in caplog.text
    assert all(table.description for table in warehouse)
    assert warehouse["FCLT_BUILDING_ADDRESS_HIST"].natural_name == "facility building address history"


def test_the_real_warehouse_s_questions(benchmarks: Path, caplog: pytest.LogCaptureFixture) -> None:
    beaver = read_beaver(benchmarks / "beaver", "dw", strict=True)
    assert len(beaver.questions) == 121
    assert len(beaver.databases[0].tables) == 97
    assert len({table for question in beaver.questions for table in question.gold_tables}) == 62
    first = beaver.questions[0]
    assert first.gold_tables == (
        "FCLT_BUILDING_ADDRESS",
        "FCLT_ROOMS",
        "FCLT_ORG_DLC_KEY",
        "MASTER_DEPT_HIERARCHY",
        "BUILDINGS",
    )
    assert first.gold_joins[0] == (("FCLT_BUILDING_ADDRESS", "FCLT_BUILDING_KEY"), ("FCLT_ROOMS", "FCLT_BUILDING_KEY"))
    assert not caplog.records


def test_two_gold_joins_of_the_real_warehouse_are_not_in_its_graph(benchmarks: Path) -> None:
    beaver = read_beaver(benchmarks / "beaver", "dw")
    joins = {join.endpoints for join in beaver.databases[0].joins}
    gold = {frozenset(pair) for question in beaver.questions for pair in question.gold_joins}
    assert gold - joins == {
        frozenset({("MOIRA_LIST_DETAIL", "MOIRA_LIST_MEMBER"), ("SE_PERSON", "KRB_NAME")}),
        frozenset({("FAC_FLOOR", "FLOOR"), ("FAC_ROOMS", "FLOOR")}),
    }
