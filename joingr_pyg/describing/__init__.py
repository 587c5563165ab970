"""Descriptors by language model (section 3.1 of the paper): the words of a schema, written from the schema alone."""

from typing import TYPE_CHECKING

from joingr_pyg.lazy_names import lazy_names

if TYPE_CHECKING:
    from joingr_pyg.describing.cost import Cost, cost_of
    from joingr_pyg.describing.describe import describe_schema
    from joingr_pyg.describing.language_model import LanguageModel

__all__ = ["Cost", "LanguageModel", "cost_of", "describe_schema"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "joingr_pyg.describing.cost": ["Cost", "cost_of"],
        "joingr_pyg.describing.describe": ["describe_schema"],
        "joingr_pyg.describing.language_model": ["LanguageModel"],
    },
)
