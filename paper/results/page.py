"""A page of prose with generated parts between the lines ``<!-- begin NAME -->`` and ``<!-- end NAME -->``."""

import re
from collections.abc import Collection, Mapping

from joingr_pyg.errors import JoinGRError


def fill(page: str, parts: Mapping[str, str]) -> str:
    """Replace the generated parts of a page; the rest of the page is kept.

    Args:
        page: The page.
        parts: The text of each part. Parts that the page does not contain are ignored.

    Raises:
        JoinGRError: If a part has a ``begin`` line but no ``end`` line.
    """
    for name, text in parts.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        head, begin_found, rest = page.partition(begin)
        _, end_found, tail = rest.partition(end)
        if begin_found and not end_found:
            raise JoinGRError(f"The page has '{begin}' and no '{end}' after it: add it.")
        if begin_found:
            page = f"{head}{begin}\n\n{text.strip()}\n\n{end}{tail}"
    return page


def about(page: str, benchmarks: Collection[str]) -> str:
    """Keep what a page says of benchmarks that it has results of.

    Args:
        page: The page. Lines between ``<!-- about NAME ... -->`` and ``<!-- end about -->`` are kept if there are
            results of all benchmarks named, or of one where the name is ``any``; the two marks are removed.
        benchmarks: The benchmarks that there are results of.
    """

    def kept(part: re.Match[str]) -> str:
        names = part["names"].split()
        wanted = bool(benchmarks) if names == ["any"] else set(names) <= set(benchmarks)
        return part["text"] if wanted else ""

    return re.sub(r"<!-- about (?P<names>[^>]*?) -->\n(?P<text>.*?)<!-- end about -->\n", kept, page, flags=re.DOTALL)
