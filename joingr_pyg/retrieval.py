"""Retrieval for a schema of one's own: question in, tables out, with the joins that lead to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import torch

from joingr_pyg.corpus import Corpus
from joingr_pyg.datasets.join_graphs import build_graphs
from joingr_pyg.encoders import CachedEncoder, Encoder, MiniLMEncoder, require_question
from joingr_pyg.errors import JoinGRError
from joingr_pyg.explanation import strongest_path
from joingr_pyg.models import TrainableRetriever, heuristic
from joingr_pyg.models.checkpoint import load_checkpoint, require_encoder
from joingr_pyg.queries import Queries
from joingr_pyg.schema import Database
from joingr_pyg.schema.ddl import read_ddl
from joingr_pyg.schema.words_file import read_words, with_words


@dataclass(frozen=True)
class RetrievedTable:
    """A table found for a question.

    Attributes:
        database: Its database.
        table: Its name.
        score: Its score; tables that no walk reached have scores of at most 0.
        column: Its column that is most similar to the question.
        similarity: Cosine of that column and the question.
        anchor: Whether the walk started from it.
        joins: The joins that lead to it from an anchor, as ``"a.x = b.y"``; empty where none does.
    """

    database: str
    table: str
    score: float
    column: str
    similarity: float
    anchor: bool
    joins: tuple[str, ...]

    @property
    def reason(self) -> str:
        """Why the table is here, in one sentence."""
        near = f"{self.column} resembles the question (cosine {self.similarity:.2f})"
        if self.anchor or not self.joins:
            return near
        return "reached over " + ", ".join(self.joins)


class TableRetriever:
    """Finds the tables that a question needs, without training and without a GPU.

    Args:
        databases: The schemas whose tables compete.
        encoder: Encoder of columns, joins and questions; MiniLM where not given.
        model: The model; the untrained heuristic walk where not given.
    """

    def __init__(
        self, databases: Sequence[Database], encoder: Encoder | None = None, model: TrainableRetriever | None = None
    ) -> None:
        self.databases = tuple(databases)
        self.encoder = encoder or CachedEncoder(MiniLMEncoder())
        self.corpus = Corpus.from_graphs(build_graphs(self.databases, self.encoder))
        self.model = (model or heuristic()).eval().index(self.corpus)

    @classmethod
    def from_ddl(
        cls,
        path: str | Path,
        encoder: Encoder | None = None,
        dialect: str = "sqlite",
        *,
        words: str | Path | None = None,
    ) -> Self:
        """Read the schema from a file of ``CREATE TABLE`` statements; the database is named after the file.

        Args:
            path: The file.
            encoder: As for the class.
            dialect: Name of the sqlglot dialect of the file.
            words: File of the schema's words, as :func:`joingr_pyg.schema.words_file.read_words` reads it.

        Raises:
            JoinGRError: If a file cannot be read or the schema holds no table.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
            raise JoinGRError(
                f"The schema file '{path}' cannot be read ({reason}): give a text file of CREATE TABLE statements."
            ) from error
        database = read_ddl(text, path.stem, dialect)
        if words is not None:
            database = with_words(database, read_words(words))
        return cls([database], encoder)

    @classmethod
    def from_checkpoint(cls, path: str | Path, databases: Sequence[Database], encoder: Encoder) -> Self:
        """Use a trained scorer.

        Raises:
            JoinGRError: If the file is no checkpoint, or was trained with another encoder.
        """
        model, description = load_checkpoint(path)
        require_encoder(description, encoder.name, encoder.identity, path)
        return cls(databases, encoder, model)

    @torch.no_grad()
    def retrieve(self, question: str, k: int = 5) -> list[RetrievedTable]:
        """Find the best ``k`` tables for a question.

        Raises:
            JoinGRError: If the question is blank or ``k`` is below 1.
        """
        queries = Queries.encode([require_question(question)], self.encoder)
        evidence = self.model.evidence(queries)
        output = self.model(queries.vector, evidence)
        ranking = self.model.ranking(self.model.scores(output, evidence), evidence, k)
        anchors = set(self.model.seeds(evidence)[0][0].tolist())
        found = []
        for table, score in zip(ranking.table[0].tolist(), ranking.score[0].tolist(), strict=True):
            if table < 0:
                break
            database, name = self.corpus.tables[table]
            path = strongest_path(output, 0, table)
            found.append(
                RetrievedTable(
                    database=database,
                    table=name,
                    score=score,
                    column=self.corpus.columns[int(evidence.column[0, table])],
                    similarity=float(evidence.similarity[0, table]),
                    anchor=table in anchors,
                    joins=tuple(self.corpus.join_name(step.edge) for step in path),
                )
            )
        return found
