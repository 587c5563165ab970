"""A page of prose with generated parts between the lines ``<!-- begin NAME -->`` and ``<!-- end NAME -->``."""

from collections.abc import Mapping

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
