import pytest

from joingr_pyg.runs.secrets import secrets_in, without_secrets


def test_logins_of_addresses_are_masked() -> None:
    values = {"a": ["postgres://me:pw@host/db", ("https://token@git.org/x",)], "b": "s3://bucket/key", "c": "a@b.c"}
    assert without_secrets(values) == {
        "a": ["postgres://***@host/db", ["https://***@git.org/x"]],
        "b": "s3://bucket/key",
        "c": "a@b.c",
    }


@pytest.mark.parametrize("name", ["password", "DB_PASSWD", "api_key", "apikey", "hf_token", "clientSecret"])
def test_values_are_masked_by_their_name(name: str) -> None:
    assert without_secrets({"database": {name: "x", "port": 1}}) == {"database": {name: "***", "port": 1}}


def test_what_only_sounds_like_a_secret_is_kept() -> None:
    values = {"tokenizer": "bert", "max_tokens": 3, "password": None, "keys": ["a"], "api_key": "", "monkey": "x"}
    assert without_secrets(values) == values


def test_what_the_environment_hides_is_masked_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAREHOUSE_PASSWORD", "pass")
    monkeypatch.setenv("WAREHOUSE_SECRET", "password-1")
    monkeypatch.setenv("OTHER_TOKEN", "abc")
    assert without_secrets({"dsn": "user=a pwd=password-1", "note": "abc pass"}) == {
        "dsn": "user=a pwd=***",
        "note": "abc ***",
    }


def test_numbers_may_be_secrets() -> None:
    assert without_secrets({"password": 1234, "token": True, "port": 1234}) == {
        "password": "***",
        "token": True,
        "port": 1234,
    }


def test_overrides_are_masked_by_their_key() -> None:
    assert without_secrets(["+a.password=x", "++my_token=a=b", "model.hops=3", "x=tokens=1", "~a.password"]) == [
        *("+a.password=***", "++my_token=***", "model.hops=3", "x=tokens=1", "~a.password")
    ]
    assert without_secrets("a.api_key=x,model.hops=3") == "a.api_key=***,model.hops=3"


def test_what_is_known_is_masked_anywhere_unless_it_is_short() -> None:
    values = {"password": ["x"], "databases": [{"api_key": "abcd"}, {"secret": 12345}], "token": "ab"}
    known = secrets_in(values)
    assert known == {"abcd", "12345", "ab"}
    assert without_secrets({"note": "ab, abcd and 12345"}, known) == {"note": "ab, *** and ***"}
