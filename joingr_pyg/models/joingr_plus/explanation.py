"""Explanations of rankings by compiled code, from what the ranking itself computed."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from joingr_pyg.models.explanation import ExplainedRanking, JoinStep, TableExplanation, matched_words
from joingr_pyg.models.joingr_plus.features import EXPLAINED, Feature
from joingr_pyg.models.joingr_plus.question_texts import QuestionText
from joingr_pyg.models.joingr_plus.scored import ScoredTables
from joingr_pyg.models.phrase_matches import CONTEXT_WEIGHT, SHARPNESS
from joingr_pyg.models.retriever import Ranking
from joingr_pyg.models.walk_deposits import WalkDeposits, WalkSource
from joingr_pyg.nn import Potentials, WalkPlanner
from joingr_pyg.nn.compiled_potential_walk import CompiledPotentialWalk
from joingr_pyg.text.postings import Postings

Array = NDArray[Any]


class CompiledExplainedRanking(ExplainedRanking):
    """Looks the explained tables up in what was computed for the ranking.

    Beyond that, one question costs a median per term of the prior, its phrases compared once more, and one more walk.

    Args:
        ranking: The ranking of ``B`` questions.
        scored: The scores of all tables, and what they were made of.
        texts: Texts of the questions.
        prior_weights: Weight of each feature in the prior.
        postings: BM25 postings of the tables, if the model uses words.
        first_column: ``[T + 1]`` the columns of table ``t`` are ``first_column[t]:first_column[t + 1]``.
        walk: The walk, or ``None`` if it does not count.
        planner: Planner of its walks over the corpus.
    """

    def __init__(
        self,
        *,
        ranking: Ranking,
        scored: ScoredTables,
        texts: Sequence[QuestionText],
        prior_weights: Mapping[Feature, float],
        postings: Postings | None,
        first_column: Array,
        walk: CompiledPotentialWalk | None,
        planner: WalkPlanner,
    ) -> None:
        super().__init__(ranking)
        self._scored, self._texts, self._prior_weights, self._postings = scored, texts, prior_weights, postings
        self._first_column, self._walk, self._planner = first_column, walk, planner

    def explain(self, question: int, count: int) -> list[TableExplanation]:
        ranked = self.first(question, count)
        if not ranked:
            return []
        table = np.array([number for number, _ in ranked])
        scored = self._scored
        similarity = scored.features[Feature.SIMILARITY][question, table].tolist()
        seed, deposit = scored.seed[question].tolist(), scored.seed_deposit[question]
        strong = {number for number, is_strong in zip(seed, deposit >= deposit.mean(), strict=True) if is_strong}
        features = {feature.name.lower(): scored.features[feature][question, table].tolist() for feature in EXPLAINED}
        contributions = self._contributions(question, table)
        words, phrases = self._words(question, table), self._phrases(question, table)
        columns, paths = self._columns(question, table), self._paths(question, table)
        return [
            TableExplanation(
                table=number,
                score=score,
                column=columns[place],
                similarity=similarity[place],
                features={name: values[place] for name, values in features.items()},
                contributions={name: values[place] for name, values in contributions.items()},
                matched_words=words[place],
                phrase=phrases[place],
                is_anchor=number in seed,
                is_strong_anchor=number in strong,
                path=paths[place],
            )
            for place, (number, score) in enumerate(ranked)
        ]

    def walk(self, question: int) -> WalkSource | None:
        walk, scored = self._walk, self._scored
        if walk is None:
            return None
        parts = (scored.edge_potential, scored.table_potential, scored.seed, scored.seed_deposit)
        # Copies, because the other questions of the batch are not needed any more.
        edge, node, seed, deposit = (torch.from_numpy(part[[question]]) for part in parts)

        def again() -> WalkDeposits:
            return WalkDeposits.of(walk.output(Potentials(edge, node), seed, deposit), 0, seed[0], deposit[0])

        return again

    def features(self, question: int, table: Array) -> dict[str, Array]:
        return {feature.name.lower(): self._scored.features[feature][question, table] for feature in EXPLAINED}

    def _contributions(self, question: int, table: Array) -> dict[str, list[float]]:
        """The terms of the prior for some tables, above their medians over all tables."""
        terms: dict[str, Array | float] = defaultdict(float)
        for feature, weight in self._prior_weights.items():
            terms[feature.value.term] += np.float32(weight) * self._scored.features[feature][question]
        contributions = {}
        for name, term in terms.items():
            term = np.asarray(term)
            middle = (len(term) - 1) // 2  # As torch does, the lower one of two.
            contributions[name] = (term[table] - np.partition(term, middle)[middle]).tolist()
        return contributions

    def _columns(self, question: int, table: Array) -> list[int]:
        """The most similar column of some tables."""
        similarity = self._scored.column_similarity[question]
        first, last = self._first_column[table].tolist(), self._first_column[table + 1].tolist()
        return [begin + int(similarity[begin:end].argmax()) for begin, end in zip(first, last, strict=True)]

    def _words(self, question: int, table: Array) -> list[tuple[str, ...]]:
        """The question's words that some tables hold."""
        text = self._texts[question]
        rows = sum(size for _, size in text.spellings)
        if self._postings is None or not rows:
            return [()] * len(table)
        from joingr_pyg.kernels.postings import add_entries

        entries = np.zeros((rows, len(table)))
        add_entries(text.row[:rows], self._postings.matrix, table, entries)
        end = np.cumsum([size for _, size in text.spellings])
        scores = [
            (spelling, entries[last - size : last].sum(axis=0).tolist())
            for (spelling, size), last in zip(text.spellings, end.tolist(), strict=True)
            if size
        ]
        return [matched_words({spelling: score[place] for spelling, score in scores}) for place in range(len(table))]

    def _phrases(self, question: int, table: Array) -> list[str]:
        """The phrase that points at each of some tables most surely."""
        text = self._texts[question]
        if not text.phrases:
            return [""] * len(table)
        from joingr_pyg.kernels.phrases import best_phrases

        phrase = np.zeros(len(table), np.int64)
        factors = np.float32(SHARPNESS), np.float32(CONTEXT_WEIGHT)
        best_phrases(self._scored.context[question], text.similarity, *factors, table, phrase)
        return [text.phrases[number] for number in phrase.tolist()]

    def _paths(self, question: int, table: Array) -> list[tuple[JoinStep, ...]]:
        """The joins along which the deposits of some tables came, if most of them came from other anchors."""
        if self._walk is None:
            return [()] * len(table)
        scored, planner = self._scored, self._planner
        potentials = scored.edge_potential[question], scored.table_potential[question]
        paths = self._walk.paths(*potentials, scored.seed[question], scored.seed_deposit[question], table)

        def path(place: int) -> tuple[JoinStep, ...]:
            if paths.from_others[place] <= 0.5:
                return ()
            steps = zip(paths.step_edge[place].tolist(), paths.step_deposit[place].tolist(), strict=True)
            return tuple(
                JoinStep(int(planner.tail[edge]), int(planner.head[edge]), int(planner.edge[edge]), deposit)
                for edge, deposit in islice(steps, int(paths.length[place]))
            )

        return [path(place) for place in range(len(table))]
