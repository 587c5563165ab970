"""The page of an answer, as text and in a browser."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from joingr_pyg.plotting.page import frame, page
from joingr_pyg.plotting.picture import Picture, PictureJoin, PictureTable
from joingr_pyg.schema import ForeignKey
from tests.plotting.chromium import dom_of, needs_chromium, without_policy

HOSTILE = [
    "<script>document.title='injected'</script>",
    "</script></style></title></svg><img src=x onerror=\"document.title='injected'\">",
    '" onmouseover="document.title=\'injected\'" x="',
    "\x1b[31mred\x1b[0m \u202e **bold** [link](javascript:alert(1)) &lt;b&gt;",
]


def table(name: str, place: int | None, *, database: str = "db", description: str = "") -> PictureTable:
    score = None if place is None else 1.0 / place
    return PictureTable((database, name), description, place, score, f"why {name}", "id", 0.5, 0.4, (0.25, 0.125))


def picture(*tables: PictureTable, question: str = "Which ones?", source: str = "declared") -> Picture:
    key = ForeignKey(tables[-1].name[1], "up_id", tables[0].name[1], "id", "", source, 0.8) if tables else None  # type: ignore[arg-type]
    joins = () if key is None else (PictureJoin((0, len(tables) - 1), (key,), (0.25, 0.0), (0.0, 0.125)),)
    listed = tuple(each for each in tables if each.place is not None)
    return Picture(question, tables, listed, joins, 2 if tables else 0, 9, len(tables), 1.0)


PAIR = picture(table("orders", 1, description="what was bought"), table("customers", None), source="inferred")


class Elements(HTMLParser):
    """The tags of a page and the attributes that a browser acts on, and its visible text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_holds_question_tables_reasons_joins_and_what_is_left_out() -> None:
    shown = " ".join(Elements(page(PAIR)).texts)
    for expected in (
        "Which ones?",
        "Found: 1 of 9 tables.",
        "orders",
        "customers",
        "what was bought",
        "why orders",
        "customers.up_id = orders.id",
        "up_id → id",
        "inferred, confidence 0.80",
        "inferred join",
        "anchor: a walk started here",
    ):
        assert expected in shown


def test_the_page_loads_nothing() -> None:
    parsed = Elements(page(PAIR))
    assert not {"link", "img", "iframe", "object", "base", "form", "a"} & set(parsed.tags)
    assert not {"src", "href", "srcset", "action", "style"} & {name for name, _ in parsed.attributes}
    assert not re.search(r"https?:|url\(|@import|fetch\(|XMLHttp|innerHTML|eval\(", page(PAIR))
    policy = next(value for name, value in parsed.attributes if name == "content" and "default-src" in str(value))
    assert "default-src 'none'" in str(policy)


def test_a_page_is_small() -> None:
    assert len(page(PAIR)) < 30_000


def test_hostile_texts_stay_text() -> None:
    plain = Elements(page(picture(table("a", 1, description="b"), table("c", 2, database="d"))))
    tables = [
        table(name, place, description=name, database=HOSTILE[3] * place) for place, name in enumerate(HOSTILE[:2], 1)
    ]
    parsed = Elements(page(picture(*tables, question=HOSTILE[2])))
    assert parsed.tags.count("script") == 1
    assert "img" not in parsed.tags
    assert {name for name, _ in parsed.attributes} == {name for name, _ in plain.attributes}
    shown = "".join(parsed.texts)
    assert HOSTILE[0] in shown
    assert HOSTILE[1] in shown
    assert HOSTILE[2] in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert r"\u001b[31mred" in shown


def test_odd_characters_can_be_written() -> None:
    assert "\\ud800" in page(picture(table("\ud800 \x00 部门", 1)))
    page(picture(table("\ud800", 1))).encode()


@pytest.mark.parametrize(
    ("shown", "sentence"),
    [
        (picture(), "No table was found among 9 tables."),
        (picture(table("only", 1)), "Found: 1 of 9 tables."),
    ],
)
def test_pages_of_little(shown: Picture, sentence: str) -> None:
    assert sentence in " ".join(Elements(page(shown)).texts)


def test_a_frame_is_one_element_that_sees_nothing_outside() -> None:
    shown = frame(picture(table(HOSTILE[1], 1), question=HOSTILE[2]))
    parsed = Elements(shown)
    assert parsed.tags == ["iframe"]
    attributes = dict(parsed.attributes)
    assert attributes["sandbox"] == "allow-scripts"
    assert str(attributes["srcdoc"]).startswith("<!DOCTYPE html>")


@needs_chromium
@pytest.mark.parametrize("policy", [True, False])
def test_hostile_texts_do_nothing_in_a_browser(policy: bool, tmp_path: Path) -> None:
    """Neither with the page's policy nor, since all is escaped, without it."""
    tables = [table(name, place, description=name, database=HOSTILE[3]) for place, name in enumerate(HOSTILE, 1)]
    shown = page(picture(*tables, question="".join(HOSTILE)))
    dom = dom_of(shown if policy else without_policy(shown), tmp_path)
    parsed = Elements(dom)
    assert parsed.tags.count("script") == 1
    assert "img" not in parsed.tags
    assert not {"onmouseover", "onerror"} & {name for name, _ in parsed.attributes}
    assert "<title>injected" not in dom


@needs_chromium
def test_the_slider_goes_through_the_hops(tmp_path: Path) -> None:
    for hop, said, flows in (("", "the whole walk, 2 hops", 0), ("#hop=0", "what the anchors start with", 0)):
        dom = dom_of(page(PAIR), tmp_path, hop)
        assert f"<output>{said}</output>" in dom
        assert dom.count('class="flow on"') == flows
    dom = dom_of(page(PAIR), tmp_path, "#hop=1")
    assert "<output>hop 1 of 2</output>" in dom
    assert dom.count('class="flow on"') == 1
    assert 'class="controls" hidden' not in dom


OVERLAPS = """<script>
const boxes = [...document.querySelectorAll(".name, .key, .dot")].map((e) => [e, e.getBBox(), e.getCTM()]);
const placed = boxes.map(([e, b, m]) => [e.textContent || e.parentNode.textContent, e.parentNode,
  b.x * m.a + m.e, b.y * m.d + m.f, (b.x + b.width) * m.a + m.e, (b.y + b.height) * m.d + m.f]);
const found = [];
placed.forEach((a, i) => placed.slice(i + 1).forEach((b) => {
  if (a[1] !== b[1] && a[2] < b[4] - 1 && b[2] < a[4] - 1 && a[3] < b[5] - 1 && b[3] < a[5] - 1)
    found.push([a[0], b[0]]);
}));
document.title = JSON.stringify({ count: placed.length, found });
</script>"""


@needs_chromium
def test_no_name_or_label_covers_another_in_a_browser(tmp_path: Path) -> None:
    tables = [table(f"a_rather_long_name_{place}", place) for place in range(1, 15)]
    joins = tuple(
        PictureJoin((place // 3, place), (ForeignKey(f"t{place}", "parent_id", "t", "id"),), (0.1, 0.1), (0.0, 0.0))
        for place in range(1, 14)
    )
    shown = without_policy(page(Picture("?", tuple(tables), tuple(tables), joins, 2, 14, 14, 1.0)))
    dom = dom_of(shown.replace("</body>", OVERLAPS + "</body>"), tmp_path)
    measured = json.loads(re.search("<title>(.*)</title>", dom)[1])  # type: ignore[index]
    assert measured["count"] >= 14 + 14 + 10
    assert measured["found"] == []
