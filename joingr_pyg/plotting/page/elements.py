"""Elements of HTML and SVG. Their texts and attributes are escaped when they are written."""

from xml.etree.ElementTree import Element

from joingr_pyg.terminal import terminal_text


def element(tag: str, *content: "Element | str | None", **attributes: object) -> Element:
    """An element.

    Args:
        tag: Its tag.
        content: Texts and elements in it, in their order; ``None`` is left out.
        attributes: Its attributes. ``_`` in a name stands for ``-``, one at its end is dropped, as in ``class_``;
            ``True`` is an attribute without a value, and ``None`` or ``False`` is left out. Numbers are rounded.
    """
    made = Element(tag)
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        made.set(name.rstrip("_").replace("_", "-"), "" if value is True else _written(value))
    for part in content:
        if part is None:
            continue
        if isinstance(part, Element):
            made.append(part)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + plain(part)
        else:
            made.text = (made.text or "") + plain(part)
    return made


def plain(text: str) -> str:
    """A text without characters that a page cannot hold, or that turn the direction of writing around."""
    return terminal_text(text, keep="\n\t").encode("utf-8", "backslashreplace").decode()


def numbers(values: "list[float]") -> str:
    """Numbers for an attribute that the page's script reads."""
    return " ".join(map(_written, values))


def _written(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else plain(str(value))
