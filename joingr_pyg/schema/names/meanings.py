"""Abbreviations that a glossary explains, found in names: single words, and several that stand side by side."""

import re
from collections.abc import Callable, Mapping

from joingr_pyg.schema.names.readable import readable_name


class Meanings:
    """What the abbreviations of a schema stand for.

    An abbreviation is written as in a name, in any letter case: ``DEPT``, ``outbound_sms``, ``SqFt``. Its words match
    where they stand side by side in a name, and also run together: ``SqFt`` matches in ``AREA_SQ_FT`` and
    ``AREA_SQFT``. Where several abbreviations match, the longest does.

    Args:
        texts: The meanings, by abbreviation.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = {readable_name(name).replace(" ", ""): text.strip() for name, text in texts.items()}
        self._texts |= {readable_name(name): text.strip() for name, text in texts.items()}
        longest_first = sorted(self._texts, key=len, reverse=True)
        self._pattern = re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, longest_first))})(?![^\W_])")

    def spell_out(self, name: str, others: Callable[[str], str] = str) -> str:
        """Replace the abbreviations in a name.

        Args:
            name: The name as lower-case words.
            others: Is applied to the text between abbreviations.
        """
        if not self._texts:
            return others(name)
        parts, end = [], 0
        for found in self._pattern.finditer(name):
            parts += [others(name[end : found.start()]), self._texts[found[0]]]
            end = found.end()
        return "".join([*parts, others(name[end:])])
