import logging

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.sql.parsing import parse_sql, tokenize_sql


def test_every_statement_is_parsed_and_empty_ones_are_none() -> None:
    assert [statement.sql() for statement in parse_sql(";SELECT 1;; SELECT 2;", "sqlite")] == ["SELECT 1", "SELECT 2"]


def test_sqlglot_stays_quiet_and_may_speak_again_afterwards(caplog: pytest.LogCaptureFixture) -> None:
    parse_sql("VACUUM INTO 'x'", "sqlite")
    assert not caplog.records
    logging.getLogger("sqlglot").warning("heard")
    assert caplog.messages == ["heard"]


def test_sql_that_does_not_parse_is_quoted_with_the_place() -> None:
    with pytest.raises(
        JoinGRError, match=r"'SELECT a FROM t WHERE \( ORDER' does not parse as sqlite at line 2, column"
    ):
        parse_sql("SELECT a\nFROM t WHERE ( ORDER", "sqlite")


def test_a_long_text_is_cut_in_the_message() -> None:
    with pytest.raises(JoinGRError) as caught:
        parse_sql(f"SELECT {'a, ' * 1000} FROM (", "sqlite")
    assert len(str(caught.value)) < 200


def test_a_quote_that_is_not_closed_is_reported() -> None:
    with pytest.raises(JoinGRError, match="does not parse as sqlite"):
        tokenize_sql("SELECT 'a", "sqlite")


def test_a_dialect_that_does_not_exist_is_reported() -> None:
    with pytest.raises(JoinGRError, match="'sqlit'"):
        parse_sql("SELECT 1", "sqlit")
