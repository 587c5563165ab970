"""What joins are worth: ``python benchmarks/joins.py DATA``, with ``--output FILE`` for the figures as JSON.

The untrained JoinGR+ with MiniLM answers the questions of the real schemas, of BIRD dev and of BEAVER. The tables of
one real schema compete with each other, those of BIRD dev and of BEAVER with all others of their benchmark. Real
schemas are prepared with the words that a language model wrote of them, where there are any. Compared are

- ``none``: all joins are hidden,
- ``declared``: the declared joins,
- ``inferred``: joins are inferred with all declared ones hidden,
- ``auto``: the declared joins, and inferred ones where few are declared (the default for a schema of one's own),
- ``always``: the declared joins and all that are inferred,
- ``mined``: joins that the SQL of other questions equates, a fifth of the questions left out at a time (of BIRD and
  BEAVER, and of schemas with at least 15 questions), beside the declared ones for real schemas and alone elsewhere,
- ``asked``: the declared joins, and those that the questions' own SQL equates: a bound that knows the answers.

Printed are the means over questions of R@5 and R@15, the share of a question's tables among the first 5 and 15, and of
all@15, whether all of them are among the first 15.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from joingr_pyg import TableRetriever, untrained
from joingr_pyg.datasets.beaver import read_beaver
from joingr_pyg.datasets.bird import read_bird
from joingr_pyg.encoders import CachedEncoder, MiniLMEncoder
from joingr_pyg.schema import Database, ForeignKey, TableName, read_schema_json
from joingr_pyg.schema.joins.few_keys import InferJoins, with_inferred_joins
from joingr_pyg.schema.joins.mining import mine_joins
from joingr_pyg.schema.names.glossary import read_words
from joingr_pyg.schema.preparation import Preparation

FEW_KEYS = ("killbill", "thingsboard", "flowable", "keycloak")
"""The real schemas that declare few keys, whose mean is printed apart."""

FOLDS = 5

MEASURES = ("R@5", "R@15", "all@15")


@dataclass(frozen=True)
class Question:
    """A question with its SQL and the tables that it needs."""

    text: str
    database: str
    sql: str
    needed: frozenset[TableName]


def real_schema(folder: Path) -> tuple[list[Database], list[Question], str]:
    """A schema with its words, its questions and their dialect."""
    database, dialect = read_schema_json(folder / "schema.json")
    words = folder / "words.json"
    preparation = Preparation(expand_names=True, words=read_words(words) if words.exists() else None)
    lines = (json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines())
    questions = [
        Question(
            line["question"],
            database.name,
            line["sql"],
            frozenset((database.name, table) for table in line["tables"]),
        )
        for line in lines
    ]
    return list(preparation([database])), questions, "mysql" if dialect.startswith("mysql") else "postgres"


def with_joins(database: Database, joins: Sequence[ForeignKey]) -> Database:
    """A schema with these joins alone."""
    return replace(database, foreign_keys=tuple(joins))


def inferred(databases: Sequence[Database], when: InferJoins, *, hidden: bool = False) -> list[Database]:
    """Schemas with inferred joins, and without the declared ones if those are hidden."""
    return [with_inferred_joins(with_joins(each, ()) if hidden else each, when) for each in databases]


def mined(
    databases: Sequence[Database], questions: Sequence[Question], dialect: str, *, declared: bool
) -> list[Database]:
    """Schemas with the joins that the questions' SQL equates, beside the declared ones or alone."""
    found = []
    for database in databases:
        sql = [question.sql for question in questions if question.database == database.name]
        joins = [mine.join for mine in mine_joins(sql, database, dialect)]
        found.append(with_joins(database, [*(database.foreign_keys if declared else ()), *joins]))
    return found


class Measurer:
    """Measures retrieval on one set of schemas."""

    def __init__(self, encoder: CachedEncoder, databases: list[Database], questions: list[Question]) -> None:
        self.encoder, self.databases, self.questions = encoder, databases, questions

    def scores(self, databases: Sequence[Database], questions: Sequence[Question] | None = None) -> list[list[float]]:
        """The measures of every question."""
        questions = self.questions if questions is None else questions
        # Untrained, because the packaged model has learned from questions on these schemas.
        retriever = TableRetriever(databases, self.encoder, untrained())
        rows = []
        for question, result in zip(
            questions, retriever.retrieve_batch([question.text for question in questions], 15), strict=True
        ):
            ranked = [(table.database, table.table) for table in result]
            shares = [len(question.needed.intersection(ranked[:k])) / len(question.needed) for k in (5, 15)]
            rows.append([*shares, float(shares[1] == 1)])
        return rows

    def mined(self, dialect: str, *, declared: bool) -> list[list[float]]:
        """The measures of every question, with joins mined from the SQL of the questions in other folds."""
        rows = []
        for fold in range(FOLDS):
            others = [question for n, question in enumerate(self.questions) if n % FOLDS != fold]
            databases = mined(self.databases, others, dialect, declared=declared)
            rows += self.scores(databases, self.questions[fold::FOLDS])
        return rows


def variants(measurer: Measurer, dialect: str, *, real: bool) -> Iterator[tuple[str, Callable[[], list[list[float]]]]]:
    """The name of each variant, and how it is measured."""
    databases, questions = measurer.databases, measurer.questions
    yield "none", lambda: measurer.scores([with_joins(each, ()) for each in databases])
    yield "declared", lambda: measurer.scores(databases)
    yield "inferred", lambda: measurer.scores(inferred(databases, True, hidden=True))
    yield "auto", lambda: measurer.scores(inferred(databases, "auto"))
    if real:
        yield "always", lambda: measurer.scores(inferred(databases, True))
    yield "mined", lambda: measurer.mined(dialect, declared=real)
    yield "asked", lambda: measurer.scores(mined(databases, questions, dialect, declared=True))


def benchmark(name: str, data: Path) -> tuple[list[Database], list[Question], str]:
    """A published benchmark."""
    read = read_bird(data / "bird", "dev") if name == "bird" else read_beaver(data / "beaver", "dw")
    questions = [Question(q.text, q.database, q.sql, frozenset(q.gold)) for q in read.questions]
    return list(read.databases), questions, "sqlite" if name == "bird" else "mysql"


def main() -> None:
    """Measure, print a table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="folder of the data sets")
    parser.add_argument("--sets", nargs="*", help="names of real schemas, 'bird' and 'beaver'; all where not given")
    parser.add_argument("--variants", nargs="*", help="names of variants; all where not given")
    parser.add_argument("--cache", type=Path, help="folder of embeddings")
    parser.add_argument("--output", type=Path, help="file for the figures, as JSON")
    arguments = parser.parse_args()
    schemas = sorted(path.parent.name for path in (arguments.data / "real_schemas").glob("*/schema.json"))
    weights = MiniLMEncoder()
    encoder = CachedEncoder(weights, arguments.cache) if arguments.cache else CachedEncoder.of_user(weights)
    figures: dict[str, dict[str, list[float]]] = {}
    for name in arguments.sets or [*schemas, "bird", "beaver"]:
        real = name in schemas
        source = real_schema(arguments.data / "real_schemas" / name) if real else benchmark(name, arguments.data)
        measurer = Measurer(encoder, *source[:2])
        figures[name] = {}
        for variant, measure in variants(measurer, source[2], real=real):
            if arguments.variants and variant not in arguments.variants:
                continue
            rows = measure()
            figures[name][variant] = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        if arguments.output:
            arguments.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        print(name, {variant: [round(v, 3) for v in values] for variant, values in figures[name].items()}, flush=True)
    _print(figures, schemas)


def _print(figures: dict[str, dict[str, list[float]]], schemas: Sequence[str]) -> None:
    for group, members in (("few keys", FEW_KEYS), ("real schemas", tuple(schemas))):
        if all(member in figures for member in members):
            figures[f"mean of {group}"] = {
                variant: [
                    sum(figures[member][variant][place] for member in members) / len(members)
                    for place in range(len(MEASURES))
                ]
                for variant in figures[members[0]]
            }
    for place, measure in enumerate(MEASURES):
        names = list(dict.fromkeys(variant for values in figures.values() for variant in values))
        table = Table(measure, *names)
        for name, values in figures.items():
            table.add_row(name, *(f"{values[v][place]:.3f}" if v in values else "" for v in names))
        Console().print(table)


if __name__ == "__main__":
    main()
