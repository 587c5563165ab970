import pytest

from joingr_pyg.runs.secrets import secrets_in, without_secrets


def test_logins_of_addresses_are_masked() -> None:
    values = {"a": ["postgres://me:pw@host/db", ("https://token@git.org/x",)], "b": "s3://bucket/key", "c": "a@b.c"}
    assert without_secrets(values) == {
        "a": ["postgres://***@host/db", ["https://***@git.org/x"]],
        "b": "s3://bucket/key",
        "c": "a@b.c",
    }


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("postgresql://u:p@ss%1@host/x", "postgresql://***@host/x"),
        ("postgresql://u:a/b@host:5432/x", "postgresql://***@host:5432/x"),
        ("+db=postgresql://u:a b@host/x", "+db=postgresql://***@host/x"),
        ("postgresql://u:12345@host/x", "postgresql://***@host/x"),
        ("postgresql://host:5432/x?mail=me@home.org", "postgresql://host:5432/x?mail=me@home.org"),
        ("see http://host:80/a@b and postgresql://u:p@h/x or me@home.org", None),
        ("postgresql://host/x?user=u&password=p&port=1", "postgresql://host/x?user=u&password=***&port=1"),
        ("host=h password=p dbname=x", "host=h password=*** dbname=x"),
        ("host=h password='two words' dbname=x", "host=h password=*** dbname=x"),
        ("Server=h;UID=u;PWD=p;Port=1", "Server=h;UID=u;PWD=***;Port=1"),
        ("odbc_connect=UID%3Du%3BPWD%3Dp%3BPort%3D1", "odbc_connect=UID%3Du%3BPWD%3D***%3BPort%3D1"),
        ("{'password': 'p', 'port': 1}", "{'password': '***', 'port': 1}"),
        ("Authorization: Bearer abcdefgh12345678", "Authorization: Bearer ***"),
        ("sk-abcdefghijklmnop1234 is wrong", "*** is wrong"),
        ("-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----", None),
        ("max_tokens=3 and compass=north", "max_tokens=3 and compass=north"),
    ],
)
def test_secrets_within_texts_are_masked(text: str, masked: str | None) -> None:
    said = without_secrets({"a": [text]})["a"][0]
    if masked is not None:
        assert said == masked
    elif text.startswith("see"):
        assert said == "see http://host:80/a@b and postgresql://***@h/x or me@home.org"
    else:
        assert said == "-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("typed", "secret"),
    [
        ("postgresql://u:p%40ss@host/x", {"p%40ss", "p@ss"}),
        ("postgresql://host/x?password=pass-1", {"pass-1"}),
        ("host=h password='two words'", {"two words"}),
        ("postgresql://host:5432/x", set()),
    ],
)
def test_passwords_within_texts_are_known(typed: str, secret: set[str]) -> None:
    assert secrets_in([{"db": typed}]) == secret


@pytest.mark.parametrize(
    "name",
    [
        *(
            "password",
            "DB_PASSWD",
            "api_key",
            "api-key",
            "apikey",
            "hf_token",
            "clientSecret",
            "pwd",
            "pass",
            "db_pass",
        ),
        *("dbpass", "dbPass", "user_pwd", "userPwd", "PGPASSWORD", "ssl_password", "passcode"),
    ],
)
def test_values_are_masked_by_their_name(name: str) -> None:
    assert without_secrets({"database": {name: "x", "port": 1}}) == {"database": {name: "***", "port": 1}}


def test_what_only_sounds_like_a_secret_is_kept() -> None:
    values = {"tokenizer": "bert", "max_tokens": 3, "password": None, "keys": ["a"], "api_key": "", "monkey": "x"}
    values |= dict.fromkeys(["compass", "bypass", "passes", "passage", "cwd", "key", "number_of_passes"], "x")
    assert without_secrets(values) == values


def test_what_the_environment_hides_is_masked_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAREHOUSE_PASSWORD", "pass")
    monkeypatch.setenv("WAREHOUSE_SECRET", "password-1")
    monkeypatch.setenv("OTHER_TOKEN", "abc")
    assert without_secrets({"dsn": "user=a pwd=password-1", "note": "abc pass"}) == {
        "dsn": "user=a pwd=***",
        "note": "abc ***",
    }


def test_the_folder_of_the_shell_is_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PWD", "/home/someone")
    assert without_secrets({"folder": "/home/someone/runs"}) == {"folder": "/home/someone/runs"}


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
