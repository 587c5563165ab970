"""Retrieval for a schema of one's own: question in, tables out, with the joins that lead to them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets.join_graphs import build_graphs
from joingr_pyg.encoders import CachedEncoder, Encoder, MiniLMEncoder, require_question
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGRPlus, TrainableRetriever
from joingr_pyg.models.calibration import CANDIDATES, require_complete, set_sizes
from joingr_pyg.models.checkpoint import Description, load_checkpoint, require_encoder, save_checkpoint
from joingr_pyg.models.joingr_plus import untrained
from joingr_pyg.nn import WalkOutput
from joingr_pyg.retrieval.explanation import Step, share_from_others, strongest_path
from joingr_pyg.retrieval.reasons import reason, stands_out
from joingr_pyg.schema import Database, TableName
from joingr_pyg.schema.joins.connecting import connecting_joins
from joingr_pyg.schema.names.expansion import with_expanded_names
from joingr_pyg.schema.names.glossary import read_words, with_words
from joingr_pyg.schema.readers.ddl import read_ddl


@dataclass(frozen=True)
class RetrievedTable:
    """A table found for a question.

    Attributes:
        database: Its database.
        table: Its name.
        score: Its score; higher is better, and the scale is the model's own.
        column: Its column that is most similar to the question.
        similarity: Cosine of that column and the question.
        matched_words: The question's words that are also its own, those that speak for it most first; empty where the
            model reads no words.
        anchor: Whether a walk started from it.
        joins: The joins that lead to it from an anchor, as ``"a.x = b.y"``, where most of its deposit came over joins;
            empty where it came from its own start, or none came.
        reason: Why the table is here, in one sentence.
    """

    database: str
    table: str
    score: float
    column: str
    similarity: float
    matched_words: tuple[str, ...]
    anchor: bool
    joins: tuple[str, ...]
    reason: str


class TableRetriever:
    """Finds the tables that a question needs, without training and without a GPU.

    Args:
        databases: The schemas whose tables compete.
        encoder: Encoder of columns, joins and questions; MiniLM where not given.
        model: The model; untrained JoinGR+ where not given. :func:`joingr_pyg.models.heuristic` makes the paper's
            untrained walk.
    """

    def __init__(
        self, databases: Sequence[Database], encoder: Encoder | None = None, model: TrainableRetriever | None = None
    ) -> None:
        self.databases = tuple(databases)
        self.encoder = encoder or CachedEncoder(MiniLMEncoder())
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
        database = read_ddl(text, path.stem, dialect)
        written = None if words is None else read_words(words)
        if expand_names:
            database = with_expanded_names(database, {} if written is None else written.abbreviations)
        if written is not None:
            database = with_words(database, written)
        return cls([database], encoder, model)

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
        if len(questions) != len(tables) or any(isinstance(each, str) for each in tables):
            raise JoinGRError(
                f"Each of {len(questions)} questions needs a list of its tables (got {len(tables)}: {tables!s:.60})."
            )
        needed = [[self._named(table) for table in each] for each in tables]
        asked = Queries.encode([require_question(question) for question in questions], self.encoder)
        self.model.memory.add(asked.vector, needed)
        return self

    def _named(self, table: str | TableName) -> TableName:
        """A table by its name alone, or with that of its database."""
        matching = [name for name in self.corpus.tables if table in (name, name[1])]
        if len(matching) == 1:
            return matching[0]
        if not matching:
            raise JoinGRError(f"No database has the table {table!r}: name it as its schema spells it.")
        raise JoinGRError(f"Several databases have a table {table!r}: name it as (database, table).")

    @torch.no_grad()
    def retrieve(self, question: str, k: int | None = 5, *, complete: float = 0.9) -> list[RetrievedTable]:
        """Find the best ``k`` tables for a question, or as many as it takes.

        Args:
            question: The question.
            k: Number of tables; ``None`` returns the smallest set that holds all tables that the question needs with
                the probability ``complete``, of at most :data:`~joingr_pyg.models.calibration.CANDIDATES`.
            complete: That probability, above 0 and below 1: higher is more tables.

        Raises:
            JoinGRError: If the question is blank, ``k`` is below 1 or ``complete`` no probability, or ``k`` is ``None``
                and the model is not calibrated.
        """
        require_complete(complete)
        queries = Queries.encode([require_question(question)], self.encoder)
        evidence = self.model.evidence(queries)
        output = self.model(queries.vector, evidence)
        ranking = self.model.ranking(self.model.scores(output, evidence), evidence, CANDIDATES if k is None else k)
        if k is None:
            ranking = ranking.first(int(set_sizes(self.model.needed(ranking, queries), complete)))
        seed, deposit = (each[0] for each in self.model.seeds(evidence))
        anchors, strong = set(seed.tolist()), set(seed[deposit >= deposit[seed >= 0].mean()].tolist())
        # The median, because a mean over few tables goes with the best of them.
        above = {part: value[0] - value[0].median() for part, value in self.model.parts(evidence).items()}
        words = self.model.word_scores(question)
        phrases = self.model.phrase_scores(queries, evidence)
        found = []
        for table, score in zip(ranking.table[0].tolist(), ranking.score[0].tolist(), strict=True):
            if table < 0:
                break
            database, name = self.corpus.tables[table]
            column = self.corpus.columns[int(evidence.column[0, table])]
            similarity = float(evidence.similarity[0, table])
            matched = _matched(words, table)
            own = {part: float(value[table]) for part, value in above.items()}
            path = [] if table in strong and stands_out(own) else self._path(output, table)
            origin = self.corpus.tables[path[0].frontier][1] if path else None
            joins = tuple(self.corpus.join_name(step.edge) for step in path)
            phrase = max(phrases, key=lambda each: phrases[each][table], default="")
            told = reason(own, column, similarity, matched, origin, joins, phrase)
            found.append(
                RetrievedTable(database, name, score, column, similarity, matched, table in anchors, joins, told)
            )
        return found

    def _path(self, output: WalkOutput, table: int) -> list[Step]:
        """The way of a table's deposit where most of it came over joins from elsewhere."""
        if not self.model.walks or share_from_others(output, 0, table) <= 0.5:
            return []
        return strongest_path(output, 0, table)

    def joins_between(self, found: Iterable[RetrievedTable]) -> list[str]:
        """Few joins that connect tables, as ``"a.x = b.y"``; they may lead over tables that are not among them.

        Of equally short ways those are taken that led to the tables. Tables of different databases, and those that no
        joins connect, stay apart.
        """
        found = list(found)
        joins = []
        for database in self.databases:
            here = [each for each in found if each.database == database.name]
            if len(here) < 2:
                continue
            led = {join for each in here for join in each.joins}
            preferred = [join for join in database.joins if str(join) in led]
            joins += [str(join) for join in connecting_joins(database, [each.table for each in here], preferred)]
        return joins


def _matched(words: dict[str, Tensor], table: int) -> tuple[str, ...]:
    """The words that speak for a table, most first."""
    scores = {word: score[table].item() for word, score in words.items()}
    return tuple(sorted((word for word in scores if scores[word] > 0), key=lambda word: -scores[word]))
