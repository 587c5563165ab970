"""The methods that ``walk.py`` compares. Each computes scores of all tables from question embeddings."""

import itertools
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.models import JoinGR, JoinGRPlus
from joingr_pyg.models.joingr import WalkEvidence
from joingr_pyg.models.retriever import Retriever
from joingr_pyg.nn import segment
from joingr_pyg.nn.compiled_walk import CompiledWalk
from joingr_pyg.testing.algorithm2 import literal_scores, literal_walk
from joingr_pyg.training.losses import pairwise_hinge

RANKED = 15
"""Tables in a ranking."""

REMEMBERED = 97
"""Questions that JoinGR+ remembers, the number in four of five folds of BEAVER."""

DENSE_GB = 4
"""Maximum memory of the dense vectorisation."""

Run = Callable[[Tensor], object]
"""The timed function. Its argument is the numbers of a batch of questions."""


@dataclass(frozen=True)
class Workload:
    """Questions on a corpus.

    Attributes:
        name: Name of the dataset.
        corpus: The corpus.
        query: ``[Q, d]`` question embeddings.
        gold: ``[Q, T]`` whether a table is gold.
        text: The questions; empty if they are synthetic.
        phrases: ``[d]`` embedding of each phrase of the questions.
    """

    name: str
    corpus: Corpus
    query: Tensor
    gold: Tensor
    text: tuple[str, ...] = ()
    phrases: Mapping[str, Tensor] = field(default_factory=dict)


class PrecomputedEncoder:
    """An encoder that looks up precomputed embeddings, so that the time of encoding is negligible."""

    identity = "precomputed"

    def __init__(self, vectors: Mapping[str, Tensor]) -> None:
        self._number = {text: row for row, text in enumerate(vectors)}
        self._vectors = torch.stack(list(vectors.values())).numpy()

    def encode_queries(self, texts: Sequence[str]) -> Tensor:
        # NumPy indexing starts no threads.
        return torch.from_numpy(self._vectors[[self._number[text] for text in texts]])


class Setting:
    """A workload with an untrained model: 5 anchors, 5 hops, 64 hidden channels. Anchors and best columns are given."""

    def __init__(self, workload: Workload) -> None:
        torch.manual_seed(0)
        self.workload, self.corpus, self.query, self.gold = workload, workload.corpus, workload.query, workload.gold
        self.model = JoinGR(self.query.size(1), anchors=5, hops=5, hidden_channels=64).index(self.corpus).eval()

    @cached_property
    def evidence(self) -> WalkEvidence:
        """Anchors, deposits and best columns of all questions."""
        return self.model.evidence(Queries(self.query))

    def both(self, scores: Callable[[Tensor], Tensor]) -> dict[str, Run]:
        """Evaluation and training step of a function from questions ``[B]`` to scores ``[B, T]``."""
        optimizer = torch.optim.Adam(self.model.parameters())

        def evaluate(questions: Tensor) -> Tensor:
            if self.model.training:
                self.model.eval()
            with torch.no_grad():
                return scores(questions)

        def train(questions: Tensor) -> None:
            if not self.model.training:
                self.model.train()
            optimizer.zero_grad()
            pairwise_hinge(scores(questions), self.gold[questions], margin=0.1).backward()
            optimizer.step()

        return {"eval": evaluate, "train": train}


def literal(setting: Setting) -> dict[str, Run]:
    """The literal Algorithm 2: one question, anchor and frontier table at a time."""
    corpus, evidence = setting.corpus, setting.evidence

    def one(question: int) -> Tensor:
        deposits = literal_walk(
            setting.model.walk,
            setting.query[question],
            corpus.x[evidence.column[question]],
            corpus.edge_index,
            corpus.edge_attr,
            _anchors(evidence, question),
        )
        return literal_scores(deposits, corpus.edge_index, corpus.num_tables)

    return setting.both(lambda questions: torch.stack([one(question) for question in questions.tolist()]))


def dense(setting: Setting) -> dict[str, Run]:
    """A simple vectorisation: each walk has a deposit for all tables, and scores all joins in each hop."""
    corpus, evidence, walk = setting.corpus, setting.evidence, setting.model.walk
    tail, head = torch.cat([corpus.edge_index, corpus.edge_index.flip(0)], dim=1)
    joined = tail != head
    tail, head = tail[joined], head[joined]
    edge = torch.arange(corpus.edge_index.size(1)).repeat(2)[joined]

    def scores(questions: Tensor) -> Tensor:
        anchor, column = evidence.anchor[questions], evidence.column[questions]
        walks = (anchor.numel(), corpus.num_tables)
        question = torch.arange(len(questions)).repeat_interleave(anchor.size(1))
        _check_memory(walks[0] * len(tail) * walk.scorer.hidden_channels, walk.hops)
        projections = walk.scorer.project(setting.query[questions], corpus.edge_attr, corpus.x)
        rows = projections.query.unsqueeze(1) + projections.edge[edge]
        rows = rows + projections.frontier[column[:, tail]] + projections.neighbor[column[:, head]]
        rows = rows[question].flatten(0, 1)

        present = (anchor >= 0).flatten()
        start = torch.nn.functional.one_hot(anchor.flatten().clamp(min=0), corpus.num_tables).bool()
        frontier = start & present.unsqueeze(1)
        standing = frontier * evidence.deposit[questions].reshape(-1, 1)
        visited = frontier.clone()
        total = torch.zeros(walks)
        for hop, decay in enumerate(walk.decay_logit.sigmoid(), start=1):
            leaving = standing[:, tail]
            score = walk.scorer(rows, leaving.flatten(), hop).view(leaving.shape)
            index = tail.expand(leaving.shape)
            peak = torch.full(walks, -torch.inf).scatter_reduce(1, index, score.detach(), "amax")
            weight = (score - peak.gather(1, index)).exp()
            share = weight / torch.zeros(walks).scatter_add(1, index, weight).gather(1, index)
            laid = leaving * decay * share
            total = total.index_add(1, tail, laid).index_add(1, head, laid)
            moved = torch.zeros(walks).index_add(1, head, laid)
            frontier = (moved > 0) & ~visited
            visited |= frontier
            standing = moved * frontier
        return torch.zeros(len(questions), corpus.num_tables).index_add(0, question, total)

    return setting.both(scores)


def _walk(setting: Setting) -> dict[str, Run]:
    model, query, evidence = setting.model, setting.query, setting.evidence
    return setting.both(lambda questions: model(query[questions], evidence[questions]).node_scores())


def joinwalk(setting: Setting) -> dict[str, Run]:
    """The layer with its layered plans, with operations of torch."""
    segment.torch_scatter = None
    return _walk(setting)


def joinwalk_compiled(setting: Setting) -> dict[str, Run]:
    """The layer with hops compiled by ``torch.compile``."""
    segment.torch_scatter = None
    logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
    setting.model.walk.propagate = torch.compile(setting.model.walk.propagate, dynamic=True)
    return _walk(setting)


def joinwalk_scatter(setting: Setting) -> dict[str, Run]:
    """The layer with the kernels of torch-scatter."""
    return _walk(setting)


def joinwalk_kernel(setting: Setting) -> dict[str, Run]:
    """The walk compiled by numba; evaluation only."""
    model, corpus, evidence = setting.model, setting.corpus, setting.evidence
    planner = model.walk.planner(corpus.edge_index, corpus.num_tables, corpus.edge_weight)
    walk = CompiledWalk(model.walk, planner, corpus.edge_attr, corpus.x)

    def evaluate(questions: Tensor) -> object:
        batch = evidence[questions]
        return walk(setting.query[questions], batch.anchor, batch.deposit, batch.column)

    return {"eval": evaluate}


def igraph_ppr(setting: Setting) -> dict[str, Run]:
    """Personalised PageRank from the anchors, by igraph."""
    import igraph

    corpus, evidence = setting.corpus, setting.evidence
    graph = igraph.Graph(corpus.num_tables, corpus.edge_index.t().tolist())

    def evaluate(questions: Tensor) -> list[list[float]]:
        scores = []
        for question in questions.tolist():
            reset = [0.0] * corpus.num_tables
            for table, deposit in _anchors(evidence, question).items():
                reset[table] = deposit
            scores.append(graph.personalized_pagerank(directed=False, reset=reset))
        return scores

    return {"eval": evaluate}


def networkx_ppr(setting: Setting) -> dict[str, Run]:
    """Personalised PageRank from the anchors, by networkx."""
    import networkx

    corpus, evidence = setting.corpus, setting.evidence
    graph = networkx.MultiGraph(corpus.edge_index.t().tolist())
    graph.add_nodes_from(range(corpus.num_tables))

    def evaluate(questions: Tensor) -> list[dict[int, float]]:
        return [
            networkx.pagerank(graph, personalization=_anchors(evidence, question)) for question in questions.tolist()
        ]

    return {"eval": evaluate}


def retriever(setting: Setting) -> dict[str, Run]:
    """Complete retrieval: anchors, walk and ranking, from question embeddings to the names of the best tables."""
    return _retrieval(setting, setting.model, Queries(setting.query))


def retriever_plus(setting: Setting) -> dict[str, Run]:
    """Complete retrieval with untrained JoinGR+ and remembered questions. Texts are processed once, beforehand."""
    queries = _with_texts(setting)
    model = _plus(setting, queries)
    model.rank(queries, RANKED)
    return _retrieval(setting, model, queries)


def retriever_plus_new(setting: Setting) -> dict[str, Run]:
    """Complete retrieval with JoinGR+ when all texts are new: they are processed and compared with all columns."""
    queries = _with_texts(setting)
    evaluate = _retrieval(setting, _plus(setting, queries), queries)["eval"]
    times = itertools.count()

    def evaluate_new(questions: Tensor) -> object:
        # Processed texts are cached by the identity of the encoder.
        queries.encoder.identity = f"number {next(times)}"
        return evaluate(questions)

    return {"eval": evaluate_new}


def _with_texts(setting: Setting) -> Queries:
    workload = setting.workload
    queries = Queries(setting.query, workload.text, PrecomputedEncoder(workload.phrases) if workload.phrases else None)
    queries.require_text(JoinGRPlus.kind)
    return queries


def _plus(setting: Setting, queries: Queries) -> JoinGRPlus:
    tables = setting.corpus.tables
    gold = [[tables[table] for table in row.nonzero().flatten().tolist()] for row in setting.gold[:REMEMBERED]]
    model = JoinGRPlus(setting.query.size(1)).index(setting.corpus).eval()
    return model.remember(queries[:REMEMBERED], gold)


def _retrieval(setting: Setting, model: Retriever, queries: Queries) -> dict[str, Run]:
    tables = setting.corpus.tables

    def evaluate(questions: Tensor) -> list[list[object]]:
        ranking = model.rank(queries[questions], RANKED)
        return [[tables[table] for table in row if table >= 0] for row in ranking.table.tolist()]

    return {"eval": evaluate}


def _check_memory(numbers: int, hops: int) -> None:
    """Check the memory of hidden layers: about five per hop, which training keeps for all hops."""
    needed = 4 * numbers * 5 * (hops if torch.is_grad_enabled() else 1) / 1e9
    if needed > DENSE_GB:
        raise MemoryError(f"it would need about {needed:.0f} GB, of which {DENSE_GB} are allowed")


def _anchors(evidence: WalkEvidence, question: int) -> dict[int, float]:
    # PageRank needs positive deposits.
    pairs = zip(evidence.anchor[question].tolist(), evidence.deposit[question].tolist(), strict=True)
    return {table: max(deposit, 1e-9) for table, deposit in pairs if table >= 0}


class Method(NamedTuple):
    """A method of the comparison.

    Attributes:
        prepare: Makes the timed function of each mode.
        needs: A module that it needs besides those of a default installation.
        one_by_one: Whether it processes questions one at a time, so that its speed does not depend on the batch size.
    """

    prepare: Callable[[Setting], dict[str, Run]]
    needs: str = "torch"
    one_by_one: bool = False


METHODS = {
    "literal": Method(literal, one_by_one=True),
    "networkx_ppr": Method(networkx_ppr, "networkx", one_by_one=True),
    "igraph_ppr": Method(igraph_ppr, "igraph", one_by_one=True),
    "dense": Method(dense),
    "joinwalk": Method(joinwalk),
    "joinwalk_scatter": Method(joinwalk_scatter, "torch_scatter"),
    "joinwalk_compiled": Method(joinwalk_compiled),
    "joinwalk_kernel": Method(joinwalk_kernel, "numba"),
    "retriever": Method(retriever),
    "retriever_plus": Method(retriever_plus),
    "retriever_plus_new": Method(retriever_plus_new),
}
"""The methods by name: walks, slowest first, then complete retrieval."""
