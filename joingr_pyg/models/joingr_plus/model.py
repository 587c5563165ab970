"""The model: prior, soft anchors, walk, fusion, second look."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import Any, ClassVar, NamedTuple, Self

import torch
from torch import Tensor, nn

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError, require_at_least, require_flags, require_fraction
from joingr_pyg.kernels import kernels_available
from joingr_pyg.models.backend import Backend
from joingr_pyg.models.calibration import Calibration
from joingr_pyg.models.evidence import Part
from joingr_pyg.models.joingr_plus.candidate_graph import CandidateGraph
from joingr_pyg.models.joingr_plus.constants import FLOOR, K1, LEXICAL_SCALE, NODE_EVIDENCE, STEP, WHOLE, B
from joingr_pyg.models.joingr_plus.fused import FusedJoinGRPlus
from joingr_pyg.models.joingr_plus.prior import TableEvidence, TablePrior
from joingr_pyg.models.joingr_plus.reading import Reader
from joingr_pyg.models.joingr_plus.reranker import CandidateReranker
from joingr_pyg.models.joingr_plus.signals import Signal
from joingr_pyg.models.memory import QuestionMemory
from joingr_pyg.models.phrase_matches import phrase_choices, phrase_matches
from joingr_pyg.models.retriever import Ranking, rank_dense
from joingr_pyg.models.trainable import TrainableRetriever
from joingr_pyg.nn import InteractionScorer, JoinWalk, Potentials, WalkOutput
from joingr_pyg.schema import TableName
from joingr_pyg.schema.descriptors import DOCUMENT_NAME_WEIGHT
from joingr_pyg.schema.names.readable import readable_name
from joingr_pyg.text.abbreviation_matching import Abbreviations, asked_words, with_names_spelt_out
from joingr_pyg.text.bm25 import LexicalIndex
from joingr_pyg.text.coverage import Coverage
from joingr_pyg.text.phrases import phrases


class TableTensors(NamedTuple):
    """What walks and second looks take of a corpus, all on one device.

    Attributes:
        edge_attr: ``[J, d]`` embeddings of joins.
        table_x: ``[T, d]`` embeddings of tables.
        log_degree: ``[T]`` logarithm of how many joins a table has.
        graph: Which tables are joined, and which share a database.
    """

    edge_attr: Tensor
    table_x: Tensor
    log_degree: Tensor
    graph: CandidateGraph

    def to(self, device: torch.device) -> "TableTensors":
        """The same on ``device``."""
        edge_attr, table_x, log_degree, graph = self
        return TableTensors(edge_attr.to(device), table_x.to(device), log_degree.to(device), graph.to(device))


class LinearPotentials(NamedTuple):
    """What gives the joins and tables of a corpus their potentials.

    Attributes:
        edge: ``[J, d]`` whose products with a question are the potentials of joins.
        common: ``[rank, d]`` whose products with it, multiplied by ...
        table: ... ``[T, rank]``, are a part of those of tables, ...
        weight: ... as are signals with these weights, ...
        constant: ... and ``[T]`` what a table always has.
    """

    edge: Tensor
    common: Tensor
    table: Tensor
    weight: dict[Signal, float]
    constant: Tensor


class JoinGRPlus(TrainableRetriever):
    r"""Anchor, walk, aggregate as in the paper, with more to go by at each step.

    - Prior: :class:`~joingr_pyg.models.joingr_plus.TablePrior` :math:`b(t|q)`, from vectors of columns and tables, word
      matches, single phrases and the votes of remembered questions.
    - Anchors: the ``A`` tables with the best prior, with deposits that share one unit,
      :math:`\operatorname{softmax}(\kappa\, b)`.
    - Walk: of :class:`~joingr_pyg.nn.JoinWalk`, with scores of :class:`~joingr_pyg.nn.InteractionScorer`, whose
      evidence is :math:`q \cdot e` of an edge, and similarity, word matches, votes and log degree of its far end.
    - Fusion: :math:`\log(\hat s(t|q) + \epsilon) + \beta\, b(t|q)`: a table needs both, a place in the walk and
      something that speaks for it.
    - Second look: :class:`~joingr_pyg.models.joingr_plus.CandidateReranker` over the tables that lead.

    Args:
        channels: Size ``d`` of the embeddings; ``None`` makes the untrained variant, whose shares are uniform and which
            looks once.
        anchors: Number of anchors ``A``, at least 1.
        hops: Number of hops ``H``, at least 1.
        rank: Rank of the interactions of question and edge; 0 leaves them out.
        decay: Initial hop decay.
        table_vector: Initial weight of the table's own vector; ``None`` leaves it out.
        lexical: Initial weight of word matches; ``None`` leaves them out.
        abbreviations: Whether words also match what they are abbreviated to.
        memory: Initial weight of votes; ``None`` leaves them out.
        phrases: Initial weight of single phrases; ``None`` leaves them out.
        sharpness: Initial :math:`\kappa`.
        prior_weight: Initial :math:`\beta`.
        walk: Whether the walk counts; without it tables are ranked by their prior.
        candidates: Number of tables that are looked at twice, at least 1; ``None`` leaves that out.
        messages: Whether these tell each other of themselves over joins and within databases.

    Attributes:
        planner: Planner of walks over the tables that the model is bound to.
        words: Their word matches, if these count.
        coverage: Shares of words in common, if these count.
        tables: What else walks and second looks take of them.

    Raises:
        JoinGRError: If an argument is out of its range.
    """

    kind = "joingr_plus"
    remembers: ClassVar[bool] = True

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
        }
        require_flags(abbreviations=abbreviations, walk=walk, messages=messages)
        require_at_least(1, anchors=anchors, hops=hops, candidates=candidates)
        require_at_least(0, rank=rank)
        require_fraction(decay=decay, table_vector=table_vector)
        if sharpness <= 0:
            raise JoinGRError(f"'sharpness' needs to be above 0 (got {sharpness}).")
        self.anchors = anchors
        self.walks = walk
        self.prior = TablePrior(table_vector, lexical, memory, phrases)
        self.memory = QuestionMemory().requires_grad_(memory is not None)
        self.scorer = (
            InteractionScorer(channels, channels, channels, 1, len(NODE_EVIDENCE) + 1, rank) if channels else None
        )
        self.walk = JoinWalk(None, hops, decay, learn_decays=True)
        self.log_sharpness = nn.Parameter(torch.tensor(sharpness).log())
        self.prior_weight = nn.Parameter(torch.tensor(prior_weight))
        self.reranker = CandidateReranker(candidates, passes_messages=messages) if channels and candidates else None
        self._reader: Reader | None = None
        self._compiled: FusedJoinGRPlus | None = None
        self.register_load_state_dict_post_hook(JoinGRPlus._forget)

    def index(self, corpus: Corpus) -> Self:
        super().index(corpus)
        self.planner = self.walk.planner(corpus.edge_index, corpus.num_tables, corpus.edge_weight)
        documents: Sequence[str] = corpus.documents
        self.abbreviations = None
        if self.prior.lexical is not None and self.arguments["abbreviations"]:
            self.abbreviations = Abbreviations(documents)
            documents = with_names_spelt_out(documents, corpus.titles, DOCUMENT_NAME_WEIGHT)
        self.words = None if self.prior.lexical is None else LexicalIndex(documents, K1, B)
        self.coverage = None
        if self.words is not None and self.reranker is not None:
            databases = [readable_name(database) for database, _ in corpus.tables]
            self.coverage = Coverage(documents, corpus.titles, databases)
        between = corpus.edge_index[:, corpus.edge_index[0] != corpus.edge_index[1]]
        degree = torch.bincount(between.flatten(), minlength=corpus.num_tables)
        log_degree = degree.clamp(min=1).float().log()
        self.tables = TableTensors(corpus.edge_attr, corpus.table_x, log_degree, CandidateGraph.of(corpus))
        self._moved = self.tables
        self.memory.bind(corpus.table_number)
        self._reader = None
        self._forget()
        return self

    def bound_to(self, corpus: Corpus) -> Self:
        other = super().bound_to(corpus)
        # Tables have other names there, and so have those that remembered questions needed.
        other.memory = copy(self.memory)
        self.memory.bind(self.corpus.table_number)
        return other

    def train(self, mode: bool = True) -> Self:
        self._forget()
        return super().train(mode)

    def _forget(self, *_: object) -> None:
        """Drop what was derived from weights that may change."""
        self._compiled = None

    def remember(self, queries: Queries, gold: Sequence[Sequence[TableName]]) -> Self:
        self.memory.clear()
        self.memory.add(queries.vector, gold)
        return self

    def question_texts(self, question: str) -> list[str]:
        return [question, *(phrases(question) if self.prior.phrases is not None else [])]

    def evidence(self, queries: Queries) -> TableEvidence:
        query = queries.vector
        similarity, column = self.corpus.similarity(query)
        likeness = query.new_zeros(len(query), 0) if self.prior.memory is None else self.memory.likeness(query)
        nothing = torch.zeros_like(similarity)
        lexical = named = covered = nothing
        if self.words is not None:
            asked = [self.asked(text) for text in queries.require_text(self.kind)]
            lexical = LEXICAL_SCALE * self.words.scores(asked).to(query)
            if self.coverage is not None:
                named, covered = (share.to(query) for share in self.coverage(asked))
        tables = query @ self.corpus.table_x.t()
        evidence = TableEvidence(
            similarity, column, tables, lexical, likeness, nothing, nothing, nothing, named, covered
        )
        if self.prior.phrases is None:
            return evidence
        found = phrase_matches(queries, self.corpus, self._whole(evidence), self.kind)
        return replace(evidence, phrase=found.sure, phrase_within=found.within, phrase_share=found.share)

    def asked(self, question: str) -> list[str]:
        """What words of tables a question is matched with: its own, and what these are abbreviated to."""
        return list(chain.from_iterable(asked_words(question, self.abbreviations).values()))

    def _whole(self, evidence: TableEvidence) -> Tensor:
        """``[B, T]`` what a question says as a whole."""
        signals = evidence.signals(evidence.similarity)  # There is no vote in it.
        return reduce(torch.add, (weight * signals[signal] for signal, weight in WHOLE.items()))

    def parts(self, evidence: TableEvidence) -> dict[Part, Tensor]:
        return self.prior.parts(evidence, self.memory(evidence.likeness))

    def word_scores(self, question: str) -> dict[str, Tensor]:
        if self.words is None:
            return {}
        asked = asked_words(question, self.abbreviations)
        return dict(zip(asked, self.words.scores(list(asked.values())), strict=True))

    def phrase_scores(self, queries: Queries, evidence: TableEvidence) -> dict[str, Tensor]:
        """What each phrase of a single question chooses, ``[T]``, by the phrase."""
        if self.prior.phrases is None:
            return {}
        return phrase_choices(queries, self.corpus, self._whole(evidence), self.kind)[0]

    def seeds(self, evidence: TableEvidence) -> tuple[Tensor, Tensor]:
        prior = self.prior(evidence, self.memory(evidence.likeness))
        best, table = prior.topk(min(self.anchors, prior.size(1)), dim=1)
        return table, (self.log_sharpness.exp() * best).softmax(dim=1)

    def forward(self, query: Tensor, evidence: TableEvidence) -> WalkOutput:
        seed, deposit = self.seeds(evidence)
        question = torch.arange(len(query)).repeat_interleave(seed.size(1))
        plan = self.planner(seed.flatten(), question, len(query)).to(query.device)
        potentials = self._potentials(query, evidence, self.memory(evidence.likeness))
        return WalkOutput(self.walk.propagate(plan, deposit.flatten(), potentials.along(plan)), plan)

    def _on(self, device: torch.device) -> TableTensors:
        """:attr:`tables` where the questions are."""
        if self._moved.table_x.device != device:
            self._moved = self.tables.to(device)
        return self._moved

    def _potentials(self, query: Tensor, evidence: TableEvidence, votes: Tensor) -> Potentials:
        edge_attr, table_x, log_degree, _ = self._on(query.device)
        if self.scorer is None:
            return Potentials(query.new_zeros(len(query), len(edge_attr)), torch.zeros_like(votes))
        edges = STEP * (query @ edge_attr.t())
        signals = evidence.signals(votes)
        known = [scale * signals[signal] for signal, scale in NODE_EVIDENCE.items()]
        tables = torch.stack([*known, log_degree.expand_as(votes)], dim=2)
        return self.scorer(query, edge_attr, table_x, edges.unsqueeze(2), tables)

    def scores(self, output: WalkOutput, evidence: TableEvidence) -> Tensor:
        votes = self.memory(evidence.likeness)
        prior = self.prior(evidence, votes)
        walked = output.node_scores() + FLOOR if self.walks else torch.full_like(prior, FLOOR)
        fused = walked.log() + self.prior_weight * prior
        if self.reranker is None:
            return fused
        return self.reranker(fused, walked, prior, votes, evidence, self._on(fused.device).graph)

    def ranking(self, scores: Tensor, evidence: TableEvidence, k: int) -> Ranking:
        return rank_dense(scores, k)

    def fast_backend(self, device: torch.device) -> Backend:
        """Compiled code for questions on the CPU, where numba is installed."""
        if device.type != "cpu" or not kernels_available():
            return super().fast_backend(device)
        if self._compiled is None or self._compiled.voters is not self.memory.voters:
            self._reader = self._reader or Reader(self)
            self._compiled = FusedJoinGRPlus(self, self._reader)
        return self._compiled

    def linear_potentials(self) -> LinearPotentials:
        """The potentials of a walk in parts that do not depend on the question."""
        edge_attr, table_x, log_degree, _ = self.tables
        if self.scorer is None:
            none = table_x.new_zeros(len(table_x), 0)
            return LinearPotentials(torch.zeros_like(edge_attr), table_x[:0], none, {}, none.sum(dim=1))
        common, edge, table = self.scorer.factors(edge_attr, table_x)
        *weight, degree = self.scorer.node_weight.tolist()
        known = {signal: each * scale for each, (signal, scale) in zip(weight, NODE_EVIDENCE.items(), strict=True)}
        edge = edge @ common + STEP * self.scorer.edge_weight * edge_attr
        return LinearPotentials(edge, common, table, known, degree * log_degree)


UNTRAINED = Calibration(
    sharpness=0.882, bias=1.640, place=-0.750, belief=0.936, database=1.239, length=0.592, place_by_length=0.391
)
"""Of the untrained model, names spelt out as users' are, by ``joingr calibrate`` on BIRD train.

Each question is ranked among the tables of its fold of databases, which nothing remembered has a vote on, and among
those of its own database; then together with another of its database as one question, and with two others where all
names are abbreviated at random. docs/joingr_plus.md has the commands, and what sets are like on databases that a fit
had not seen.
"""


def untrained(**options: Any) -> JoinGRPlus:
    """JoinGR+ before it learns: uniform shares, and weights as they start; calibrated where no option is changed."""
    model = JoinGRPlus(None, **options).requires_grad_(False)
    if model.arguments == JoinGRPlus(None).arguments:
        model.calibration = UNTRAINED
    return model
