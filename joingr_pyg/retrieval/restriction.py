"""What a retriever knows, reduced to some of its tables: as if its schemas never had the others."""

from collections import OrderedDict
from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from joingr_pyg.models import JoinGRPlus, TrainableRetriever
from joingr_pyg.retrieval.allowed_tables import Allowed, allowed_tables
from joingr_pyg.retrieval.answer_state import AnswerState
from joingr_pyg.schema import Database, TableName
from joingr_pyg.schema.joins.few_keys import InferJoins, ReadShares, with_inferred_joins

if TYPE_CHECKING:
    from joingr_pyg.retrieval.table_retriever import TableRetriever

KEPT = 16
"""How many restricted retrievers are kept for further questions."""

KEPT_SHARE = 4
"""How many times the tables of the whole retriever they have together at most, but for the latest one."""

KEPT_REQUESTS = 64
"""How many lists of names and patterns are kept together with the tables that they are of."""

Known = TypeVar("Known", bound=TrainableRetriever)
Key = TypeVar("Key")
Value = TypeVar("Value")


def restricted_schemas(
    databases: Sequence[Database],
    tables: Container[TableName],
    infer_joins: InferJoins,
    read_shares: ReadShares | None = None,
) -> tuple[Database, ...]:
    """Schemas with some of their tables, and the joins among them; databases without such a table are left out.

    Args:
        databases: The schemas, as they are indexed.
        tables: The tables that remain.
        infer_joins: How the schemas' joins were inferred; they are inferred again where tables are left out, because
            other tables may have spoken for them or against them.
        read_shares: What the rows say of joins, where they were asked.
    """
    remaining = []
    for database in databases:
        kept = tuple(table for table in database if (database.name, table.name) in tables)
        if len(kept) == len(database.tables):
            remaining.append(database)
        elif kept:
            names = {table.name for table in kept}
            keys = (key for key in database.foreign_keys if {key.table, key.referenced_table} <= names)
            without = tuple(key for key in keys if key.source != "inferred" or infer_joins is False)
            remaining.append(
                with_inferred_joins(Database(database.name, kept, without), infer_joins, None, read_shares)
            )
    return tuple(remaining)


def restricted_model(model: Known, databases: Sequence[Database], tables: Container[TableName]) -> Known:
    """A model with the weights of another, to be bound to some of its tables.

    Of the questions that it remembers, it keeps those that needed no other table of the databases: a vote of any other
    would tell what else has been asked.
    """
    restricted = model.sharing_weights()
    if isinstance(restricted, JoinGRPlus):
        names = {database.name for database in databases}
        restricted.memory = restricted.memory.of_questions(
            lambda needed: all(table in tables or table[0] not in names for table in needed)
        )
    return restricted


class RestrictedRetrievers:
    """The restricted retrievers of the latest questions, so that further ones need not wait for them.

    They are for one process: a copy of this object, such as in a file, is empty.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._forget(None)

    def _forget(self, state: "AnswerState | None") -> None:
        self._of = state
        self._tables: OrderedDict[Hashable, frozenset[TableName]] = OrderedDict()
        self._kept: OrderedDict[frozenset[TableName], TableRetriever] = OrderedDict()

    def __reduce__(self) -> "tuple[type[RestrictedRetrievers], tuple[()]]":
        return RestrictedRetrievers, ()

    def __len__(self) -> int:
        return len(self._kept)

    def get(
        self,
        whole: "TableRetriever",
        allowed: Allowed | None,
        databases: str | Iterable[str] | None,
        make: "Callable[[frozenset[TableName]], TableRetriever]",
    ) -> "TableRetriever":
        """The restricted retriever of some tables, made where it is not kept.

        Args:
            whole: The retriever that is restricted. If anything that its answers depend on has changed, none is kept.
            allowed: The tables, as :func:`~joingr_pyg.retrieval.allowed_tables.allowed_tables` takes them.
            databases: Their databases, as it takes them.
            make: Makes the restricted retriever of some tables.

        Raises:
            JoinGRError: As :func:`~joingr_pyg.retrieval.allowed_tables.allowed_tables`.
        """
        if databases is not None and not isinstance(databases, str):
            databases = tuple(databases)
        asked = _asked(allowed, databases)
        state = AnswerState.of(whole)
        with self._lock:
            if self._of is None or not state.is_same(self._of):
                self._forget(state)
            known, kept = self._tables, self._kept
            tables = known.get(asked) if asked is not None else None
        # Others need not wait for what is made here.
        if tables is None:
            tables = allowed_tables(whole.databases, allowed, databases)
        found = kept.get(tables) or make(tables)
        with self._lock:
            if asked is not None:
                _keep(known, asked, tables)
                while len(known) > KEPT_REQUESTS:
                    known.popitem(last=False)
            _keep(kept, tables, found)
            while len(kept) > KEPT or (len(kept) > 1 and sum(map(len, kept)) > KEPT_SHARE * whole.corpus.num_tables):
                kept.popitem(last=False)
        return found


def _asked(allowed: Allowed | None, databases: Hashable) -> Hashable | None:
    """What was asked for, as a key; ``None`` for a function, which may answer differently each time."""
    if callable(allowed):
        return None
    try:
        names = allowed if allowed is None or isinstance(allowed, str) else tuple(allowed)
        hash(names)
    except TypeError:
        return None
    return names, databases


def _keep(kept: OrderedDict[Key, Value], key: Key, value: Value) -> None:
    kept[key] = value
    kept.move_to_end(key)
