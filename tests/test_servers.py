"""The real servers that tests use."""

import pytest
from sqlalchemy import create_engine, text

from tests.servers import Server


@pytest.fixture(params=["postgres", "mariadb"])
def server(request: pytest.FixtureRequest) -> Server:
    return request.getfixturevalue(request.param)


def test_every_test_gets_a_database_of_its_own(server: Server) -> None:
    first, second = (
        server.new_database("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (7);"),
        server.new_database(),
    )
    assert first != second
    engine = create_engine(first)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT a FROM t")) == 7
    engine.dispose()
    server.run("CREATE TABLE t (b INTEGER);", second)
