"""What the answers of a retriever depend on, to tell whether one that is kept still holds."""

from operator import is_
from typing import TYPE_CHECKING, NamedTuple

from joingr_pyg.models import JoinGRPlus

if TYPE_CHECKING:
    from joingr_pyg.retrieval.table_retriever import TableRetriever


class AnswerState(NamedTuple):
    """What the answers of a retriever depend on.

    Attributes:
        objects: Objects that are replaced by others when they change.
        versions: How often each weight of the model has been written to.
    """

    objects: tuple[object, ...]
    versions: tuple[int, ...]

    @classmethod
    def of(cls, retriever: "TableRetriever") -> "AnswerState":
        model = retriever.model
        remembered = model.memory.neighbors if isinstance(model, JoinGRPlus) else None
        objects = (retriever.databases, retriever._values, model, model.calibration, remembered)
        return cls(objects, tuple(weight._version for weight in model.parameters()))

    def is_same(self, other: "AnswerState") -> bool:
        return self.versions == other.versions and all(map(is_, self.objects, other.objects))
