import pytest

from joingr_pyg.schema.joins.column_kinds import column_kind, is_fraction, may_refer


@pytest.mark.parametrize("declared", ["float", "DOUBLE PRECISION", "real", "money", "decimal(10,2)", "NUMERIC (9, 4)"])
def test_fractions_are_no_identifiers(declared: str) -> None:
    assert is_fraction(declared)


@pytest.mark.parametrize("declared", ["int", "bigint(20)", "decimal(10,0)", "numeric(19)", "NUMBER", "varchar(10)", ""])
def test_other_types_may_be(declared: str) -> None:
    assert not is_fraction(declared)


def test_kinds_decide_what_may_refer() -> None:
    assert [column_kind(declared) for declared in ("uuid", "timestamp", "serial", "bit", "geometry")] == [
        "text",
        "time",
        "number",
        "bool",
        "",
    ]
    assert all(may_refer(*declared) for declared in (("bigint", "serial"), ("text", "number"), ("geometry", "int")))
    assert not may_refer("varchar(36)", "bigint")
