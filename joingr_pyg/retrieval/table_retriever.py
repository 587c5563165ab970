"""Retrieval for a schema of one's own: question in, tables out, with the joins that lead to them."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets.join_graphs import build_graphs
from joingr_pyg.encoders import CachedEncoder, Encoder, MiniLMEncoder, require_question
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGRPlus, TrainableRetriever
from joingr_pyg.models.calibration import CANDIDATES, require_complete, set_sizes
from joingr_pyg.models.checkpoint import Description, load_checkpoint, require_encoder, save_checkpoint
from joingr_pyg.models.joingr_plus import untrained
from joingr_pyg.retrieval.explanation import explain
from joingr_pyg.retrieval.preparation import Preparation
from joingr_pyg.retrieval.results import RetrievalResult, RetrievedTable
from joingr_pyg.schema import Database, TableName
from joingr_pyg.schema.joins.connecting import connecting_joins
from joingr_pyg.schema.names.glossary import read_words
from joingr_pyg.schema.readers.ddl import read_ddl


class TableRetriever:
    """Finds the tables that a question needs, without training and without a GPU.

    Args:
        databases: The schemas whose tables compete, as they are to be indexed.
        encoder: Encoder of columns, joins and questions; MiniLM where not given.
        model: The model; untrained JoinGR+ where not given. :func:`joingr_pyg.models.heuristic` makes the paper's
            untrained walk.
        preparation: How the schemas were prepared, to be kept for when they are read again.

    Attributes:
        databases: The schemas.
        encoder: The encoder.
        corpus: Their tables, embedded.
        model: The model, bound to them.
        preparation: As given.
    """

    def __init__(
        self,
        databases: Sequence[Database],
        encoder: Encoder | None = None,
        model: TrainableRetriever | None = None,
        *,
        preparation: Preparation | None = None,
    ) -> None:
        self.databases = tuple(databases)
        self.encoder = encoder or CachedEncoder(MiniLMEncoder())
        self.preparation = preparation or Preparation()
        self.corpus = Corpus.from_graphs(build_graphs(self.databases, self.encoder))
        self.model = (model or untrained()).eval().index(self.corpus)
        self._trained: tuple[str, int] = ("", 0)

    @classmethod
    def from_ddl(
        cls,
        path: str | Path,
        encoder: Encoder | None = None,
        dialect: str = "sqlite",
        *,
        words: str | Path | None = None,
        model: TrainableRetriever | None = None,
        expand_names: bool = True,
    ) -> Self:
        """Read the schema from a file of ``CREATE TABLE`` statements; the database is named after the file.

        Args:
            path: The file.
            encoder: As for the class.
            dialect: Name of the sqlglot dialect of the file.
            words: File of the schema's words, as :func:`joingr_pyg.schema.names.glossary.read_words` reads it.
            model: As for the class.
            expand_names: Spell out common abbreviations in names, and words that are run together, as far as neither
                the schema nor ``words`` does.

        Raises:
            JoinGRError: If a file cannot be read, or the schema holds no table.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
            raise JoinGRError(
                f"The schema file '{path}' cannot be read ({why}): give a text file of CREATE TABLE statements."
            ) from error
        preparation = Preparation(expand_names, None if words is None else read_words(words))
        databases = preparation([read_ddl(text, path.stem, dialect)])
        return cls(databases, encoder, model, preparation=preparation)

    @classmethod
    def from_checkpoint(cls, path: str | Path, databases: Sequence[Database], encoder: Encoder | None = None) -> Self:
        """Use a trained model, or one that :meth:`save` wrote.

        Raises:
            JoinGRError: If the file is no checkpoint, or was written with another encoder.
        """
        encoder = encoder or CachedEncoder(MiniLMEncoder())
        model, description = load_checkpoint(path)
        require_encoder(description, encoder.name, encoder.identity, path)
        retriever = cls(databases, encoder, model)
        retriever._trained = description.dataset, description.seed
        return retriever

    def save(self, path: str | Path) -> None:
        """Write the model with all that it remembers; :meth:`from_checkpoint` reads it. The schemas are not written.

        Raises:
            JoinGRError: If the file cannot be written.
        """
        model, encoder = self.model, self.encoder
        description = Description(model.arguments, encoder.name, encoder.identity, *self._trained, model.kind)
        save_checkpoint(path, model, description)

    def remember(self, questions: Sequence[str], tables: Sequence[Iterable[str | TableName]]) -> Self:
        """Let answered questions vote from now on for the tables that they needed, beside those remembered before.

        Args:
            questions: The questions.
            tables: The tables that each of them needed, by name; as ``(database, table)`` where several databases have
                a table of that name.

        Raises:
            JoinGRError: If the model does not remember, a question is blank, there are not as many sets of tables as
                questions, or a table is unknown or its name not enough.
        """
        if not isinstance(self.model, JoinGRPlus) or self.model.prior.memory is None:
            raise JoinGRError("This model does not remember questions: use JoinGR+ with its memory, the default.")
        if len(questions) != len(tables) or any(isinstance(names, str) for names in tables):
            raise JoinGRError(
                f"Each of {len(questions)} questions needs a list of its tables (got {len(tables)}: {tables!s:.60})."
            )
        gold = [[self._full_name(table) for table in names] for names in tables]
        queries = Queries.encode([require_question(question) for question in questions], self.encoder)
        self.model.memory.add(queries.vector, gold)
        return self

    def _full_name(self, table: str | TableName) -> TableName:
        """The ``(database, table)`` that a table's name, alone or with that of its database, belongs to."""
        matching = [name for name in self.corpus.tables if table in (name, name[1])]
        if len(matching) == 1:
            return matching[0]
        if not matching:
            raise JoinGRError(f"No database has the table {table!r}: name it as its schema spells it.")
        raise JoinGRError(f"Several databases have a table {table!r}: name it as (database, table).")

    def retrieve(self, question: str, k: int | None = 5, *, complete: float = 0.9) -> RetrievalResult:
        """Find the best ``k`` tables for a question, or as many as it takes.

        Args:
            question: The question, in words.
            k: Number of tables; ``None`` returns the fewest that hold all needed tables with probability
                ``complete``.
            complete: That probability, above 0 and below 1.

        Raises:
            JoinGRError: If the question is blank, ``k`` is below 1 or ``complete`` no probability, or ``k`` is ``None``
                and the model is not calibrated.
        """
        require_complete(complete)
        query = Queries.encode([require_question(question)], self.encoder)
        ranking = self.model.rank(query, CANDIDATES if k is None else k)
        if k is None:
            ranking = ranking.first(int(set_sizes(self.model.needed(ranking, query), complete)))
        return RetrievalResult(question, tuple(explain(self.model, query, ranking)), self.databases)

    def joins_between(self, tables: Iterable[RetrievedTable]) -> list[str]:
        """Few joins that connect tables, as ``"a.x = b.y"``; they may lead over tables that are not among them.

        Of equally short ways those are taken that led to the tables. Tables of different databases, and those that no
        joins connect, stay apart.
        """
        tables = list(tables)
        joins = []
        for database in self.databases:
            own = [table for table in tables if table.database == database.name]
            if len(own) < 2:
                continue
            led = {join for table in own for join in table.joins}
            preferred = [join for join in database.joins if str(join) in led]
            joins += [str(join) for join in connecting_joins(database, [table.table for table in own], preferred)]
        return joins
