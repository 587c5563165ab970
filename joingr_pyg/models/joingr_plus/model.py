"""The model: evidence, prior, seeds, walk, fusion, reranking."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import torch
from torch import Tensor, nn

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import (
    JoinGRError,
    MissingPackageError,
    require_at_least,
    require_finite,
    require_flags,
    require_fraction,
)
from joingr_pyg.kernels import kernels_available
from joingr_pyg.models.backend import Backend
from joingr_pyg.models.calibration import Calibration
from joingr_pyg.models.joingr_plus.candidate_graph import CandidateGraph
from joingr_pyg.models.joingr_plus.compiled import CompiledBackend, LinearPotentials
from joingr_pyg.models.joingr_plus.evidence import TableEvidence
from joingr_pyg.models.joingr_plus.features import (
    COMPUTED,
    CONTEXT,
    COSINE_SCALE,
    EPSILON,
    EXPLAINED,
    IN_EVIDENCE,
    WALK_INPUTS,
    Feature,
)
from joingr_pyg.models.joingr_plus.prior import TablePrior
from joingr_pyg.models.joingr_plus.question_texts import QuestionTexts
from joingr_pyg.models.joingr_plus.reranker import CandidateReranker
from joingr_pyg.models.joingr_plus.word_matches import SharedWords, WordMatches
from joingr_pyg.models.memory import QuestionMemory
from joingr_pyg.models.phrase_matches import phrase_choices, phrase_matches
from joingr_pyg.models.retriever import Ranking, rank_dense
from joingr_pyg.models.rounds import First, Rounds
from joingr_pyg.models.trainable import TrainableRetriever
from joingr_pyg.nn import InteractionScorer, JoinWalk, Potentials, WalkOutput
from joingr_pyg.schema import TableName
from joingr_pyg.text.phrases import phrases


class TableTensors(NamedTuple):
    """What the walk and the reranker read of a corpus, all on one device.

    Attributes:
        edge_attr: ``[J, d]`` embeddings of joins.
        table_x: ``[T, d]`` embeddings of tables.
        log_degree: ``[T]`` logarithm of the number of joins of a table.
        graph: Which tables are joined, and which share a database.
    """

    edge_attr: Tensor
    table_x: Tensor
    log_degree: Tensor
    graph: CandidateGraph

    @classmethod
    def of(cls, corpus: Corpus) -> "TableTensors":
        """Those of a corpus."""
        joins = corpus.edge_index[:, corpus.edge_index[0] != corpus.edge_index[1]]
        degree = torch.bincount(joins.flatten(), minlength=corpus.num_tables)
        return cls(corpus.edge_attr, corpus.table_x, degree.clamp(min=1).float().log(), CandidateGraph.of(corpus))

    def to(self, device: torch.device) -> "TableTensors":
        """The same on ``device``."""
        edge_attr, table_x, log_degree, graph = self
        return TableTensors(edge_attr.to(device), table_x.to(device), log_degree.to(device), graph.to(device))


class SharedTables(NamedTuple):
    """What a part of a corpus has to know of all of it.

    Attributes:
        words: For word matches, if the model uses words.
        remembered: The tables that remembered questions needed.
    """

    words: SharedWords | None
    remembered: frozenset[TableName]

    @classmethod
    def sum(cls, parts: Sequence["SharedTables"]) -> "SharedTables":
        """That of several parts together."""
        words = [part.words for part in parts if part.words is not None]
        remembered = frozenset[TableName]().union(*(part.remembered for part in parts))
        return cls(SharedWords.sum(words) if words else None, remembered)


@dataclass(frozen=True, eq=False)
class ScoredWalk(WalkOutput):
    """The deposits of the walks, and all that the scores are made of.

    Attributes:
        features: ``[B, T]`` values of the features, the prior, the walk's and the fused score among them.
        scores: ``[B, T]`` scores after reranking.
    """

    features: dict[Feature, Tensor]
    scores: Tensor


class JoinGRPlus(TrainableRetriever):
    r"""Anchor, walk, aggregate as in the paper, with more features at each step. :meth:`forward` is the whole model.

    1. Evidence: the features of :class:`~joingr_pyg.models.joingr_plus.Feature` that do not depend on what is learned,
       from vectors of columns and tables, word matches and single phrases.
    2. Prior: :class:`~joingr_pyg.models.joingr_plus.TablePrior` :math:`b(t|q)`, a weighted sum of features, among them
       the votes of remembered questions (:class:`~joingr_pyg.models.memory.QuestionMemory`).
    3. Seeds: the ``A`` tables with the best prior are the anchors; their deposits sum to one,
       :math:`\operatorname{softmax}(\kappa\, b)`.
    4. Walk: :class:`~joingr_pyg.nn.JoinWalk`, its edges scored by :class:`~joingr_pyg.nn.InteractionScorer` from
       :math:`q \cdot e` of the edge, and features and log degree of the table it leads to.
    5. Fusion: :math:`f(t|q) = \log(\hat s(t|q) + \epsilon) + \beta\, b(t|q)`. The sum of logarithms ranks a table high
       only if both the walk and the prior do.
    6. Reranking: :class:`~joingr_pyg.models.joingr_plus.CandidateReranker` over the tables with the best :math:`f`.

    Args:
        channels: Size ``d`` of the embeddings; ``None`` makes the untrained variant, whose walk has uniform shares and
            which does not rerank.
        anchors: Number of anchors ``A``, at least 1.
        hops: Number of hops ``H``, at least 1.
        rank: Rank of the interactions of question and edge; 0 leaves them out.
        decay: Initial hop decay.
        table_vector: Initial weight of the table's own vector; ``None`` leaves it out.
        lexical: Initial weight of word matches; ``None`` leaves them out.
        abbreviations: Whether words also match what they may be abbreviated to.
        memory: Initial weight of votes; ``None`` leaves them out.
        phrases: Initial weight of single phrases; ``None`` leaves them out.
        sharpness: Initial :math:`\kappa`.
        prior_weight: Initial :math:`\beta`.
        walk: Whether the walk counts; without it tables are ranked by their prior.
        candidates: Number of tables that are reranked, at least 1; ``None`` leaves reranking out.
        messages: Whether candidates exchange messages over joins and within databases when they are reranked.
        hub_damping: The exponent :math:`\gamma` by which shares of tables with many joins are damped
            (:class:`~joingr_pyg.nn.JoinWalk`); 0 leaves it out.

    Attributes:
        planner: Planner of walks over the tables that the model is bound to.
        words: Their word matches, if the model uses words.
        tables: Their tensors for the walk and the reranker.

    Raises:
        JoinGRError: If an argument is out of its range.
    """

    kind = "joingr_plus"
    remembers: ClassVar[bool] = True
    steps: ClassVar[tuple[str, ...]] = (*TrainableRetriever.steps, "walk_from")

    def __init__(
        self,
        channels: int | None,
        anchors: int = 10,
        hops: int = 5,
        rank: int = 2,
        decay: float = 0.5,
        table_vector: float | None = 0.3,
        lexical: float | None = 0.3,
        abbreviations: bool = True,
        memory: float | None = 0.5,
        phrases: float | None = 0.2,
        sharpness: float = 12.0,
        prior_weight: float = 3.0,
        walk: bool = True,
        candidates: int | None = 25,
        messages: bool = True,
        hub_damping: float = 0.0,
    ) -> None:
        super().__init__()
        self.arguments: dict[str, Any] = {
            "channels": channels,
            "anchors": anchors,
            "hops": hops,
            "rank": rank,
            "decay": decay,
            "table_vector": table_vector,
            "lexical": lexical,
            "abbreviations": abbreviations,
            "memory": memory,
            "phrases": phrases,
            "sharpness": sharpness,
            "prior_weight": prior_weight,
            "walk": walk,
            "candidates": candidates,
            "messages": messages,
            "hub_damping": hub_damping,
        }
        require_flags(abbreviations=abbreviations, walk=walk, messages=messages)
        require_at_least(1, anchors=anchors, hops=hops, candidates=candidates)
        require_at_least(0, rank=rank)
        require_fraction(decay=decay, table_vector=table_vector)
        require_finite(hub_damping=hub_damping)
        if sharpness <= 0:
            raise JoinGRError(f"'sharpness' needs to be above 0 (got {sharpness}).")
        self.anchors = anchors
        self.walks = walk
        self.abbreviations = abbreviations
        self.prior = TablePrior(table_vector, lexical=lexical, memory=memory, phrases=phrases)
        self.memory = QuestionMemory().requires_grad_(memory is not None)
        self.scorer = (
            InteractionScorer(channels, channels, channels, 1, len(WALK_INPUTS) + 1, rank) if channels else None
        )
        self.walk = JoinWalk(None, hops, decay, learn_decays=True, hub_damping=hub_damping)
        self.log_sharpness = nn.Parameter(torch.tensor(sharpness).log())
        self.prior_weight = nn.Parameter(torch.tensor(prior_weight))
        self.reranker = CandidateReranker(candidates, passes_messages=messages) if channels and candidates else None
        self._compiled: CompiledBackend | None = None
        self.register_load_state_dict_post_hook(JoinGRPlus._drop_compiled)

    # From questions to scores.

    def evidence(self, queries: Queries) -> TableEvidence:
        query = queries.vector
        similarity, column = self.corpus.similarity(query)
        features = dict.fromkeys(IN_EVIDENCE, torch.zeros_like(similarity))
        features[Feature.SIMILARITY] = similarity
        features[Feature.TABLE_SIMILARITY] = query @ self.corpus.table_x.t()
        if self.words is not None:
            matches = self.words.features(queries.require_text(self.kind))
            features |= {feature: value.to(query) for feature, value in matches.items()}
        if self.prior.uses(Feature.PHRASE):
            matched = phrase_matches(queries, self.corpus, _context(features), self.kind)
            features[Feature.PHRASE], features[Feature.PHRASE_WITHIN], features[Feature.PHRASE_SHARE] = matched
        features |= {feature: compute(queries, self.corpus).to(query) for feature, compute in COMPUTED.items()}
        asked = query if queries.asked is None else queries.asked
        remembered = self.memory.similarity(asked) if self.prior.uses(Feature.VOTES) else query.new_zeros(len(query), 0)
        return TableEvidence(features, column, remembered)

    def forward(self, query: Tensor, evidence: TableEvidence) -> ScoredWalk:
        """Score the tables for questions ``[B, d]``.

        Returns:
            The deposits of the walks, the features and the scores.
        """
        features = self._with_prior(evidence)
        prior = features[Feature.PRIOR]
        seed, seed_deposit = self._seeds(prior)
        output = self.walk_from(seed, seed_deposit, self._potentials(query, features))
        deposits = output.node_scores() if self.walks else torch.zeros_like(prior)
        features[Feature.WALK] = (deposits + EPSILON).log()
        features[Feature.SCORE] = scores = features[Feature.WALK] + self.prior_weight * prior
        if self.reranker is not None:
            scores = self.reranker(features, self._tables_on(query.device).graph)
        return ScoredWalk(output.deposit, output.plan, features, scores)

    def _with_prior(self, evidence: TableEvidence) -> dict[Feature, Tensor]:
        """The features of the evidence, with the votes of remembered questions and the prior."""
        features = {**evidence.features, Feature.VOTES: self.memory(evidence.remembered)}
        features[Feature.PRIOR] = self.prior(features)
        return features

    def _seeds(self, prior: Tensor) -> tuple[Tensor, Tensor]:
        """The anchors ``[B, A]`` and their deposits ``[B, A]``."""
        # Not topk, which takes any of tables that are equal.
        best, table = (part[:, : self.anchors] for part in prior.sort(dim=1, descending=True, stable=True))
        return table, (self.log_sharpness.exp() * best).softmax(dim=1)

    def walk_from(self, seed: Tensor, deposit: Tensor, potentials: Potentials) -> WalkOutput:
        """Walk from tables ``[B, A]`` with deposits ``[B, A]``, along edges scored by potentials."""
        question = torch.arange(len(seed)).repeat_interleave(seed.size(1))
        plan = self.planner(seed.flatten(), question, len(seed)).to(deposit.device)
        return WalkOutput(self.walk.propagate(plan, deposit.flatten(), potentials.along(plan)), plan)

    def _potentials(self, query: Tensor, features: dict[Feature, Tensor]) -> Potentials:
        """The scores of edges for questions ``[B, d]``."""
        edge_attr, table_x, log_degree, _ = self._tables_on(query.device)
        prior = features[Feature.PRIOR]
        if self.scorer is None:
            return Potentials(query.new_zeros(len(query), len(edge_attr)), torch.zeros_like(prior))
        edges = COSINE_SCALE * (query @ edge_attr.t())
        inputs = [scale * features[feature] for feature, scale in WALK_INPUTS.items()]
        tables = torch.stack([*inputs, log_degree.expand_as(prior)], dim=2)
        return self.scorer(query, edge_attr, table_x, edges.unsqueeze(2), tables)

    def _linear_potentials(self) -> LinearPotentials:
        """The same scores, as functions of the question that are linear, for compiled code."""
        edge_attr, table_x, log_degree, _ = self.tables
        if self.scorer is None:
            empty = table_x.new_zeros(len(table_x), 0)
            return LinearPotentials(torch.zeros_like(edge_attr), table_x[:0], empty, {}, empty.sum(dim=1))
        common, edge, table = self.scorer.factors(edge_attr, table_x)
        *weights, degree_weight = self.scorer.node_weight.tolist()
        scaled = {
            feature: weight * scale for weight, (feature, scale) in zip(weights, WALK_INPUTS.items(), strict=True)
        }
        edge = edge @ common + COSINE_SCALE * self.scorer.edge_weight * edge_attr
        return LinearPotentials(edge, common, table, scaled, degree_weight * log_degree)

    def scores(self, output: WalkOutput, evidence: TableEvidence) -> Tensor:
        if not isinstance(output, ScoredWalk):
            raise TypeError("JoinGR+ scores tables in 'forward': give what it returned")
        return output.scores

    def ranking(self, scores: Tensor, evidence: TableEvidence, k: int) -> Ranking:
        return rank_dense(scores, k)

    def fast_backend(self, device: torch.device) -> Backend:
        """Compiled code for questions on the CPU, where numba is installed.

        It counts all votes. While the memory is in training mode, where a remembered question does not vote for itself,
        tensors are used.
        """
        if device.type != "cpu" or not kernels_available() or self.memory.training:
            return super().fast_backend(device)
        return self._compiled_backend()

    def rounds(self, queries: Queries, k: int, first: First) -> Rounds[Ranking]:
        if not kernels_available():
            raise MissingPackageError("Ranking a corpus in parts by JoinGR+", "numba", "ray")
        return self._compiled_backend().rounds(queries, k, first)

    def shared(self) -> "SharedTables":
        remembered = {table for tables in self.memory.gold for table in tables}
        own = remembered.intersection(self.corpus.table_number)
        return SharedTables(None if self.words is None else self.words.own, frozenset(own))

    def share(self, whole: "SharedTables") -> None:
        if self.words is not None and whole.words is not None:
            self.words.share(whole.words)
            self._read_texts()
        self.memory.bind(self.corpus.table_number, whole.remembered)
        self._drop_compiled()

    @torch.no_grad()
    def _compiled_backend(self) -> CompiledBackend:
        if self._compiled is None or self._compiled.neighbors is not self.memory.neighbors:
            self._compiled = CompiledBackend(
                corpus=self.corpus,
                texts=self._texts,
                prior=self.prior,
                memory=self.memory,
                num_anchors=self.anchors,
                sharpness=self.log_sharpness.exp(),
                potentials=self._linear_potentials(),
                walk=self.walk if self.walks else None,
                planner=self.planner,
                prior_weight=self.prior_weight,
                reranker=self.reranker,
                graph=self.tables.graph,
            )
        return self._compiled

    # Explanations.

    def seeds(self, evidence: TableEvidence) -> tuple[Tensor, Tensor]:
        return self._seeds(self._with_prior(evidence)[Feature.PRIOR])

    def named_features(self, output: ScoredWalk, evidence: TableEvidence) -> dict[str, Tensor]:
        return {feature.name.lower(): output.features[feature] for feature in EXPLAINED}

    def prior_terms(self, evidence: TableEvidence) -> dict[str, Tensor]:
        return self.prior.terms(self._with_prior(evidence))

    def word_scores(self, question: str) -> dict[str, Tensor]:
        return {} if self.words is None else self.words.word_scores(question)

    def phrase_scores(self, queries: Queries, evidence: TableEvidence) -> dict[str, Tensor]:
        if not self.prior.uses(Feature.PHRASE):
            return {}
        return phrase_choices(queries, self.corpus, _context(evidence.features), self.kind)[0]

    # The corpus, and what is kept of it.

    def index(self, corpus: Corpus) -> Self:
        super().index(corpus)
        self.planner = self.walk.planner(corpus.edge_index, corpus.num_tables, corpus.edge_weight)
        self.words = None
        if self.prior.uses(Feature.WORDS):
            self.words = WordMatches(corpus, self.abbreviations, coverage=self.reranker is not None)
        self._read_texts()
        self.tables = self._moved_tables = TableTensors.of(corpus)
        self.memory.bind(corpus.table_number)
        self._drop_compiled()
        return self

    def _read_texts(self) -> None:
        self._texts = QuestionTexts(self.corpus, self.words, self.prior.uses(Feature.PHRASE), self.kind)

    def bound_to(self, corpus: Corpus) -> Self:
        other = super().bound_to(corpus)
        # Tables have other numbers there, and so do the votes of remembered questions.
        other.memory = copy(self.memory)
        self.memory.bind(self.corpus.table_number)
        return other

    def remember(self, queries: Queries, gold: Sequence[Sequence[TableName]]) -> Self:
        self.memory.clear()
        self.memory.add(queries.vector, gold)
        return self

    def question_texts(self, question: str) -> list[str]:
        return [question, *(phrases(question) if self.prior.uses(Feature.PHRASE) else [])]

    def train(self, mode: bool = True) -> Self:
        self._drop_compiled()
        return super().train(mode)

    def _drop_compiled(self, *_: object) -> None:
        """Drop the compiled model, because weights may change."""
        self._compiled = None

    def _tables_on(self, device: torch.device) -> TableTensors:
        """:attr:`tables` on the device of the questions."""
        if self._moved_tables.table_x.device != device:
            self._moved_tables = self.tables.to(device)
        return self._moved_tables


def _context(features: Mapping[Feature, Tensor]) -> Tensor:
    """``[B, T]`` scores of whole questions, the context of their phrases."""
    return sum((weight * features[feature] for feature, weight in CONTEXT.items()), start=torch.zeros(()))


UNTRAINED = Calibration(
    sharpness=0.882, bias=1.640, place=-0.750, belief=0.936, database=1.239, length=0.592, place_by_length=0.391
)
"""Of the untrained model, fitted on BIRD train by ``joingr calibrate``, with names spelt out as users' are.

Each question is ranked among the tables of its fold of databases, where remembered questions have no vote, and among
those of its own database; then together with another question of its database as one, and with two others where all
names are abbreviated at random. docs/joingr_plus.md has the commands, and figures on databases that the fit had not
seen.
"""


def untrained(**options: Any) -> JoinGRPlus:
    """JoinGR+ before training: uniform shares and initial weights; calibrated if no option is changed."""
    model = JoinGRPlus(None, **options).requires_grad_(False)
    if model.arguments == JoinGRPlus(None).arguments:
        model.calibration = UNTRAINED
    return model
