from joingr_pyg.retrieval.reasons import NOTHING, clear_terms, reason

NEAREST = "column massif resembles the question (cosine 0.38)"
SHARED = "shares 'route', 'massif' with the question"
VOTES = "similar answered questions needed it"


def test_the_strongest_reason_comes_first() -> None:
    above = {"similarity": 0.1, "words": 0.3, "votes": 0.2}
    assert clear_terms(above, 0.381) == ["words", "votes", "similarity"]
    sentence = reason(["words", "votes", "similarity"], "massif", 0.381, ["route", "massif"])
    assert sentence == f"{SHARED}; {VOTES}; {NEAREST}"
    assert clear_terms(above | {"similarity": 0.4}, 0.381)[0] == "similarity"


def test_weak_reasons_are_left_out() -> None:
    assert clear_terms({"similarity": 0.2, "words": 0.049, "votes": -0.1}, 0.38) == ["similarity"]
    assert clear_terms({"similarity": 0.01, "words": 0.03}, 0.38) == ["words"]
    assert clear_terms({"words": 0.019, "votes": -1.0}, 0.38) == []
    assert clear_terms({}, 0.9) == []


def test_a_column_that_is_not_similar_is_no_reason() -> None:
    assert clear_terms({"similarity": 0.2}, 0.26) == []
    assert clear_terms({"similarity": 0.04}, 0.5) == []
    assert clear_terms({"similarity": 0.05}, 0.35) == ["similarity"]


def test_three_words_are_enough() -> None:
    assert reason(["words"], "massif", 0.1, ["a", "b", "c", "d"]) == "shares 'a', 'b', 'c' with the question"
    assert reason(["words"], "massif", 0.1, []) == NOTHING


def test_a_phrase_may_match() -> None:
    assert reason(["phrases"], "massif", 0.1, phrase="Border Collie") == "matches 'Border Collie'"


def test_where_nothing_speaks_for_a_table_that_is_said() -> None:
    assert reason([], "purged_at", 0.26) == "nothing in the question speaks for it"


def test_a_table_that_the_question_names_says_so_first() -> None:
    assert reason([], "massif", 0.2, named=True) == "the question names it"
    assert reason(["votes"], "massif", 0.2, named=True) == f"the question names it; {VOTES}"


def test_the_joins_come_first_with_one_reason_more() -> None:
    path = "reached from dogs over a.x = b.y, c.x = b.z"
    joins = ["a.x = b.y", "c.x = b.z"]
    terms = ["similarity", "words"]
    assert reason(terms, "massif", 0.38, ["a"], origin="dogs", joins=joins) == f"{path}; {NEAREST}"
    assert reason([], "massif", 0.38, origin="dogs", joins=joins) == path
