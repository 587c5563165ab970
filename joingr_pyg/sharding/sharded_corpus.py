"""A corpus in parts, ranked as the whole would be."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain, count
from pathlib import Path
from typing import Any, Self

import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.embedding import embedded_corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.encoders import Encoder
from joingr_pyg.errors import JoinGRError, require_at_least, require_flags, require_whole
from joingr_pyg.models import JoinGR, JoinGRPlus, Ranking, RerankedJoinGRPlus, TrainableRetriever
from joingr_pyg.models.rounds import First
from joingr_pyg.schema import Database, TableName
from joingr_pyg.sharding.part import Answer, GivenVectors, PartFacts, Question, Setup, in_single_precision
from joingr_pyg.sharding.storage import INDEX, PartFolder, read_part, write_part
from joingr_pyg.sharding.workers import LocalWorkers, RayWorkers, Task, Whole, Workers

QUESTIONS_AT_ONCE = 32
"""Questions that go through the rounds together."""


class ShardedCorpus:
    """Ranks the tables of a corpus that lies on disk in parts, each of whole databases.

    Walks never leave a database, so that every part ranks its own tables. What needs the whole (anchors, how rare words
    are, softmax over all tables, candidates of the reranker) is merged between rounds
    (:mod:`joingr_pyg.models.rounds`): rankings are those of one process over the corpus in one piece, but for equal
    scores, which go by the place of the part, and for the rounding of vectors to half precision on disk.

    Args:
        folder: A folder that :meth:`write` wrote.
        model: A :class:`~joingr_pyg.models.JoinGR` or :class:`~joingr_pyg.models.JoinGRPlus`, trained or not. Later
            changes of it have no effect here.
        encoder: The encoder that the parts were embedded with.
        actors: Number of Ray actors that hold the parts; 0 holds all in this process. Ray is started on this machine
            where it is not running.
        approximate: Whether anchors of JoinGR are searched by the approximate indexes that were written with the parts.
        mapped: Whether the vectors stay on disk, in the half precision in which they are, and JoinGR reads those of its
            anchors' databases for each question.
        resources: Resources of an actor, as ``ray.remote`` takes them, such as ``{"num_cpus": 2}``.

    Raises:
        JoinGRError: If the folder holds no corpus or one of another encoder, the model cannot rank parts, or Ray is not
            installed.

    Attributes:
        workers: Who holds the parts.
    """

    def __init__(
        self,
        folder: str | Path,
        model: TrainableRetriever,
        encoder: Encoder,
        *,
        actors: int = 0,
        approximate: bool = False,
        mapped: bool = False,
        resources: Mapping[str, Any] | None = None,
    ) -> None:
        require_whole(actors=actors)
        require_flags(approximate=approximate, mapped=mapped)
        require_at_least(0, actors=actors)
        self._folder, self._encoder = PartFolder(folder), encoder
        names, identity = self._folder.read()
        if identity != encoder.identity:
            raise JoinGRError(
                f"The corpus in {str(folder)!r} was embedded by {identity!r}, not by {encoder.identity!r}: give that "
                "encoder, or write the corpus again."
            )
        _require_rounds(model)
        if (approximate or mapped) and not isinstance(model, JoinGR):
            raise JoinGRError(
                "'approximate' and 'mapped' are for JoinGR: JoinGR+ compares a question with all columns."
            )
        self._model = model.unbound().eval()
        setup = Setup(self._model, approximate, mapped)
        self.workers: Workers = RayWorkers(setup, actors, dict(resources or {})) if actors else LocalWorkers(setup)
        self._numbers, self._version = count(), 0
        self._read(names)

    @staticmethod
    def write(
        folder: str | Path,
        databases: Sequence[Database],
        encoder: Encoder,
        *,
        parts: int = 4,
        dtype: torch.dtype = torch.float16,
        approximate: bool = False,
    ) -> None:
        """Embed databases and write them in parts of about as many columns each, in the given order.

        Args:
            folder: The folder; a corpus that lies there is replaced.
            databases: The schemas, as they are to be indexed.
            encoder: The encoder of columns, joins and tables.
            parts: Number of parts, at least 1; fewer are written where there are fewer databases.
            dtype: Precision of the vectors on disk.
            approximate: Whether an approximate index of the columns of each part is made and written, too.

        Raises:
            JoinGRError: If there is no table, two databases share a name, or the folder cannot be written.
        """
        require_whole(parts=parts)
        require_at_least(1, parts=parts)
        if not databases:
            raise JoinGRError("A corpus needs at least one database with a table.")
        corpora = (embedded_corpus(own, encoder) for own in _in_parts(databases, parts))
        ShardedCorpus.write_corpora(folder, corpora, encoder.identity, dtype, approximate)

    @staticmethod
    def write_corpora(
        folder: str | Path,
        corpora: Iterable[Corpus],
        encoder: str,
        dtype: torch.dtype = torch.float16,
        approximate: bool = False,
    ) -> None:
        """Write corpora that were embedded before, a part each; only one has to be in memory at a time.

        Args:
            folder: As for :meth:`write`.
            corpora: The parts.
            encoder: Identity of the encoder of their vectors.
            dtype: As for :meth:`write`.
            approximate: As for :meth:`write`.

        Raises:
            JoinGRError: As for :meth:`write`.
        """
        written = PartFolder(folder)
        written.make()
        databases: set[str] = set()
        names = []
        for corpus in corpora:
            own = {database for database, _ in corpus.tables}
            _require_new(own, databases)
            databases |= own
            names.append(write_part(written.path, corpus, dtype, approximate))
        written.write(names, encoder)

    @property
    def num_tables(self) -> int:
        return sum(facts.num_tables for facts in self._facts)

    @property
    def databases(self) -> tuple[str, ...]:
        """Names of the databases, part after part."""
        return tuple(chain.from_iterable(facts.databases for facts in self._facts))

    def rank(self, queries: Queries, k: int) -> Ranking:
        """Rank the tables of all parts; tables are numbered part after part.

        Args:
            queries: ``B`` questions.
            k: Number of tables, at least 1.

        Raises:
            JoinGRError: If ``k`` is below 1, or questions come without what the model needs.
        """
        return self._answer(queries, k).ranking

    def names(self, queries: Queries, k: int) -> list[list[TableName]]:
        """The names of the tables of :meth:`rank`, question by question, best first."""
        ranking, names = self._answer(queries, k)
        return [[names[table] for table in row if table >= 0] for row in ranking.table.tolist()]

    def retrieve(self, question: str, k: int = 5) -> list[TableName]:
        """The ``k`` tables that a question most likely needs, as ``(database, table)``, best first.

        Raises:
            JoinGRError: If ``k`` is below 1.
        """
        return self.names(Queries.encode([question], self._encoder), k)[0]

    def add(self, databases: Sequence[Database]) -> None:
        """Embed further databases and write them behind those of the smallest part; other parts stay as they are.

        Raises:
            JoinGRError: If there is no table to add, a database of that name exists, or the folder cannot be written.
        """
        _require_new({database.name for database in databases}, set(self.databases))
        more = embedded_corpus(databases, self._encoder)
        names, identity = self._folder.read()
        smallest = min(range(len(names)), key=lambda number: self._facts[number].num_tables)
        part = read_part(self._folder.path / names[smallest])
        grown = in_single_precision(part).joined(more)
        approximate = (self._folder.path / names[smallest] / INDEX).exists()
        names[smallest] = write_part(self._folder.path, grown, part.x.dtype, approximate)
        self._folder.write(names, identity)
        self._read(names)

    def close(self) -> None:
        """Let go of the parts, and of Ray where it was started here."""
        self.workers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, names: Sequence[str]) -> None:
        """Have the workers hold these parts from now on."""
        paths = [self._folder.path / name for name in names]
        self._facts: list[PartFacts] = self.workers.facts(paths)
        firsts = zip(
            accumulate([0, *(facts.num_tables for facts in self._facts)]),
            accumulate([0, *(len(facts.databases) for facts in self._facts)]),
            strict=True,
        )
        self._tasks = [Task(path, First(*first)) for path, first in zip(paths, firsts, strict=False)]
        shared = [facts.shared for facts in self._facts]
        summed = None if shared[0] is None else type(shared[0]).sum(shared)
        self._version += 1
        self._whole = Whole(self._version, [self.workers.put(summed)])

    def _answer(self, queries: Queries, k: int) -> Answer:
        if k < 1:
            raise JoinGRError(f"K needs to be at least 1 (got {k}).")
        if not len(queries):
            return Answer(Ranking(torch.empty(0, k, dtype=torch.long), torch.empty(0, k)), {})
        parts = [self._ask(part, k) for part in queries.split(QUESTIONS_AT_ONCE)]
        names = {number: name for part in parts for number, name in part.names.items()}
        return Answer(Ranking(*map(torch.cat, zip(*(part.ranking for part in parts), strict=True))), names)

    def _ask(self, queries: Queries, k: int) -> Answer:
        """Ask all parts, round after round."""
        question = Question(next(self._numbers), self._with_vectors(queries), k)
        received: list[Any] = []
        while True:
            found = self.workers.answers(self._tasks, self._whole, question, received)
            merged = type(found[0]).merged(found)
            if isinstance(merged, Answer):
                return merged
            received.append(merged)

    def _with_vectors(self, queries: Queries) -> Queries:
        """The questions with the vectors of all of their texts, so that no part has to encode any."""
        texts = dict.fromkeys(chain.from_iterable(self._model.question_texts(text)[1:] for text in queries.text))
        vectors = self._encoder.encode_queries(list(texts)) if texts else ()
        given = GivenVectors(self._encoder.identity, dict(zip(texts, vectors, strict=True)))
        return replace(queries, encoder=given)  # type: ignore[arg-type]


def _require_rounds(model: TrainableRetriever) -> None:
    if isinstance(model, RerankedJoinGRPlus) or not isinstance(model, JoinGR | JoinGRPlus):
        raise JoinGRError(
            f"A model of kind {getattr(model, 'kind', type(model).__name__)!r} cannot rank a corpus in parts: give "
            "JoinGR or JoinGR+, such as joingr_pyg.models.untrained()."
        )


def _in_parts(databases: Sequence[Database], parts: int) -> list[Sequence[Database]]:
    """Runs of databases with about as many columns each, none empty."""
    ends = list(accumulate(sum(len(table.columns) for table in database) for database in databases))
    number = [min(parts * (end - 1) // max(ends[-1], 1), parts - 1) for end in ends]
    runs = [[one for one, own in zip(databases, number, strict=True) if own == part] for part in range(parts)]
    return [run for run in runs if run]


def _require_new(names: set[str], others: set[str]) -> None:
    for name in sorted(names & others):
        raise JoinGRError(f"Two databases of a corpus are named {name!r}: give them different names.")
