"""What rows say of joins."""

import sqlite3
from pathlib import Path

import pytest

from joingr_pyg.schema import ForeignKey
from joingr_pyg.schema.readers.live import read_database
from joingr_pyg.schema.readers.live.containment import SAMPLE, read_shares
from joingr_pyg.schema.readers.live.values import ValueLimits

SCRIPT = """
CREATE TABLE city (code TEXT PRIMARY KEY, mayor_email TEXT);
CREATE TABLE shop (id INTEGER, city TEXT, region TEXT, empty TEXT, password TEXT);
INSERT INTO city VALUES ('OSL', 'a'), ('BER', 'b'), ('ROM', 'c');
INSERT INTO shop VALUES (1, 'OSL', 'BER', NULL, 'OSL'), (2, 'OSL', 'north', NULL, 'OSL'), (3, 'BER', NULL, NULL, 'OSL'),
    (4, 'ROM', 'south', NULL, 'OSL'), (5, NULL, 'east', NULL, 'OSL');
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    with sqlite3.connect(tmp_path / "shops.sqlite") as connection:
        connection.executescript(SCRIPT)
    return f"sqlite:///{tmp_path / 'shops.sqlite'}"


def shares(url: str, limits: ValueLimits, *columns: str) -> dict[str, float]:
    joins = [ForeignKey("shop", column, "city", "code") for column in columns]
    return {name.split(" ")[0]: share for name, share in read_shares(url, read_database(url), joins, limits).items()}


def test_the_share_of_distinct_values_that_are_there(url: str) -> None:
    found = shares(url, ValueLimits(), "city", "region", "id", "empty")
    assert found == {"shop.city": 1.0, "shop.region": 0.25, "shop.id": 0.0}


def test_columns_that_are_left_out_are_not_read(url: str) -> None:
    assert shares(url, ValueLimits(), "password") == {}
    assert shares(url, ValueLimits(personal=True), "password") == {"shop.password": 1.0}
    assert shares(url, ValueLimits(exclude=("shop.c*",)), "city", "region") == {"shop.region": 0.25}
    assert shares(url, ValueLimits(exclude=("code",)), "city", "region") == {}


def test_a_sample_of_many_values(url: str, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shops.sqlite") as connection:
        connection.executemany("INSERT INTO shop (city) VALUES (?)", [(f"X{n}",) for n in range(2 * SAMPLE)])
    (share,) = shares(url, ValueLimits(), "city").values()
    assert 0 < share <= 3 / SAMPLE
    assert shares(url, ValueLimits(rows=1), "city") == {"shop.city": 1.0}


def test_a_join_of_a_column_that_is_gone_has_no_share(url: str, tmp_path: Path) -> None:
    database = read_database(url)
    with sqlite3.connect(tmp_path / "shops.sqlite") as connection:
        connection.execute("ALTER TABLE shop DROP COLUMN city")
    joins = [ForeignKey("shop", column, "city", "code") for column in ("city", "region")]
    assert read_shares(url, database, joins, ValueLimits()) == {str(joins[1]): 0.25}
