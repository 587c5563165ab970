"""Values of columns, looked up in questions."""

import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg.errors import JoinGRError
from joingr_pyg.text.value_index import FEW, LONGEST, ValueColumn, ValueIndex, is_value_index, value_key

ARTIST, TRACK, GENRE = (ValueColumn("music", table, "name") for table in ("artist", "track", "genre"))

VALUES = {
    ARTIST: ["Radiohead", "AC/DC", "The Who", "Motörhead", "Iron Maiden", "Home"],
    TRACK: ["Iron Maiden", "Home", "Back in Black", "Black", "One", *(f"Song {letter * 3}" for letter in "bcdefgh")],
    GENRE: ["Heavy Metal", "Jazz", "Metal", "Classics"],
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> ValueIndex:
    many = {**VALUES, TRACK: VALUES[TRACK] + [f"take {number} of it" for number in range(FEW)]}
    return ValueIndex.write(tmp_path_factory.mktemp("values") / "music.sqlite", many.items())


def found(index: ValueIndex, question: str, *schema_words: str) -> list[str]:
    return [str(match) for match in index.matches(question, frozenset(schema_words))]


@pytest.mark.parametrize(
    ("question", "matches"),
    [
        ("albums of Radiohead", ["'Radiohead' is a value of artist.name"]),
        ("albums of radiohead", ["'radiohead' is a value of artist.name"]),
        ("songs of AC/DC?", ["'AC/DC' is a value of artist.name"]),
        ("songs by ac dc", ["'ac dc' is a value of artist.name"]),
        ("who plays like Motorhead", ["'Motorhead' is a value of artist.name"]),
        ("all of The Who", ["'The Who' is a value of artist.name"]),
        ("the heavy metal years", ["'heavy metal' is a value of genre.name"]),
        ("classic pieces", ["'classic' is a value of genre.name"]),
        ("metal and jazz", ["'metal' is a value of genre.name", "'jazz' is a value of genre.name"]),
        ("Iron Maiden", ["'Iron Maiden' is a value of artist.name", "'Iron Maiden' is a value of track.name"]),
        ("play Back in Black", ["'Back in Black' is a value of track.name"]),
        ("play 'Black'", ["'Black' is a value of track.name"]),
        ("which one is black", []),
        ("One of the best", []),
        ("way back home", ["'home' is a value of artist.name"]),
        ("", []),
        ("what is it?", []),
    ],
)
def test_a_value_is_found_as_a_question_spells_it(index: ValueIndex, question: str, matches: list[str]) -> None:
    assert found(index, question) == matches


def test_words_of_the_schema_are_no_values(index: ValueIndex) -> None:
    assert found(index, "jazz", value_key("jazz")) == []
    assert found(index, "heavy metal", value_key("metal")) == ["'heavy metal' is a value of genre.name"]


def test_an_index_is_kept_for_its_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "music.sqlite"
    index = ValueIndex.write(path, VALUES.items())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(ValueIndex(path)) == len(index) == sum(map(len, VALUES.values()))
    assert ValueIndex(path).columns() == [ARTIST, TRACK, GENRE]
    assert list(tmp_path.iterdir()) == [path]


def test_an_index_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "music.sqlite"
    ValueIndex.write(path, [(ARTIST, ["Radiohead"])])

    def broken():  # type: ignore[no-untyped-def]
        yield TRACK, ["Home"]
        raise RuntimeError("the server went away")

    with pytest.raises(RuntimeError):
        ValueIndex.write(path, broken())
    assert ValueIndex(path).columns() == [ARTIST]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [None, b"", b"no database at all" * 100])
def test_a_file_that_is_no_index_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "values.sqlite"
    if content is not None:
        path.write_bytes(content)
    assert not is_value_index(path)
    with pytest.raises(JoinGRError, match="no index of values"):
        ValueIndex(path)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(), max_size=6), st.text())
def test_any_values_and_questions_are_taken(values: list[str], question: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = ValueIndex.write(Path(folder) / "a.sqlite", [(ARTIST, values)])
        for match in index.matches(question):
            assert match.value in question
            assert value_key(match.value) in set(map(value_key, values))


def test_only_short_texts_with_letters_are_values() -> None:
    assert value_key("2024-01-01") == ""
    assert value_key(" ".join("abcdefghi"[: LONGEST + 1])) == ""
    assert value_key("E. coli") == value_key("e coli") == "e coli"
