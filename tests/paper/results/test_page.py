import pytest

from joingr_pyg.errors import JoinGRError
from paper.results.page import about, fill

PAGE = """# Title

<!-- begin one -->
old
<!-- end one -->

By hand.

<!-- begin two -->
<!-- end two -->
"""


def test_parts_are_replaced_and_prose_stays() -> None:
    filled = fill(PAGE, {"one": "new\n", "two": "| a |\n| - |", "three": "nowhere"})
    assert filled == (
        "# Title\n\n<!-- begin one -->\n\nnew\n\n<!-- end one -->\n\nBy hand.\n\n"
        "<!-- begin two -->\n\n| a |\n| - |\n\n<!-- end two -->\n"
    )
    assert fill(filled, {"one": "new"}) == filled


def test_a_part_without_an_end_is_refused() -> None:
    with pytest.raises(JoinGRError, match="begin one"):
        fill("<!-- begin one -->\n", {"one": "new"})


def test_text_is_taken_as_it_is() -> None:
    assert r"\1 \g<0> \d" in fill(PAGE, {"one": r"\1 \g<0> \d"})


def test_what_is_said_of_benchmarks_without_results_is_left_out() -> None:
    page = "# Title\n\n" + "".join(
        f"<!-- about {names} -->\n{names}.\n<!-- end about -->\n" for names in ("bird", "beaver bird", "any")
    )
    assert about(page, {"bird"}) == "# Title\n\nbird.\nany.\n"
    assert about(page, {"bird", "beaver"}) == "# Title\n\nbird.\nbeaver bird.\nany.\n"
    assert about(page, set()) == "# Title\n\n"
