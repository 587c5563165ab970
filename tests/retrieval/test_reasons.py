from joingr_pyg.retrieval.reasons import reason, stands_out

NEAREST = "nearest column massif (cosine 0.38)"


def test_what_speaks_most_comes_first() -> None:
    above = {"similarity": 0.1, "words": 0.3, "votes": 0.2}
    told = ["shares 'route', 'massif'", "similar answered questions needed it", NEAREST]
    assert reason(above, "massif", 0.381, ["route", "massif"]) == "; ".join(told)
    assert reason(above | {"similarity": 0.4}, "massif", 0.381, ["route", "massif"]).startswith(NEAREST)


def test_what_speaks_little_is_not_told() -> None:
    assert reason({"similarity": 0.2, "words": 0.049, "votes": -0.1}, "massif", 0.38, ["name"]) == NEAREST
    assert reason({"similarity": 0.01, "words": 0.03}, "massif", 0.38, ["name"]) == "shares 'name'"


def test_three_words_are_enough() -> None:
    assert reason({"words": 1.0}, "massif", 0.38, ["a", "b", "c", "d"]) == "shares 'a', 'b', 'c'"


def test_a_phrase_may_point_at_it() -> None:
    above = {"similarity": 0.0, "phrases": 0.1}
    assert reason(above, "massif", 0.38, phrase="Border Collie") == "'Border Collie' points at it"


def test_nothing_may_stand_out() -> None:
    above = {"similarity": 0.01, "words": -0.2}
    assert not stands_out(above)
    assert stands_out(above | {"words": 0.02})
    assert reason(above, "massif", 0.38) == "nothing stands out, " + NEAREST


def test_the_way_over_joins_comes_first_with_one_reason_more() -> None:
    way = "reached from dogs over a.x = b.y, c.x = b.z"
    joins = ["a.x = b.y", "c.x = b.z"]
    assert reason({"similarity": 0.3, "words": 0.2}, "massif", 0.38, ["a"], "dogs", joins) == f"{way}; {NEAREST}"
    assert reason({"similarity": 0.0, "words": -0.2}, "massif", 0.38, [], "dogs", joins) == way
