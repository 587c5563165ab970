import pytest

from joingr_pyg.schema.names import is_internal, match


@pytest.mark.parametrize(
    ("name", "names", "found"),
    [
        ("a", ["A", "a"], "a"),  # the exact name wins over an earlier one that is merely alike
        ("ab", ["AB", "Ab"], "AB"),
        ("a", [" a"], None),
        ("", ["a", ""], ""),
        ("", [], None),
    ],
)
def test_match(name: str, names: list[str], found: str | None) -> None:
    assert match(name, names) == found


def test_match_folds_as_told() -> None:
    assert match("id", ["Id "], fold=lambda name: name.strip().lower()) == "Id "


def test_internal_tables_are_those_sqlite_reserves() -> None:
    assert is_internal("sqlite_sequence")
    assert is_internal("SQLITE_STAT1")
    assert not is_internal("sqlite")
