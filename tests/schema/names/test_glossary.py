import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.names.glossary import Words, read_words, with_words

FILE = {
    "provenance": "Written by hand for this test.",
    "abbreviations": {"FCLT": "facility", "bldg": " building "},
    "tables": {"FCLT_BLDG": "Buildings of the campus."},
    "columns": {"FCLT_BLDG": {"BLDG_KEY": "Number of the building."}},
    "joins": {"FCLT_ROOM.BLDG_KEY = FCLT_BLDG.BLDG_KEY": "A room lies in a building."},
    "opinions": {"FCLT_ROOM.ROOM_KEY = FCLT_BLDG.SITE": 0.25},
    "described": {"FCLT_BLDG": "1234 5678"},
}
CAMPUS = Database(
    "campus",
    (
        Table("FCLT_BLDG", (Column("BLDG_KEY"), Column("SITE")), ("BLDG_KEY",)),
        Table("FCLT_ROOM", (Column("ROOM_KEY"), Column("BLDG_KEY", natural_name="where it lies"))),
    ),
    (
        ForeignKey("FCLT_ROOM", "BLDG_KEY", "FCLT_BLDG", "BLDG_KEY"),
        ForeignKey("FCLT_BLDG", "BLDG_KEY", "FCLT_ROOM", "BLDG_KEY"),
    ),
)


def write(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "words.json"
    path.write_text(json.dumps(content))
    return path


def words(**parts: Any) -> Words:
    return Words("a test", **parts)


def test_all_parts_but_provenance_are_optional(tmp_path: Path) -> None:
    read = read_words(write(tmp_path, FILE))
    assert vars(read) == FILE
    names = replace(read, columns={}, joins={}, opinions={}, described={})
    assert read.without_columns_and_joins == names
    assert read_words(write(tmp_path, {"provenance": "nobody"})) == Words("nobody")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([], r"is not a JSON object \(got list\)"),
        ({"tables": {}}, "has no 'provenance': add a text: who wrote the words"),
        ({"provenance": " "}, r"a blank text at \['provenance'\]"),
        ({"provenance": "x", "purposes": {}}, "unknown part 'purposes': choose from provenance, abbreviations, tables"),
        ({"provenance": "x", "tables": ["A"]}, r"type list at \['tables'\]; 'tables' is \{table: text\}"),
        ({"provenance": "x", "tables": {"A": {"b": "c"}}}, r"type dict at \['tables'\]\['A'\]"),
        ({"provenance": "x", "columns": {"A": "b"}}, r"type str at \['columns'\]\['A'\]"),
        ({"provenance": "x", "columns": {"A": {"b": None}}}, r"type NoneType at \['columns'\]\['A'\]\['b'\]"),
        ({"provenance": "x", "joins": {"A.x, B.y": "why"}}, r"no join at \['joins'\]\['A.x, B.y'\]"),
        ({"provenance": "x", "opinions": {"A.x, B.y": 0.5}}, r"no join at \['opinions'\]\['A.x, B.y'\]"),
        ({"provenance": "x", "opinions": {"A.x = B.y": 1.5}}, r"no probability at \['opinions'\]\['A.x = B.y'\]"),
        ({"provenance": "x", "opinions": {"A.x = B.y": "high"}}, r"no probability at .*: probability from 0 to 1"),
        ({"provenance": "x", "opinions": 0.5}, r"type float at \['opinions'\]"),
    ],
)
def test_a_malformed_file_is_reported_with_the_position(tmp_path: Path, content: Any, reason: str) -> None:
    with pytest.raises(JoinGRError, match=reason) as caught:
        read_words(write(tmp_path, content))
    assert f"'{tmp_path / 'words.json'}'" in str(caught.value)


def test_messages_on_missing_or_damaged_files_do_not_mention_downloads(tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"'gone\.json' is missing .* give the path of a words file"):
        read_words(tmp_path / "gone.json")
    (tmp_path / "words.json").write_text("{")
    with pytest.raises(JoinGRError, match=r"not JSON .*: correct it\.$"):
        read_words(tmp_path / "words.json")


def test_each_part_is_attached(tmp_path: Path) -> None:
    campus = with_words(CAMPUS, read_words(write(tmp_path, FILE)))
    building, room = campus
    assert (building.natural_name, room.natural_name) == ("facility building", "facility room")
    assert building.description == "Buildings of the campus."
    assert building.columns == (
        Column("BLDG_KEY", natural_name="building key", description="Number of the building."),
        Column("SITE"),
    )
    # A natural name of the source's own stays.
    assert room.columns[1] == CAMPUS["FCLT_ROOM"].columns[1]
    assert campus.joins[0].description == "A room lies in a building."
    assert CAMPUS["FCLT_BLDG"].description == ""


def test_an_abbreviation_is_a_run_of_letters_and_digits_in_any_case() -> None:
    database = Database("d", (Table("t", tuple(map(Column, ("E911-phn", "(Phn)", "Phones", "e_911", "a,b")))),))
    given = words(abbreviations={"e911": "emergency", "PHN": "phone, or fax"})
    assert [column.natural_name for column in with_words(database, given)["t"].columns] == [
        *("emergency-phone or fax", "(phone or fax)", "", "", "")
    ]


def test_a_described_join_is_the_same_join() -> None:
    campus = with_words(CAMPUS, words(joins={"fclt_bldg.bldg_key = FCLT_ROOM.BLDG_KEY": "why"}))
    assert campus.joins == CAMPUS.joins
    assert campus.joins[0] == CAMPUS.foreign_keys[0]
    assert hash(campus.joins[0]) == hash(CAMPUS.joins[0])
    assert [key.description for key in campus.foreign_keys] == ["why", "why"]
    assert (campus, campus.keys) == (CAMPUS, CAMPUS.keys)


def test_a_description_is_appended_to_an_existing_one() -> None:
    described = replace(CAMPUS["FCLT_BLDG"], description="Houses. ", columns=(Column("BLDG_KEY", description="No"),))
    given = words(tables={"FCLT_BLDG": "Buildings."}, columns={"FCLT_BLDG": {"BLDG_KEY": "Number."}})
    (building,) = with_words(Database("d", (described,)), given)
    assert (building.description, building.columns[0].description) == ("Houses. Buildings.", "No. Number.")
    (building,) = with_words(Database("d", (described,)), words())
    assert building == described


def test_names_match_exactly_then_loosely() -> None:
    given = words(tables={"fclt_bldg ": "loose", "FCLT_BLDG": "exact"}, columns={"fclt_room": {"room_key": "loose"}})
    campus = with_words(CAMPUS, given)
    assert campus["FCLT_BLDG"].description == "exact"
    assert campus["FCLT_ROOM"].columns[0].description == "loose"


def test_unknown_names_are_warned_of_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    given = words(
        abbreviations={"GONE": "gone"},
        tables={"fclt_bldgs": "x"},
        columns={"FCLT_BLDG": {"GONE": "x", "SITE": "y"}, "GONE": {"a": "x"}},
    )
    with caplog.at_level(logging.WARNING):
        assert with_words(CAMPUS, given)["FCLT_BLDG"].columns[1].description == "y"
    assert [record.getMessage() for record in caplog.records] == [
        "3 description(s) of the words name no table or column of database 'campus', the first 'fclt_bldgs': did you "
        "mean 'FCLT_BLDG'?"
    ]


def test_a_join_that_the_schema_lacks_is_added() -> None:
    campus = with_words(CAMPUS, words(joins={"fclt_room.room_key = FCLT_BLDG.SITE": "Rooms are named after sites."}))
    assert campus.joins[:-1] == CAMPUS.joins
    added = campus.joins[-1]
    assert (str(added), added.source) == ("FCLT_ROOM.ROOM_KEY = FCLT_BLDG.SITE", "given")
    assert added.description == "Rooms are named after sites."


def test_a_join_of_an_unknown_column_is_refused() -> None:
    with pytest.raises(JoinGRError, match=r"no column 'FCLT_ROM\.ROOM_KEY': did you mean 'FCLT_ROOM\.ROOM_KEY'\?"):
        with_words(CAMPUS, words(joins={"FCLT_ROM.ROOM_KEY = FCLT_BLDG.SITE": "why"}))
