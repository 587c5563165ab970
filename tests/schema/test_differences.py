"""Differences between two versions of schemas."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.differences import SchemaDifferences, schema_differences

ARTIST = Table("artist", (Column("id", "INT"), Column("name", "TEXT")), ("id",))
ALBUM = Table("album", (Column("id", "INT"), Column("artist", "INT")), ("id",))
MUSIC = Database("music", (ARTIST, ALBUM), (ForeignKey("album", "artist", "artist", "id"),))


def test_tables_columns_and_joins_are_compared() -> None:
    artist = Table("artist", (Column("id", "BIGINT"), Column("born", "DATE")), ("id",), description="Who plays")
    track = Table("track", (Column("id"), Column("by")))
    after = Database("music", (track, artist), (ForeignKey("track", "by", "artist", "id"),))
    assert schema_differences([MUSIC], [after]) == SchemaDifferences(
        added_tables=(("music", "track"),),
        removed_tables=(("music", "album"),),
        added_columns=(("music", "artist", "born"),),
        removed_columns=(("music", "artist", "name"),),
        changed_columns=(("music", "artist", "id"),),
        changed_tables=(("music", "artist"),),
        added_joins=(("music", "track.by = artist.id"),),
        removed_joins=(("music", "album.artist = artist.id"),),
    )


def test_the_same_schema_has_no_differences() -> None:
    turned = replace(MUSIC, tables=(ALBUM, ARTIST), foreign_keys=(ForeignKey("artist", "id", "album", "artist"),))
    for after in (MUSIC, turned):
        assert not schema_differences([MUSIC], [after])
        assert str(schema_differences([MUSIC], [after])) == "nothing changed"


def test_differences_are_told_in_one_line() -> None:
    wide = replace(ARTIST, columns=ARTIST.columns + tuple(Column(f"c{number}") for number in range(7)))
    after = Database("music", (wide, ALBUM, Table("a", (Column("b"),))), MUSIC.foreign_keys)
    assert str(schema_differences([MUSIC], [after])) == (
        "1 table added (a), 7 columns added (artist.c0, artist.c1, artist.c2, artist.c3, artist.c4, 2 more)"
    )


def test_tables_of_other_databases_are_others() -> None:
    renamed = replace(MUSIC, name="sound")
    assert schema_differences([MUSIC], [renamed]) == SchemaDifferences(
        added_tables=(("sound", "artist"), ("sound", "album")),
        removed_tables=(("music", "artist"), ("music", "album")),
        added_joins=(("sound", "album.artist = artist.id"),),
        removed_joins=(("music", "album.artist = artist.id"),),
    )


@given(st.sets(st.sampled_from("abcdef"), min_size=1), st.sets(st.sampled_from("abcdef"), min_size=1))
def test_what_is_added_one_way_is_removed_the_other(before: set[str], after: set[str]) -> None:
    old, new = (
        Database("d", tuple(Table(name, (Column("x"),)) for name in sorted(names))) for names in (before, after)
    )
    there, back = schema_differences([old], [new]), schema_differences([new], [old])
    assert {table for _, table in there.added_tables} == after - before
    assert set(there.added_tables) == set(back.removed_tables)
    assert set(there.removed_tables) == set(back.added_tables)
