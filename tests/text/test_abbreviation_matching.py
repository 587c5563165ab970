import pickle
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joingr_pyg.text import abbreviation_matching as abbreviations
from joingr_pyg.text.abbreviation_matching import (
    Abbreviations,
    abbreviates,
    with_names_spelt_out,
    words_with_abbreviations,
)

WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("short", "word"),
    [
        *[("org", "organization"), ("langu", "language")],  # It begins the word,
        *[
            ("fdr", "feeder"),
            ("cmdty", "commodity"),
            ("fclt", "facility"),
            ("trnsm", "transmission"),
        ],  # without vowels,
        *[("outg", "outage"), ("outg", "outages"), ("substn", "substations"), ("bldng", "building")],  # or with some;
        *[("trfmr", "transformers"), ("dept", "department")],  # consonants are left out in the middle.
    ],
)
def test_abbreviations(short: str, word: str) -> None:
    assert abbreviates(short, word)


@pytest.mark.parametrize(
    ("short", "word"),
    [
        *[("or", "organization"), ("organizatio", "organization"), ("orders", "order")],  # Too short, hardly shorter,
        *[("rgn", "organization"), ("zip", "organization")],  # of another beginning,
        *[("pre", "percentage"), ("fdrz", "feeder"), ("gorn", "organization")],  # ending or order,
        *[("cnn", "crown"), ("trm", "transformers"), ("stt", "substation")],  # or with too much left out in the middle.
    ],
)
def test_no_abbreviations(short: str, word: str) -> None:
    assert not abbreviates(short, word)


@given(WORDS, WORDS)
def test_an_abbreviation_is_made_of_letters_of_the_word(short: str, word: str) -> None:
    if abbreviates(short, word):
        rest = iter(word)
        assert all(letter in rest for letter in short)
        assert len(short) + 2 <= len(word)


@given(st.lists(WORDS, max_size=30), WORDS)
def test_none_is_overlooked(texts: list[str], word: str) -> None:
    found = Abbreviations(texts)
    known = [short for short in dict.fromkeys(texts) if short in found.found]
    assert sorted(found.of(word)) == sorted(
        abbreviations.words(short)[0] for short in known if abbreviates(short, word)
    )


def test_what_a_schema_abbreviates() -> None:
    schema = Abbreviations(["OUTG_CAUS outg evt", "FDR substn", "order customer_id org acct"])
    assert list(schema.of("outages")) == ["outg"]
    assert list(schema.of("feeders")) == ["fdr"]
    assert list(schema.of("account")) == []  # A common one: where it names a table, it is spelt out.
    assert list(schema.of("customers")) == list(schema.of("ordering")) == []  # English words stand for themselves.
    assert list(pickle.loads(pickle.dumps(schema)).of("outage")) == ["outg"]


def test_words_are_asked_once_each() -> None:
    schema = Abbreviations(["fdr"])
    question = "Which feeders does a feeder feed? The fdr!"
    assert words_with_abbreviations(question, schema) == {"feeders": ["feeder", "fdr"], "feed": ["feed"], "fdr": []}
    assert words_with_abbreviations(question, None) == {"feeders": ["feeder"], "feed": ["feed"], "fdr": ["fdr"]}


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abbreviations, "CACHED_WORDS", 2)
    schema = Abbreviations(["fdr"])
    for word in ("feeder", "feeders", "feeding", "feeder"):
        schema.of(word)
        assert len(schema._cache) <= 2


def test_common_abbreviations_in_names_are_spelt_out() -> None:
    documents = ["cust addr cust addr cust addr shop org", "orders"]
    meant = "customer address customer address customer address"
    assert with_names_spelt_out(documents, ["cust addr", "orders"], 3) == [f"{documents[0]} {meant}", "orders"]
