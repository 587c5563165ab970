import pytest

from joingr_pyg.schema.readers.ddl.column_types import declared_type


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("int NOT NULL AUTO_INCREMENT", "int"),
        ("varchar(36) COLLATE utf8mb3_unicode_ci NOT NULL DEFAULT ''", "varchar(36)"),
        ("text CHARACTER SET latin1 COLLATE latin1_swedish_ci", "text"),
        ("enum('NOT NULL','it''s, so') COLLATE utf8mb3_unicode_ci", "enum('NOT NULL','it''s, so')"),
        ("int unsigned NOT NULL", "int unsigned"),
        ("decimal(10, 2), next INT", "decimal(10, 2)"),
        ("character varying(10) DEFAULT NULL", "character varying(10)"),
        ("double precision)", "double precision"),
        ("VARCHAR2", "VARCHAR2"),
        ("NOTE", "NOTE"),
        ("NOT NULL", ""),
        ("", ""),
    ],
)
def test_the_type_ends_where_the_rest_of_the_definition_begins(declared: str, expected: str) -> None:
    assert declared_type(declared, "mysql") == expected
