"""The committed results: their page has every place the next run of the command fills, and leads nowhere wrong."""

import csv
import re
from pathlib import Path

import pytest

from paper.results.command import page_parts, template
from paper.results.page import about
from paper.results.rows import result_rows

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "results.md").read_text(encoding="utf-8")

PLACE = re.compile(r"<!-- (?:begin|end) .+? -->")
ABSOLUTE_PATH = re.compile(r"(?<![\w.:/~])/(?:home|root|tmp|usr|opt|mnt|var|work|Users)/", re.ASCII)


def test_the_page_has_the_places_of_its_template() -> None:
    assert PLACE.findall(PAGE) == PLACE.findall(about(template(), {"beaver", "bird", "spider"}))


def test_every_generated_part_has_a_place() -> None:
    for name in [*page_parts(result_rows([])), "figures", "sweeps"]:
        assert f"<!-- begin {name} -->" in template()


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\]\(((?!http|#)[^)]+)\)", PAGE))))
def test_links_lead_somewhere(path: str) -> None:
    assert (DOCS / path.partition("#")[0]).exists()


def test_nothing_says_where_it_was_made() -> None:
    for path in [DOCS / "results.md", DOCS / "results.csv", *(DOCS / "figures").glob("*.[mc][ds]*")]:
        assert not ABSOLUTE_PATH.search(path.read_text(encoding="utf-8")), path


def test_the_csv_has_all_rows_of_the_paper_and_a_command_for_every_number() -> None:
    with (DOCS / "results.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len({(row["dataset"], row["encoder"], row["label"]) for row in rows if row["paper table"]}) == 45
    for row in rows:
        assert bool(row["R@15"]) == bool(row["commands"].startswith("python "))
