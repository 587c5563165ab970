"""What a schema may hold."""

from math import nan
from typing import Any

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table

A = Table("a", (Column("x"), Column("y")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, (A,)), r"A database has a name that is no text \(got 5\)"),
        (("d", (Table([], (Column("x"),)),)), r"A table of database 'd' has a name that is no text \(got \[\]\)"),
        (
            ("d", (Table("t", (Column("x", type=7),)),)),
            "A column of table 't' .* has a type that is no text",
        ),
        (
            ("d", (Table("t", (Column("\ud800"),)),)),
            "A column of table 't' .* name with half of a letter",
        ),
        (
            ("d", (Table("t", (Column("x"),), ({},)),)),
            "The primary key of table 't' .* column that is no text",
        ),
        (
            ("d", (A,), (ForeignKey("a", "x", "a", []),)),
            "A foreign key of .* referenced_column that is no text",
        ),
        (
            ("d", (A,), (ForeignKey("a", "x", "a", "y", source="told"),)),
            "has the source 'told': write declared or",
        ),
        (("d", (A,), (ForeignKey("a", "x", "a", "y", confidence=nan),)), "has the confidence nan: it is above 0"),
        (("d", (A,), (ForeignKey("a", "x", "a", "y", confidence=0),)), "has the confidence 0: it is above 0"),
    ],
)
def test_what_is_no_text_or_number_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(JoinGRError, match=message):
        Database(*arguments)
