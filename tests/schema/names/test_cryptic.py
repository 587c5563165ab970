from dataclasses import replace

from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.names.cryptic import with_cryptic_names

KEEPERS = Table(
    "animalKeeper",
    (
        Column("keeperId", "INTEGER", description="number of the keeper"),
        Column("animal_name", "TEXT", "name of the animal"),
        Column("name_of_animal"),
        Column("Born2024"),
    ),
    ("keeperId",),
    description="who feeds the animals",
)
ANIMALS = Table(
    "animal",
    (Column("animal_id", "INTEGER"), Column("Animal Id"), Column("keeper", "INTEGER"), Column("")),
    ("animal_id", "keeper"),
    natural_name="kept animal",
)
PARK = Database(
    "park",
    (KEEPERS, ANIMALS, Table("Animal Keeper", (Column("x"),)), Table("sqlite_sequence", (Column("name"),))),
    (
        ForeignKey("animal", "keeper", "animalKeeper", "keeperId", "a keeper feeds it"),
        ForeignKey("animalKeeper", "animal_name", "animal", "animal_id"),
    ),
)


def test_every_name_by_hand() -> None:
    """The names are drawn; that each is written here keeps them the same in every process and version."""
    names = with_cryptic_names(PARK)
    # Three letters; the first letter and the consonants behind it; the whole of "kept"; the first letter of "name".
    assert names.tables == {
        "animalKeeper": "ANI_KPR",
        "animal": "KEPT_ANI",
        "Animal Keeper": "ANI_KPR2",
        "sqlite_sequence": "sqlite_sequence",
    }
    assert names.columns == {
        ("animalKeeper", "keeperId"): "KPR_ID",
        ("animalKeeper", "animal_name"): "N_OF_THE_ANI",
        ("animalKeeper", "name_of_animal"): "N_OF_ANI",
        ("animalKeeper", "Born2024"): "B",
        ("animal", "animal_id"): "ANI_ID",
        ("animal", "Animal Id"): "ANI_ID2",
        ("animal", "keeper"): "KPR",
        ("animal", ""): "UNN",
        ("Animal Keeper", "x"): "X",
        ("sqlite_sequence", "name"): "N",
    }


def test_keys_are_renamed_and_natural_names_dropped() -> None:
    assert with_cryptic_names(PARK).database == Database(
        "park",
        (
            Table(
                "ANI_KPR",
                (Column("KPR_ID", "INTEGER"), Column("N_OF_THE_ANI", "TEXT"), Column("N_OF_ANI"), Column("B")),
                ("KPR_ID",),
            ),
            Table(
                "KEPT_ANI",
                (Column("ANI_ID", "INTEGER"), Column("ANI_ID2"), Column("KPR", "INTEGER"), Column("UNN")),
                ("ANI_ID", "KPR"),
            ),
            Table("ANI_KPR2", (Column("X"),)),
            Table("sqlite_sequence", (Column("N"),)),
        ),
        (
            ForeignKey("KEPT_ANI", "KPR", "ANI_KPR", "KPR_ID"),
            ForeignKey("ANI_KPR", "N_OF_THE_ANI", "KEPT_ANI", "ANI_ID"),
        ),
    )
    assert not any(key.description for key in with_cryptic_names(PARK).database.foreign_keys)


def test_names_depend_only_on_the_name_of_the_database() -> None:
    assert with_cryptic_names(PARK) == with_cryptic_names(PARK)
    assert with_cryptic_names(replace(PARK, name="zoo")).tables["animalKeeper"] == "A_KEEPER"


def test_names_are_distinct() -> None:
    columns = tuple(Column(f"{word}_{kind}") for word in ("aaaa", "aaab", "aaac") for kind in ("Key", "key", "KEY "))
    tables = tuple(Table(f"{'aaa' + chr(letter)}", columns) for letter in range(ord("a"), ord("z") + 1))
    database = with_cryptic_names(Database("many", tables)).database
    assert len({table.name for table in database}) == 26
    assert all(len(set(table.column_names)) == len(columns) for table in database)
