from joingr_pyg.schema import Column, Database, Table
from joingr_pyg.schema.names.natural import has_natural_name, spell_out

LONG = {"dept": "department, lab or center", "hist": "history", "1st": "first", "id": "id"}


def spell(name: str) -> str:
    return " ".join(LONG.get(word, word) for word in name.split())


def spelt(name: str, natural_name: str = "") -> str:
    database = Database("d", (Table("t", (Column(name, natural_name=natural_name),)),))
    return spell_out(database, spell)["t"].columns[0].natural_name


def test_each_word_of_a_split_name_is_expanded() -> None:
    assert spelt("DEPT_HIST") == "department lab or center history"
    assert spelt("theDeptId") == "the department lab or center id"
    assert spelt("1ST_HIST") == "first history"


def test_a_name_of_plain_words_is_left_alone() -> None:
    assert spelt("ID") == ""
    assert spelt("DEPTS") == ""
    assert spelt("") == ""


def test_a_natural_name_with_other_words_than_the_name_is_kept() -> None:
    assert spelt("dept_hist", "old departments") == "old departments"
    assert spelt("dept_hist", "dept hist") == "department lab or center history"
    assert not has_natural_name(Table("DeptHist", (Column("x"),), natural_name="dept hist"))
    assert has_natural_name(Column("DeptHist", natural_name="past departments"))


def test_tables_are_expanded_too_and_nothing_else_changes() -> None:
    table = Table("Dept", (Column("x", "INTEGER", description="hist"),), ("x",), description="dept")
    database = Database("dept", (table,))
    after = spell_out(database, spell)
    assert after["Dept"].natural_name == "department lab or center"
    assert (after.name, after["Dept"].description, after["Dept"].columns) == ("dept", "dept", table.columns)
    assert database["Dept"].natural_name == ""
