import pytest

from joingr_pyg.reports.runs.secrets import without_secrets


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
