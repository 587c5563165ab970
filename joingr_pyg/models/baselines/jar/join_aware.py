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
"""What is counted, rather than averaged over questions."""


class JoinAware(Retriever):
    r"""Chooses the tables of an answer together, as :class:`~joingr_pyg.models.baselines.jar.selection.Selection` says.

    Relevance :math:`r_t` is the cosine of the question and the table's own text, coverage that of a sub-query and a
    column. The tables most similar by :math:`s(t|q)` are the candidates. The chosen ones come first, in the order in
    which the greedy choice would take them; all others behind, by :math:`s(t|q)`. Scores are :math:`s(t|q) - 2` for
    these, and for the chosen ones count down to 1.

    Args:
        size: Number ``K`` of tables chosen together; as many as are asked for where not given.
        candidates: Most similar tables that take part; at least as many as are chosen.
        coverage_weight: JAR's :math:`w_1`, at least 0.
        relevance_weight: JAR's :math:`w_4`, at least 0.
        compatibility_weight: JAR's :math:`w_3`, at least 0.
        decompositions: Published sub-queries, as :class:`~joingr_pyg.models.baselines.jar.subqueries.Subqueries` reads
            them; other questions are cut into noun phrases.
        uniqueness: JSON files with the share of distinct values of columns, by ``"database#sep#table#sep#column"``;
            what is not known counts as 1, and a file that is missing is left out.

    Raises:
        JoinGRError: If an argument is out of its range.
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
    def choose(self, problem: Selection, size: int) -> list[int]:
        """Choose ``size`` of a problem's candidates, in any order."""

    def measured(self) -> dict[str, float]:
        """Means over the questions ranked so far, but for their number and what is counted of them."""
        questions = self._sums.get("questions", 0)
        return {name: value if name in COUNTS else value / questions for name, value in self._sums.items()}

    def measure(self, **more: float) -> None:
        """Add to what :meth:`measured` says, for one question."""
        for name, value in more.items():
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
            order = greedy(problem, size, within=self.choose(problem, size))
            scores[row, candidates[order]] = torch.arange(len(order), 0, -1).to(scores)
            self.measure(questions=1, published_decompositions=self.subqueries.is_published(text))
        return rank_dense(scores, k)

    def _problem(self, text: str, query: Queries, candidates: Tensor) -> Selection:
        if self._compatible is None:
            self._compatible = compatibility(self.corpus, self._known_uniqueness())
        subquery = query.require_encoder(self.name).encode_queries(self.subqueries.of(text))
        cover, _ = self.corpus.similarity(subquery.to(query.vector.device))
        tables = candidates.cpu().numpy()
        return Selection(
            cover=cover.cpu().numpy().astype(float)[:, tables],
            relevance=(self.corpus.table_x[candidates] @ query.vector[0]).cpu().numpy().astype(float),
            compatible=self._compatible[np.ix_(tables, tables)],
            weights=self.weights,
        )

    def _known_uniqueness(self) -> dict[str, float]:
        known: dict[str, float] = {}
        for path in self._uniqueness:
            if path.is_file():
                known |= read_json(path)
        return known


class Jar(JoinAware):
    """JAR: the choice is the best there is, by a mixed-integer program.

    :meth:`measured` counts the questions for which time ran out (``time_limit_hits``: the best choice met is used), and
    compares with IterativeJAR: ``objective``, ``greedy_objective`` and ``greedy_ratio`` are means over the questions.

    Args:
        time_limit: Seconds a question.
        gap: Relative difference from the best possible objective that will do.
        options: As :class:`JoinAware`.

    Raises:
        JoinGRError: If an argument is out of its range.
    """

    def __init__(self, time_limit: float = 60.0, gap: float = 1e-4, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        if time_limit <= 0:
            raise JoinGRError(f"'time_limit' needs to be above 0 seconds (got {time_limit}).")
        if gap < 0:
            raise JoinGRError(f"'gap' needs to be at least 0 (got {gap}).")
        self.time_limit = time_limit
        self.gap = gap

    def choose(self, problem: Selection, size: int) -> list[int]:
        solved = solve(problem, size, self.time_limit, self.gap)
        greedily = problem.worth(greedy(problem, size))
        self.measure(
            time_limit_hits=not solved.proven,
            objective=solved.worth,
            greedy_objective=greedily,
            greedy_ratio=greedily / solved.worth if solved.worth else 1.0,
        )
        return solved.chosen


class IterativeJar(JoinAware):
    """IterativeJAR: the choice is the greedy one."""

    name = "iterjar"

    def choose(self, problem: Selection, size: int) -> list[int]:
        chosen = greedy(problem, size)
        self.measure(objective=problem.worth(chosen))
        return chosen
