"""The page of an answer, and the frame that holds it in a notebook."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from xml.etree.ElementTree import Element, tostring

from joingr_pyg.plotting.layout import Layout, lay_out
from joingr_pyg.plotting.page.drawing import drawing
from joingr_pyg.plotting.page.elements import element
from joingr_pyg.plotting.picture import Picture, PictureJoin, PictureTable

BESIDE, LOWEST, HIGHEST = 250, 430, 760
"""Pixels that a frame needs beside the drawing, and how high it is at least and at most."""


def page(picture: Picture) -> str:
    """The page of an answer: its drawing, a slider over the hops, and the list of tables.

    Whatever names, descriptions and the question hold is escaped. Beyond that, the page's own policy lets no script run
    but the one of this package, and nothing be loaded.
    """
    return _page(picture, lay_out(picture))


def frame(picture: Picture) -> str:
    """The page in a frame, for notebooks: neither sees the other."""
    layout = lay_out(picture)
    height = min(max(round(layout.height) + BESIDE, LOWEST), HIGHEST)
    return (
        f'<iframe srcdoc="{escape(_page(picture, layout))}" title="The tables of an answer" sandbox="allow-scripts" '
        f'width="100%" height="{height}" frameborder="0"></iframe>'
    )


def _page(picture: Picture, layout: Layout) -> str:
    return "<!DOCTYPE html>\n" + tostring(_document(picture, layout), encoding="unicode", method="html") + "\n"


def _document(picture: Picture, layout: Layout) -> Element:
    style, script = _file("page.css"), _file("page.js")
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", picture.question),
        element("style", style),
    )
    body = element(
        "body",
        element("header", element("h1", picture.question), element("p", _summary(picture))),
        element(
            "main",
            element(
                "section",
                _controls(picture) if picture.hops and picture.joins else None,
                element("div", drawing(picture, layout), class_="canvas") if picture.tables else None,
                _legend(picture) if picture.tables else None,
            ),
            element("aside", _list(picture)),
        ),
        *(_table_card(picture, table, f"table-{number}") for number, table in enumerate(picture.tables)),
        *(_join_card(picture, join, f"join-{number}") for number, join in enumerate(picture.joins)),
        element("script", script),
    )
    return element("html", head, body, lang="en")


@cache
def _file(name: str) -> str:
    return (files("joingr_pyg.plotting.page") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _summary(picture: Picture) -> str:
    """How much there is, and how much of it is drawn."""
    found, tables = len(picture.listed), picture.num_tables
    of_all = f"{tables:,} table{'s' * (tables != 1)}"
    sentences = [f"Found: {found:,} of {of_all}." if found else f"No table was found among {of_all}."]
    drawn = sum(table.place is not None for table in picture.tables)
    if drawn < found:
        sentences.append(f"The first {drawn} of them are drawn.")
    if picture.hops:
        touched = sum(any(table.deposits) or table.anchor is not None for table in picture.tables)
        sentences.append(
            f"The walk touched {picture.num_touched:,}, all of them drawn."
            if touched == picture.num_touched
            else f"The walk touched {picture.num_touched:,}, of which {touched:,} are drawn; they hold "
            f"{picture.drawn_share:.0%} of what it laid."
        )
    return " ".join(sentences)


def _controls(picture: Picture) -> Element:
    last = picture.hops
    return element(
        "div",
        element("button", "▶", type="button", aria_label="Play the hops", data_play=True),
        # One step behind the last hop, the whole walk.
        element("input", type="range", min=0, max=last + 1, value=last + 1, aria_label="Hop"),
        element("output", f"the whole walk, {last} hops"),
        class_="controls",
        hidden=True,  # Without a script there is nothing to control.
    )


def _legend(picture: Picture) -> Element:
    """What the signs mean that the picture has."""
    entries: list[tuple[str, str]] = []
    if any(table.place is not None for table in picture.tables):
        entries.append(("found", "found, with its place"))
    if any(table.place is None for table in picture.tables):
        entries.append(("other", "not found, on the way"))
    if any(table.anchor is not None for table in picture.tables):
        entries.append(("anchor", "anchor: a walk started here"))
    if picture.joins and picture.hops:
        entries.append(("deposit", "join, as wide as its deposit"))
        entries.append(("walked", "walked in this hop"))
    if any(join.inferred for join in picture.joins):
        entries.append(("inferred", "inferred join"))
    return element("ul", *(element("li", element("i", class_=name), text) for name, text in entries), class_="legend")


def _list(picture: Picture) -> Element:
    """The tables found, best first."""
    scores = [table.score for table in picture.listed if table.score is not None]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    number = {table.name: place for place, table in enumerate(picture.tables)}
    items = []
    for table in picture.listed:
        share = ((table.score or 0.0) - low) / (high - low) if high > low else 1.0
        drawn = number.get(table.name)
        items.append(
            element(
                "li",
                element(
                    "div",
                    element("b", str(table.place)),
                    element("strong", _name(picture, table)),
                    element("span", f"{table.score:.2f}", title="score"),
                ),
                _bars([0.06 + 0.94 * share], class_="score"),
                element("p", table.description, class_="description") if table.description else None,
                element("p", table.reason),
                tabindex="0",
                data_table=drawn,
            )
        )
    return element("ol", *items)


def _name(picture: Picture, table: PictureTable) -> str:
    return f"{table.name[0]}.{table.name[1]}" if picture.several_databases else table.name[1]


def _table_card(picture: Picture, table: PictureTable, identity: str) -> Element:
    place = "" if table.place is None else f"{table.place}. "
    facts = []
    if table.score is not None:
        facts.append(("score", f"{table.score:.3f}"))
        facts.append(("nearest column", f"{table.column} (cosine {table.similarity:.2f})"))
    if table.anchor is not None:
        facts.append(("walk started with", f"{table.anchor:.3f}"))
    if picture.hops:
        facts.append(("deposit", f"{table.deposit(picture.hops) if any(table.deposits) else 0.0:.3f}"))
    return element(
        "div",
        element("h2", place + _name(picture, table)),
        element("p", table.description, class_="description") if table.description else None,
        element("p", table.reason),
        _facts(facts),
        _hops(table.deposits),
        class_="card",
        id=identity,
        role="tooltip",
        hidden=True,
    )


def _join_card(picture: Picture, join: PictureJoin, identity: str) -> Element:
    names = [_name(picture, picture.tables[end]) for end in join.ends]
    keys = []
    for key in join.keys:
        doubt = f", confidence {key.confidence:.2f}" if key.confidence < 1 else ""
        evidence = f": {key.evidence}" if key.evidence else ""
        keys.append(
            element(
                "li",
                element("code", str(key)),
                element("small", key.source + doubt + evidence),
                element("small", key.description) if key.description else None,
            )
        )
    return element(
        "div",
        element("h2", names[0] if join.ends[0] == join.ends[1] else " — ".join(names)),
        element("ul", *keys),
        _facts([("deposit", f"{join.deposit(picture.hops):.3f}")] if picture.hops else []),
        _hops([one + other for one, other in zip(join.forward, join.backward, strict=True)]),
        class_="card",
        id=identity,
        role="tooltip",
        hidden=True,
    )


def _facts(facts: Sequence[tuple[str, str]]) -> Element | None:
    if not facts:
        return None
    parts = [part for name, value in facts for part in (element("dt", name), element("dd", value))]
    return element("dl", *parts)


def _hops(deposits: Sequence[float]) -> Element | None:
    """A bar for the deposit of each hop."""
    largest = max(deposits, default=0.0)
    if largest <= 0:
        return None
    rows = [
        element("li", element("span", f"hop {hop}"), _bars([deposit / largest]), element("span", f"{deposit:.3f}"))
        for hop, deposit in enumerate(deposits, start=1)
    ]
    return element("ol", *rows, class_="hops")


def _bars(shares: Sequence[float], class_: str = "bar") -> Element:
    bars = [element("rect", width=100 * share, height=4, rx=1) for share in shares]
    return element("svg", *bars, viewBox="0 0 100 4", preserveAspectRatio="none", class_=class_, aria_hidden="true")
