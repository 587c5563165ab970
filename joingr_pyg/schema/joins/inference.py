"""Joins that nobody declared, inferred from names, types and keys."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

import numpy as np

from joingr_pyg.schema.joins.candidates import Candidate, CandidateFinder
from joingr_pyg.schema.joins.direction import End
from joingr_pyg.schema.joins.features import FEATURES, HOWS, FeatureReader
from joingr_pyg.schema.joins.name_words import SchemaWords
from joingr_pyg.schema.model import Database, ForeignKey

LEAST_CONFIDENCE = 0.3
"""Probability from which on a pair of columns is inferred to be joined; the best on Spider train, left out in turn."""

SMOOTHING = 0.5
"""What is added to counts of declared joins before their odds are taken."""

MISSING_VALUES = 8.0
"""By how much the log-odds of a join sink where no value of the referring column is a value of the other."""

Judge = Callable[[ForeignKey], float | None]
"""Tells a share or a probability of a join, or ``None`` where it cannot tell."""


@dataclass(frozen=True, eq=False)
class JoinModel:
    """A logistic regression of whether a column refers to another.

    Args:
        weights: ``[F]`` weights of :data:`~joingr_pyg.schema.joins.features.FEATURES`.
        intercept: Log-odds where all features are 0.
    """

    weights: np.ndarray
    intercept: float

    @classmethod
    @cache
    def fitted(cls) -> "JoinModel":
        """The model that comes with the package; ``benchmarks/fit_join_inference.py`` makes it again."""
        saved = json.loads((files("joingr_pyg.schema.joins") / "weights.json").read_text(encoding="utf-8"))
        return cls(np.array([saved["weights"].get(feature, 0.0) for feature in FEATURES]), saved["intercept"])


def infer_joins(
    database: Database,
    *,
    least_confidence: float = LEAST_CONFIDENCE,
    contained: Judge | None = None,
    opinion: Judge | None = None,
    model: JoinModel | None = None,
) -> tuple[ForeignKey, ...]:
    """Infer joins between columns that no declared key joins.

    Each column may refer to one other. Which one, and how probable it is, a logistic regression tells from how the name
    of the column names the other's table and key, from what kind of key the other is, and from their types; its
    weights were fitted to declared keys (``benchmarks/fit_join_inference.py``). Names are compared as they are and as
    their natural names spell them out, and the better of both counts. Where columns of the same name are declared to
    refer to something, the odds of that are multiplied by the odds among them.

    Args:
        database: The schema. A column that a declared key already makes refer to another is left alone.
        least_confidence: Probability from which on a join is inferred.
        contained: Tells the share of the values of the referring column that are also values of the other, for joins
            that are likely enough to be worth a look at the rows.
        opinion: Tells a probability, as a language model would; it counts as much as the regression's own, and is asked
            of every column's most probable join, however doubtful.
        model: The logistic regression; that of the package where not given.

    Returns:
        The joins, of source ``"inferred"``, in the order of the referring columns.
    """
    best: dict[End, tuple[float, Candidate, str]] = {}
    declared = {(join.table, join.column) for join in database.joins}
    pairs = {join.endpoints for join in database.joins}
    for log_odds, candidate, how in _scored(database, model or JoinModel.fitted()):
        column = (candidate.column.table.name, candidate.column.column.name)
        key = (candidate.key.table.name, candidate.key.column.name)
        if column in declared or frozenset((column, key)) in pairs:
            continue
        if column not in best or log_odds > best[column][0]:
            best[column] = (log_odds, candidate, how)

    def rank(join: ForeignKey) -> tuple[bool, float]:
        return database[join.referenced_table].primary_key == (join.referenced_column,), join.confidence

    joins: dict[frozenset[End], ForeignKey] = {}
    for column, (log_odds, candidate, how) in best.items():
        join = ForeignKey(*column, candidate.key.table.name, candidate.key.column.name, source="inferred")
        join = replace(join, confidence=_probability(log_odds), evidence=_evidence(candidate, how))
        if opinion is not None and (probability := opinion(join)) is not None:
            log_odds = (log_odds + _log_odds(probability)) / 2
            join = _with(join, log_odds, f"a second opinion gives it a probability of {probability:.2f}")
        if join.confidence >= least_confidence and contained is not None and (share := contained(join)) is not None:
            log_odds += 1 - MISSING_VALUES * (1 - share)
            join = _with(join, log_odds, f"{share:.0%} of its values are there")
        known = joins.get(join.endpoints)
        # Of both directions the one that leads to a primary key is kept, then the surer one.
        if join.confidence >= least_confidence and (known is None or rank(known) < rank(join)):
            joins[join.endpoints] = join
    return tuple(joins.values())


def scored_features(database: Database) -> Iterator[tuple[list[Candidate], np.ndarray, list[str]]]:
    """The candidates of a schema, by names as they are, and again as natural names spell them out.

    Yields:
        Candidates, their ``[N, F]`` features in the order of :data:`FEATURES`, and how each is named
        (:data:`~joingr_pyg.schema.joins.features.HOWS`).
    """
    plain = _without_natural_names(database)
    for form in (database,) if plain == database else (plain, database):
        words = SchemaWords(form)
        reader = FeatureReader(words)
        candidates = list(CandidateFinder(form, words).candidates())
        features = np.array([reader.read(candidate) for candidate in candidates]).reshape(-1, len(FEATURES))
        yield candidates, features, [reader.how(candidate) for candidate in candidates]


def _scored(database: Database, model: JoinModel) -> Iterator[tuple[float, Candidate, str]]:
    """Every candidate with its log-odds and how it is named."""
    declared = _declared_by_name(database)
    for candidates, features, hows in scored_features(database):
        log_odds = features @ model.weights + model.intercept
        for candidate, odds, how in zip(candidates, log_odds.tolist(), hows, strict=True):
            alike = declared[candidate.column.column.name.lower()]
            same = alike[candidate.key.table.name, candidate.key.column.name]
            others = alike.total() - same
            odds += math.log((same + SMOOTHING) / (others + SMOOTHING))
            yield odds, candidate, f"declared:{same}" if same else how


def _declared_by_name(database: Database) -> dict[str, Counter[End]]:
    """What columns are declared to refer to in other tables than their own, counted by the columns' names."""
    counts: dict[str, Counter[End]] = defaultdict(Counter)
    for join in database.joins:
        if join.table != join.referenced_table:
            counts[join.column.lower()][join.referenced_table, join.referenced_column] += 1
    return counts


def _without_natural_names(database: Database) -> Database:
    tables = (
        replace(table, natural_name="", columns=tuple(replace(column, natural_name="") for column in table.columns))
        for table in database
    )
    return replace(database, tables=tuple(tables))


def _with(join: ForeignKey, log_odds: float, evidence: str) -> ForeignKey:
    """A join of another confidence, with what speaks for it beside its evidence so far."""
    return replace(join, confidence=_probability(log_odds), evidence=f"{join.evidence}; {evidence}")


def _evidence(candidate: Candidate, how: str) -> str:
    """What speaks for a join, in words."""
    if how.startswith("declared:"):
        count = int(how.removeprefix("declared:"))
        columns = "columns of the same name are" if count > 1 else "column of the same name is"
        return f"{count} {columns} declared to refer to it"
    table, key = candidate.key.table.name, candidate.key.column.name
    what = HOWS[how].format(table=table, key=key)
    return f"{what}; {key!r} is the primary key of {table!r}" if candidate.key.is_primary else what


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, 0.01), 0.99)
    return math.log(bounded / (1 - bounded))
