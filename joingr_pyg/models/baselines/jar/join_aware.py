"""JAR (Chen et al., 2024b) and its greedy form IterativeJAR (Boutaleb et al., 2025) as retrievers."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np
import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.baselines.jar.compatibility import compatibility
from joingr_pyg.models.baselines.jar.mip import solve
from joingr_pyg.models.baselines.jar.selection import Selection, greedy
from joingr_pyg.models.baselines.jar.subqueries import Subqueries
from joingr_pyg.models.retriever import Ranking, Retriever, rank_dense
from joingr_pyg.progress import bar
from joingr_pyg.schema.readers.json_file import read_json

COUNTS = ("questions", "published_decompositions", "time_limit_hits")
"""Measurements that are counts, not means over questions."""


class JoinAware(Retriever):
    r"""Selects tables jointly by the objective of :class:`~joingr_pyg.models.baselines.jar.selection.Selection`.

    Relevance :math:`r_t` is the cosine between question and table text, and coverage the cosine between a sub-query and
    a column. Candidates are the tables with the highest :math:`s(t|q)`. Selected tables are ranked first, in the order
    of greedy selection among them, with scores that count down to 1. Other tables follow with scores
    :math:`s(t|q) - 2`.

    Args:
        size: Number ``K`` of tables selected. The default is the number of tables to rank.
        candidates: Number of candidates; at least ``size`` are used.
        coverage_weight: JAR's :math:`w_1`, at least 0.
        relevance_weight: JAR's :math:`w_4`, at least 0.
        compatibility_weight: JAR's :math:`w_3`, at least 0.
        decompositions: Files of published sub-queries, see
            :class:`~joingr_pyg.models.baselines.jar.subqueries.Subqueries`. Other questions are split into noun
            phrases.
        uniqueness: JSON files with the fraction of distinct values of columns, by ``"database#sep#table#sep#column"``.
            Missing values are 1, and missing files are ignored.

    Raises:
        JoinGRError: If an argument is out of range.
    """

    name = "jar"

    def __init__(
        self,
        size: int | None = None,
        candidates: int = 20,
        coverage_weight: float = 3.0,
        relevance_weight: float = 3.0,
        compatibility_weight: float = 1.0,
        decompositions: Sequence[Mapping[str, str]] = (),
        uniqueness: Sequence[str] = (),
    ) -> None:
        super().__init__()
        weights = {"coverage": coverage_weight, "relevance": relevance_weight, "compatibility": compatibility_weight}
        for name, value in weights.items():
            if value < 0:
                raise JoinGRError(f"'{name}_weight' needs to be at least 0 (got {value}).")
        if candidates < 1 or (size is not None and size < 1):
            raise JoinGRError(f"'candidates' and 'size' need to be at least 1 (got {candidates} and {size}).")
        self.size = size
        self.candidates = candidates
        self.weights = (coverage_weight, relevance_weight, compatibility_weight)
        self.subqueries = Subqueries(decompositions)
        self._uniqueness = [Path(path) for path in uniqueness]
        self._compatible: np.ndarray | None = None
        self._sums: dict[str, float] = {}

    def index(self, corpus: Corpus) -> Self:
        self._compatible = None
        return super().index(corpus)

    @abstractmethod
    def select(self, problem: Selection, size: int) -> list[int]:
        """Select ``size`` of the candidates, in any order."""

    def measured(self) -> dict[str, float]:
        """Measurements of the questions ranked so far: :data:`COUNTS`, and means over questions."""
        questions = self._sums.get("questions", 0)
        return {name: value if name in COUNTS else value / questions for name, value in self._sums.items()}

    def measure(self, **values: float) -> None:
        """Add the measurements of one question."""
        for name, value in values.items():
            self._sums[name] = self._sums.get(name, 0) + value

    def rank(self, queries: Queries, k: int) -> Ranking:
        similarity, _ = self.corpus.similarity(queries.vector)
        scores = similarity - 2
        size = min(self.size or k, self.corpus.num_tables)
        ordered = rank_dense(similarity, min(max(self.candidates, size), self.corpus.num_tables)).table
        texts = queries.require_text(self.name)
        questions = bar(f"Choosing tables ({self.name})", len(texts), "question", iterable=texts)
        for row, text in enumerate(questions):
            candidates = ordered[row]
            problem = self._problem(text, queries[[row]], candidates)
            order = greedy(problem, size, within=self.select(problem, size))
            scores[row, candidates[order]] = torch.arange(len(order), 0, -1).to(scores)
            self.measure(questions=1, published_decompositions=self.subqueries.is_published(text))
        return rank_dense(scores, k)

    def _problem(self, text: str, query: Queries, candidates: Tensor) -> Selection:
        if self._compatible is None:
            self._compatible = compatibility(self.corpus, self._read_uniqueness())
        subquery = query.require_encoder(self.name).encode_queries(self.subqueries.of(text))
        cover, _ = self.corpus.similarity(subquery.to(query.vector.device))
        tables = candidates.cpu().numpy()
        return Selection(
            cover=cover.cpu().numpy().astype(float)[:, tables],
            relevance=(self.corpus.table_x[candidates] @ query.vector[0]).cpu().numpy().astype(float),
            compatible=self._compatible[np.ix_(tables, tables)],
            weights=self.weights,
        )

    def _read_uniqueness(self) -> dict[str, float]:
        uniqueness: dict[str, float] = {}
        for path in self._uniqueness:
            if path.is_file():
                uniqueness |= read_json(path)
        return uniqueness


class Jar(JoinAware):
    """JAR: the optimal selection, by mixed-integer programming.

    :meth:`measured` has the number of questions that reached the time limit (``time_limit_hits``; the best selection
    found is used), and the means ``objective``, ``greedy_objective`` (of IterativeJAR) and ``greedy_ratio``.

    Args:
        time_limit: Seconds per question.
        gap: Relative optimality gap at which the solver stops.
        options: As :class:`JoinAware`.

    Raises:
        JoinGRError: If an argument is out of range.
    """

    def __init__(self, time_limit: float = 60.0, gap: float = 1e-4, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        if time_limit <= 0:
            raise JoinGRError(f"'time_limit' needs to be above 0 seconds (got {time_limit}).")
        if gap < 0:
            raise JoinGRError(f"'gap' needs to be at least 0 (got {gap}).")
        self.time_limit = time_limit
        self.gap = gap

    def select(self, problem: Selection, size: int) -> list[int]:
        solution = solve(problem, size, self.time_limit, self.gap)
        greedy_objective = problem.objective(greedy(problem, size))
        self.measure(
            time_limit_hits=not solution.optimal,
            objective=solution.objective,
            greedy_objective=greedy_objective,
            greedy_ratio=greedy_objective / solution.objective if solution.objective else 1.0,
        )
        return solution.selected


class IterativeJar(JoinAware):
    """IterativeJAR: greedy selection."""

    name = "iterjar"

    def select(self, problem: Selection, size: int) -> list[int]:
        selected = greedy(problem, size)
        self.measure(objective=problem.objective(selected))
        return selected
