"""A page of prose with generated parts: what stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``."""

from collections.abc import Mapping

from joingr_pyg.errors import JoinGRError


def fill(page: str, parts: Mapping[str, str]) -> str:
    """Put generated parts into their places; all else stays as it is.

    Args:
        page: The page.
        parts: The text of each part. A part that the page has no place for is left out.

    Raises:
        JoinGRError: If a part begins and does not end.
    """
    for name, text in parts.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        head, begun, rest = page.partition(begin)
        _, ended, tail = rest.partition(end)
        if begun and not ended:
            raise JoinGRError(f"The page has '{begin}' and no '{end}' after it: add it.")
        if begun:
            page = f"{head}{begin}\n\n{text.strip()}\n\n{end}{tail}"
    return page
