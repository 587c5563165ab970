"""URLs, drivers and files of live databases."""

import builtins
import sys
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.readers.live import address, read_database
from joingr_pyg.schema.readers.live.address import database_name, described, failure_reason, parse_url


@pytest.mark.parametrize(
    ("given", "driver"),
    [
        ("postgresql://me@host/db", "postgresql+psycopg"),
        ("postgres://me@host/db", "postgresql+psycopg"),
        ("postgresql+psycopg2://me@host/db", "postgresql+psycopg2"),
        ("mysql://me@host/db", "mysql+pymysql"),
        ("mariadb://me@host/db", "mariadb+pymysql"),
        (" sqlite:///a.db\n", "sqlite"),
    ],
)
def test_a_driver_is_chosen_where_none_is_named(given: str, driver: str) -> None:
    assert parse_url(given).drivername == driver


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ("postgresql://me:pa@s3cret@host/db", ["more than one '@'", "%40"]),
        ("postgresql://me:s3cret/x@host@other/db", ["more than one '@'", "%2F"]),
        ("postgresql://me:s3cret@host:port/db", ["cannot be understood", "the port is a number"]),
        ("me:s3cret@host/db", ["no database URL", "dialect://user:password@host:port/database"]),
        ("", ["no database URL"]),
        ("snowflake://me:s3cret@account/db", ["no database system 'snowflake'", "install the package"]),
        ("postgresql+no_such://me:s3cret@host/db", ["'postgresql+no_such'"]),
        ("sqlite://", ["in memory", "engine"]),
        ("sqlite:///:memory:", ["in memory", "engine"]),
    ],
)
def test_a_url_that_is_wrong_is_refused_in_one_sentence(given: str, parts: list[str]) -> None:
    with pytest.raises(JoinGRError) as refused:
        read_database(given)
    assert all(part in str(refused.value) for part in parts)
    assert "s3cret" not in str(refused.value)


def test_a_source_of_another_kind_is_refused() -> None:
    with pytest.raises(JoinGRError, match=r"a URL or an SQLAlchemy engine \(got list\)"):
        read_database(["sqlite:///a.db"])  # type: ignore[arg-type]


@pytest.mark.parametrize("system", ["sqlite", "duckdb"])
def test_a_file_that_does_not_exist_is_not_created(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(JoinGRError, match=r"no database file 'shp\.db': .* four slashes"):
        read_database(f"{system}:///shp.db")
    with pytest.raises(JoinGRError, match="is a folder: name the database file in it"):
        read_database(f"{system}:///{tmp_path}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("system", ["sqlite", "duckdb"])
def test_a_file_that_is_no_database_is_refused(system: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("no database " * 100)
    with pytest.raises(JoinGRError, match=rf"The {system} database '.*notes\.db' cannot be read: .*not a"):
        read_database(f"{system}:///{path}")
    assert path.read_text() == "no database " * 100


def test_the_path_of_a_file_is_told_how_its_url_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.touch()
    with pytest.raises(JoinGRError, match=f"it is sqlite:///{path}"):
        read_database(str(path))


@pytest.mark.parametrize(
    ("url", "module", "extra"),
    [
        ("postgresql://me@host/db", "psycopg", "postgres"),
        ("mysql://me@host/db", "pymysql", "mysql"),
        ("duckdb:///{path}", "duckdb_engine", "duckdb"),
    ],
)
def test_a_driver_that_is_missing_names_its_extra(
    url: str, module: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlalchemy.dialects import registry

    path = tmp_path / "a.db"
    path.touch()
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name.partition(".")[0] == module:
            raise ModuleNotFoundError(f"No module named '{module}'", name=module)
        return real(name, *rest)  # type: ignore[arg-type]

    for loaded in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, loaded)
    if module == "duckdb_engine":
        monkeypatch.setattr(registry, "load", _unknown)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(JoinGRError) as refused:
        read_database(url.format(path=path))
    assert f"its driver '{module}' is not installed: pip install 'joingr-pyg[{extra}]'." in str(refused.value)


def _unknown(name: str) -> None:
    from sqlalchemy.exc import NoSuchModuleError

    raise NoSuchModuleError(name)


def test_a_missing_sqlalchemy_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "find_spec", lambda name: None)
    with pytest.raises(JoinGRError, match=r"needs 'sqlalchemy', .*pip install 'joingr-pyg\[database\]'"):
        read_database("sqlite:///a.db")


def test_what_messages_call_a_database_has_no_user_and_no_password() -> None:
    url = URL.create("postgresql", "me", "s3cret", "db.example.org", 5433, "shop", {"password": "s3cret"})
    assert described(url) == "postgresql database 'shop' at db.example.org:5433"
    server = URL.create("postgresql", "me", "s3cret", "db.example.org")
    assert described(server) == "postgresql server at db.example.org"
    assert (database_name(url), database_name(server)) == ("shop", "postgresql")
    assert database_name(create_engine("sqlite:////data/my.shop.db").url) == "my.shop"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("host down.\nmore", "host down"),
        ('role "postgres" does not exist', 'role "postgres" does not exist'),
        ("failed with s3/cret", "whose message repeats the password"),
        ("failed with s3%2Fcret", "whose message repeats the password"),
        ("", "ValueError"),
    ],
)
def test_the_reason_of_a_failure_never_holds_the_password(message: str, shown: str) -> None:
    for url in (
        URL.create("postgresql", "postgres", "s3/cret", "host", database="db"),
        URL.create("postgresql", "postgres", None, "host", database="db", query={"password": "s3/cret"}),
    ):
        assert shown in failure_reason(ValueError(message), url)
    same = URL.create("postgresql", "postgres", "postgres", "host", database="db")
    assert failure_reason(ValueError('role "postgres" is unknown'), same) == 'role "postgres" is unknown'
