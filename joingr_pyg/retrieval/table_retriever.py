"""Retrieval for a schema of one's own: question in, tables out, with the joins that lead to them."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.embedding import embedded_corpus
from joingr_pyg.encoders import CachedEncoder, Encoder, MiniLMEncoder
from joingr_pyg.encoders.settings import encoder_settings, make_encoder
from joingr_pyg.errors import JoinGRError, require_several
from joingr_pyg.models import JoinGRPlus, TrainableRetriever
from joingr_pyg.models.checkpoint import load_checkpoint, require_encoder
from joingr_pyg.models.memory import QuestionMemory
from joingr_pyg.models.reranking import default_model
from joingr_pyg.retrieval.allowed_tables import Allowed, allowed_tables
from joingr_pyg.retrieval.answering import Wanted, answers
from joingr_pyg.retrieval.arguments import (
    questions_of,
    require_encoder_object,
    require_model,
    require_same_width,
    schemas_of,
)
from joingr_pyg.retrieval.kept_answers import KeptAnswers
from joingr_pyg.retrieval.live_values import LiveValues
from joingr_pyg.retrieval.manifest import is_saved_retriever
from joingr_pyg.retrieval.restriction import RestrictedRetrievers, restricted_model, restricted_schemas
from joingr_pyg.retrieval.results import RetrievalResult, RetrievedTable, joins_of
from joingr_pyg.retrieval.saving import SavedEncoder, SavedRetriever, read_retriever, write_retriever
from joingr_pyg.retrieval.schema_changes import carry_memory_over
from joingr_pyg.retrieval.value_evidence import ValueEvidence
from joingr_pyg.schema import Database, TableName
from joingr_pyg.schema.descriptors import descriptors
from joingr_pyg.schema.differences import SchemaDifferences, schema_differences
from joingr_pyg.schema.joins.few_keys import InferJoins
from joingr_pyg.schema.joins.given import GivenJoins, read_joins
from joingr_pyg.schema.names.glossary import read_words
from joingr_pyg.schema.preparation import Preparation
from joingr_pyg.schema.readers.live import LiveSource, read_database
from joingr_pyg.schema.readers.live.values import ValueLimits

if TYPE_CHECKING:
    from joingr_pyg.schema.readers.ddl import Source

logger = logging.getLogger(__name__)


class TableRetriever:
    """Finds the tables that a question needs, without training and without a GPU.

    Many threads may ask one retriever at the same time; each gets the answer that it would get alone. While they do,
    nothing may change the retriever: :meth:`remember`, :meth:`forget` and :meth:`refresh` wait for no one.

    Args:
        databases: The schemas whose tables compete, as they are to be indexed.
        encoder: Encoder of columns, joins and questions; MiniLM where not given. What it embeds is kept on disk, in
            the user's cache folder (:meth:`CachedEncoder.of_user`), unless it is a :class:`CachedEncoder` with another
            folder, or with none.
        model: The model. Where not given, it is the one that comes with the package
            (:func:`joingr_pyg.models.pretrained`) if the encoder is the one that it was trained with, else untrained
            JoinGR+ (:func:`joingr_pyg.models.untrained`). :func:`joingr_pyg.models.heuristic` makes the paper's
            untrained walk.
        preparation: How the schemas were prepared, to be kept for when they are read again.
        read_again: Reads the schemas again, before they are prepared, for :meth:`refresh`. It is kept in memory alone,
            since it may know a password.

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
        read_again: Callable[[], Sequence[Database]] | None = None,
    ) -> None:
        databases = schemas_of(databases)
        require_model(model)
        self.encoder = _cached(encoder)
        self.preparation = preparation or Preparation()
        self.model = (model or default_model(self.encoder.identity)).eval()
        self._bind(tuple(databases), embedded_corpus(databases, self.encoder))
        self._trained: tuple[str, int] = ("", 0)
        self._read_again = read_again
        self._live_values: LiveValues | None = None
        self._values: ValueEvidence | None = None
        self._restricted = RestrictedRetrievers()
        self._kept_answers = KeptAnswers()

    def _bind(self, databases: tuple[Database, ...], corpus: Corpus) -> None:
        """Answer from these databases from now on."""
        self.databases, self.corpus = databases, corpus
        self._joins = {(database.name, str(join)): join for database in databases for join in database.joins}
        require_same_width(self.model, self.encoder, corpus.x.size(1))
        self.model.index(corpus)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but how schema and values are read again: a copy in a file would hold a database's password."""
        return {**self.__dict__, "_read_again": None, "_live_values": None}

    @classmethod
    def from_ddl(
        cls,
        source: "Source",
        encoder: Encoder | None = None,
        dialect: str | None = None,
        *,
        encoding: str | None = None,
        views: bool = False,
        words: str | Path | None = None,
        joins: GivenJoins = (),
        infer_joins: InferJoins = "auto",
        model: TrainableRetriever | None = None,
        expand_names: bool = True,
    ) -> Self:
        """Read the schema from a dump, script or text of SQL statements; the database is named after the first file.

        Args:
            source: Path of a file, a list of paths, or the statements themselves.
            encoder: As for the class.
            dialect: The SQL dialect, such as ``"postgres"`` or ``"tsql"``; recognised where not given.
            encoding: Encoding of the files; recognised where not given.
            views: Whether views compete as tables do.
            words: File of the schema's words, as :func:`joingr_pyg.schema.names.glossary.read_words` reads it.
            joins: Joins that the schema does not declare, as ``[("orders.customer_id", "customer.id")]``, or the path
                of a file of them (:func:`joingr_pyg.schema.joins.given.read_joins`).
            infer_joins: Whether joins are inferred from names, types and keys: where the schema declares few keys
                (``"auto"``, :func:`joingr_pyg.schema.joins.few_keys.declares_few_keys`), always or never. Answers mark
                them as inferred.
            model: As for the class.
            expand_names: Spell out common abbreviations in names, and words that are run together, as far as neither
                the schema nor ``words`` does.

        Raises:
            JoinGRError: If a file cannot be read, the schema holds no table, or ``joins`` name a column that it lacks.
        """
        # Loading sqlglot takes time, and a saved retriever needs none of it.
        from joingr_pyg.schema.readers.ddl import read_ddl_report

        def read() -> list[Database]:
            reading = read_ddl_report(source, None, dialect, encoding=encoding, views=views)
            logger.info("%s: %s.", reading.database.name, reading.summary())
            if not reading.database.joins and len(reading.database.tables) > 1:
                logger.warning("%s", reading.without_joins())
            return [reading.database]

        preparation = Preparation(
            expand_names, None if words is None else read_words(words), read_joins(joins), infer_joins
        )
        return cls(preparation(read(), strict=True), encoder, model, preparation=preparation, read_again=read)

    @classmethod
    def from_database(
        cls,
        source: LiveSource,
        encoder: Encoder | None = None,
        *,
        name: str = "",
        schemas: Sequence[str] | None = None,
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        views: bool = False,
        words: str | Path | None = None,
        joins: GivenJoins = (),
        infer_joins: InferJoins = "auto",
        model: TrainableRetriever | None = None,
        expand_names: bool = True,
        values: bool | ValueLimits = False,
        values_folder: str | Path | None = None,
    ) -> Self:
        """Read the schema from a live database, to which nothing is written.

        Args:
            source: URL as SQLAlchemy takes it, such as ``"postgresql://user:password@host/database"`` or
                ``"sqlite:///file.sqlite"``, or an engine. A URL is kept in memory for :meth:`refresh` and never saved.
            encoder: As for the class.
            name: Name of the database; its own where not given.
            schemas: Schemas (namespaces) to read; all but those of the system where not given.
            include: Patterns of the tables to read, such as ``["sales.*"]``; all where not given.
            exclude: Patterns of tables to leave out, such as ``["*_bak"]``.
            views: Whether views compete as tables do.
            words: As of :meth:`from_ddl`.
            joins: As of :meth:`from_ddl`.
            infer_joins: As of :meth:`from_ddl`.
            model: As for the class.
            expand_names: As of :meth:`from_ddl`.
            values: Whether rows are read. Questions are then searched for values of short text columns, as *Radiohead*
                of ``artist.name``, and where joins are inferred, it counts how many of a sample of a column's values
                the other column has.
                :class:`~joingr_pyg.schema.readers.live.values.ValueLimits` say what is read of them. They are read
                once, and again by :meth:`refresh`, and stay on this machine. :meth:`save` does not write them.
            values_folder: Where the index of values lies; in the user's cache folder where not given.

        Raises:
            JoinGRError: If the database cannot be read, as
                :func:`joingr_pyg.schema.readers.live.read_database` tells. No message holds a password.
        """

        def read() -> list[Database]:
            return [read_database(source, name=name, schemas=schemas, include=include, exclude=exclude, views=views)]

        preparation = Preparation(
            expand_names, None if words is None else read_words(words), read_joins(joins), infer_joins
        )
        if values is False:
            return cls(preparation(read(), strict=True), encoder, model, preparation=preparation, read_again=read)
        live = LiveValues(source, values if isinstance(values, ValueLimits) else ValueLimits(), values_folder)
        databases = preparation(read(), strict=True, read_shares=live.shares)
        retriever = cls(databases, encoder, model, preparation=preparation, read_again=read)
        retriever._live_values = live
        retriever._values = ValueEvidence(live.index(databases), databases)
        return retriever

    @classmethod
    def from_checkpoint(cls, path: str | Path, databases: Sequence[Database], encoder: Encoder | None = None) -> Self:
        """Use a model that ``train.py`` trained.

        Args:
            path: The checkpoint. A folder that :meth:`save` wrote is read as :meth:`load` reads it.
            databases: The schemas whose tables compete, as they are to be indexed.
            encoder: The encoder that the model was trained with; MiniLM where not given.

        Raises:
            JoinGRError: If the file is no checkpoint, or was written with another encoder.
        """
        if is_saved_retriever(path):
            return cls.load(path, databases, encoder=encoder)
        encoder = _cached(encoder)
        model, description = load_checkpoint(path)
        require_encoder(description, encoder.name, encoder.identity, path)
        retriever = cls(databases, encoder, model)
        retriever._trained = description.dataset, description.seed
        return retriever

    @classmethod
    def load(
        cls, path: str | Path, databases: Sequence[Database] | None = None, *, encoder: Encoder | None = None
    ) -> Self:
        """Load a retriever that :meth:`save` wrote; it answers as the saved one did.

        Args:
            path: The folder.
            databases: The schemas as their reader returns them now, where they have changed; they are prepared as the
                saved ones were. Only texts that are new are embedded. Remembered questions keep their votes for tables
                that still exist, as :mod:`joingr_pyg.retrieval.schema_changes` tells, and a warning names the others.
            encoder: The encoder; needed only if it is of a class that is not part of this package.

        Raises:
            JoinGRError: If the folder is missing, damaged or has another format version, or its encoder is not the one
                given, or cannot be made on this machine.
        """
        saved = read_retriever(path)
        used = _cached(_encoder_of(saved.encoder, encoder, path))
        used.preload([row.tobytes() for row in saved.keys.numpy()], saved.vectors)
        indexed = saved.databases
        if databases is not None:
            databases = schemas_of(databases)
            same = {database.name: database for database in saved.databases}
            indexed = tuple(
                database if database == same.get(database.name) else saved.preparation([database])[0]
                for database in databases
            )
            carry_memory_over(saved.model, saved.databases, indexed)
        retriever = cls(indexed, used, saved.model, preparation=saved.preparation)
        retriever._trained = saved.dataset, saved.seed
        return retriever

    def save(self, path: str | Path) -> None:
        """Write everything that the answers depend on to a folder, for :meth:`load` to read.

        That is the schemas with their vectors, how they were prepared, the model with its calibration and all that it
        remembers, and which encoder embeds questions. Neither the weights of the encoder are written nor values that
        were read from the rows of a database, and a warning says so where there are any.

        Args:
            path: The folder, which may be missing. A retriever that was saved there before is replaced.

        Raises:
            JoinGRError: If the folder cannot be written, or holds other files.
        """
        texts = dict.fromkeys(chain.from_iterable(descriptors(self.databases)))
        keys, vectors = self.encoder.document_vectors(list(texts))
        saved = SavedRetriever(
            self.databases,
            self.preparation,
            SavedEncoder(self.encoder.name, self.encoder.identity, encoder_settings(self.encoder)),
            torch.frombuffer(bytearray(b"".join(keys)), dtype=torch.uint8).view(len(keys), -1),
            vectors,
            self.model,
            *self._trained,
        )
        write_retriever(path, saved)
        if self._values is not None:
            logger.warning(
                "The values of columns are not saved, because they are rows of the database: the retriever that is "
                "loaded from '%s' answers without them.",
                path,
            )

    def refresh(self, databases: Sequence[Database] | None = None) -> SchemaDifferences:
        """Read the schema, and the values if there are any, again from the file or live database they came from.

        Only texts that are new are embedded. Remembered questions keep their votes for tables that still exist. If the
        schema cannot be read any more, the retriever stays as it was.

        Args:
            databases: The schemas as their reader returns them now, for a retriever that was not made by
                :meth:`from_ddl` or :meth:`from_database`.

        Returns:
            What changed; false if nothing did.

        Raises:
            JoinGRError: If the schema cannot be read, or the retriever does not know where it came from.
        """
        if databases is None:
            if self._read_again is None:
                raise JoinGRError(
                    "This retriever does not know where its schema came from: give the schema as it is now, as "
                    "refresh([database])."
                )
            databases = self._read_again()
        live = self._live_values
        now = self.preparation(schemas_of(databases), read_shares=None if live is None else live.shares_again())
        differences = schema_differences(self.databases, now)
        corpus = embedded_corpus(now, self.encoder) if differences else self.corpus
        if live is not None:
            self._values = ValueEvidence(live.index(now, again=True), now)
        if differences:
            carry_memory_over(self.model, self.databases, now)
            self._bind(now, corpus)
        return differences

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
        memory = self._memory()
        questions = questions_of(questions, "remember")
        require_several("lists of tables, one for each question", tables=tables)
        tables = list(tables)
        if len(questions) != len(tables) or any(
            isinstance(names, str) or not isinstance(names, Iterable) for names in tables
        ):
            raise JoinGRError(
                f"Each of {len(questions)} questions needs a list of its tables (got {len(tables)}: {tables!s:.60})."
            )
        gold = [[self._full_name(table) for table in names] for names in tables]
        memory.add(self.encoder.encode_queries(questions), gold)
        return self

    def forget(self, questions: Sequence[str]) -> Self:
        """Take back what :meth:`remember` was given: these questions have no vote any more.

        Args:
            questions: The questions, as they were remembered.

        Raises:
            JoinGRError: If the model does not remember, or one of the questions was not remembered; then all are kept.
        """
        memory = self._memory()
        questions = questions_of(questions, "forget")
        vectors = self.encoder.encode_queries(questions)
        unknown = [question for question, has in zip(questions, memory.has(vectors).tolist(), strict=True) if not has]
        if unknown:
            raise JoinGRError(
                f"{len(unknown)} of {len(questions)} questions are not remembered, such as {unknown[0]!r:.80}: "
                "give them as they were remembered."
            )
        memory.remove(vectors)
        return self

    def _memory(self) -> QuestionMemory:
        if not isinstance(self.model, JoinGRPlus) or self.model.prior.memory is None:
            raise JoinGRError("This model does not remember questions: use JoinGR+ with its memory, the default.")
        return self.model.memory

    def _full_name(self, table: str | TableName) -> TableName:
        """The ``(database, table)`` that a table's name, alone or with that of its database, belongs to."""
        matching = [name for name in self.corpus.tables if table in (name, name[1])]
        if len(matching) == 1:
            return matching[0]
        if not matching:
            name = table if isinstance(table, str) else table[-1]
            nearest = get_close_matches(str(name), [name for _, name in self.corpus.tables], n=1)
            hint = f"did you mean {nearest[0]!r}?" if nearest else "name it as its schema spells it."
            raise JoinGRError(f"No database has the table {table!r}: {hint}")
        raise JoinGRError(f"Several databases have a table {table!r}: name it as (database, table).")

    def restricted(
        self, allowed: Allowed | None = None, *, databases: str | Iterable[str] | None = None
    ) -> "TableRetriever":
        """A retriever that knows some of the tables and answers as if there were no others.

        Its answers are exactly those of a retriever made from schemas without the other tables: these are no anchors,
        no walk leads over them, and neither words, joins, votes, values nor scores are influenced by them. Joins that
        were inferred are inferred again without them. Remembered questions that needed one of them are left out.
        Tables keep the names that they have here.

        It shares the encoder and the weights of this retriever. Nothing that it is told later, such as answered
        questions, is known here, nor the other way round; :meth:`refresh` needs the schemas to be given.

        Args:
            allowed: Names or patterns of the tables, or a function that decides, as
                :data:`~joingr_pyg.retrieval.allowed_tables.Allowed` explains; all where ``None``.
            databases: Names of the databases whose tables remain; all where ``None``.

        Raises:
            JoinGRError: If a name or pattern is of no table or database, or no table remains. No message names a table
                or database that does not remain.
        """
        return self._restricted_to(allowed_tables(self.databases, allowed, databases))

    def _restricted_to(self, tables: frozenset[TableName]) -> "TableRetriever":
        retriever = TableRetriever(
            restricted_schemas(
                self.databases,
                tables,
                self.preparation.infer_joins,
                None if self._live_values is None else self._live_values.shares,
            ),
            self.encoder,
            restricted_model(self.model, self.databases, tables),
            preparation=self.preparation.about(self.databases, tables),
        )
        retriever._trained = self._trained
        if self._values is not None:
            retriever._values = ValueEvidence(self._values.index, retriever.databases)
        return retriever

    def retrieve(
        self,
        question: str,
        k: int | None = 5,
        *,
        complete: float = 0.9,
        allowed: Allowed | None = None,
        databases: str | Iterable[str] | None = None,
        only_if_fits: bool = False,
    ) -> RetrievalResult:
        """Find the best ``k`` tables for a question, or as many as it takes.

        Args:
            question: The question, in words.
            k: Number of tables; ``None`` returns the fewest that hold all needed tables with probability
                ``complete``.
            complete: That probability, above 0 and below 1.
            allowed: Answer as if there were no other tables than these, which may be as many as those a user has the
                right to read; as of :meth:`restricted`. The first question with other tables than before takes longer,
                since the tables are indexed for it.
            databases: Answer as if there were no other databases than these.
            only_if_fits: Return no table where nothing seems to fit the question
                (:attr:`RetrievalResult.nothing_fits`).

        Raises:
            JoinGRError: If the question is blank or no text, ``k`` is below 1 or no whole number, ``complete`` is no
                probability, ``k`` is ``None`` and the model is not calibrated, ``only_if_fits`` and the
                encoder is not MiniLM, or as of :meth:`restricted`.
        """
        if not isinstance(question, str):
            raise JoinGRError(
                f"'question' needs to be one text (got {type(question).__name__}): use retrieve_batch for several."
            )
        return self.retrieve_batch(
            [question], k, complete=complete, allowed=allowed, databases=databases, only_if_fits=only_if_fits
        )[0]

    async def aretrieve(
        self,
        question: str,
        k: int | None = 5,
        *,
        complete: float = 0.9,
        allowed: Allowed | None = None,
        databases: str | Iterable[str] | None = None,
        only_if_fits: bool = False,
    ) -> RetrievalResult:
        """:meth:`retrieve` in a thread of its own, so that the event loop goes on meanwhile."""
        return await asyncio.to_thread(
            self.retrieve,
            question,
            k,
            complete=complete,
            allowed=allowed,
            databases=databases,
            only_if_fits=only_if_fits,
        )

    def retrieve_batch(
        self,
        questions: Sequence[str],
        k: int | None = 5,
        *,
        complete: float = 0.9,
        allowed: Allowed | None = None,
        databases: str | Iterable[str] | None = None,
        only_if_fits: bool = False,
    ) -> list[RetrievalResult]:
        """Answer many questions in one call, which embeds all of their texts in batches.

        Args:
            questions: The questions.
            k: As of :meth:`retrieve`.
            complete: As of :meth:`retrieve`.
            allowed: As of :meth:`retrieve`.
            databases: As of :meth:`retrieve`.
            only_if_fits: As of :meth:`retrieve`.

        Returns:
            What :meth:`retrieve` returns for each question, in their order.

        Raises:
            JoinGRError: As :meth:`retrieve`.
        """
        wanted = Wanted(k, complete, only_if_fits)
        wanted.require_judge(self.encoder)
        questions = questions_of(questions, "retrieve_batch")
        if allowed is not None or databases is not None:
            restricted = self._restricted.get(self, allowed, databases, self._restricted_to)
            return restricted.retrieve_batch(questions, k, complete=complete, only_if_fits=only_if_fits)
        if not questions:
            return []
        kept = self._kept_answers.of(self)
        # Another thread may drop an answer at any time.
        found = ((question, kept.get((question, wanted))) for question in questions)
        known = {question: answer for question, answer in found if answer is not None}
        new = [question for question in dict.fromkeys(questions) if question not in known]
        for question, answer in zip(new, answers(self, new, wanted), strict=True):
            known[question] = answer
            self._kept_answers.keep(kept, (question, wanted), answer)
        return [known[question] for question in questions]

    def joins_between(self, tables: Iterable[RetrievedTable | str | TableName]) -> list[str]:
        """The joins that connect tables, as ``"a.x = b.y"``: what :attr:`RetrievalResult.joins` holds, as text.

        Args:
            tables: Tables that were retrieved, or names of tables as :meth:`remember` takes them.

        Raises:
            JoinGRError: If a table is unknown or its name not enough.
        """
        require_several("tables", tables=tables)
        tables = list(tables)
        led = {join for table in tables if isinstance(table, RetrievedTable) for join in table.joins}
        names = [
            (table.database, table.table) if isinstance(table, RetrievedTable) else self._full_name(table)
            for table in tables
        ]
        return [str(join) for join in joins_of(self.databases, names, led)]


def _cached(encoder: Encoder | None) -> CachedEncoder:
    """The encoder with a cache: its own if it has one, else that of the user."""
    require_encoder_object(encoder)
    return encoder if isinstance(encoder, CachedEncoder) else CachedEncoder.of_user(encoder or MiniLMEncoder())


def _encoder_of(saved: SavedEncoder, given: Encoder | None, path: str | Path) -> Encoder:
    """The encoder of a saved retriever: the given one if there is one, which has to be the same."""
    if given is None and saved.settings is None:
        raise JoinGRError(
            f"The saved retriever '{path}' uses encoder {saved.name!r}, which is not part of joingr_pyg: "
            "give it as encoder=..."
        )
    encoder = given or make_encoder(saved.settings or {})
    if encoder.identity != saved.identity:
        raise JoinGRError(
            f"The saved retriever '{path}' uses encoder {saved.name!r} ({saved.identity}), not {encoder.name!r} "
            f"({encoder.identity}): give the encoder that it was saved with."
        )
    return encoder
