"""Why a gold table was missed, question by question (the paper's section 6.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from joingr_pyg.cli.failures.reopened import reopen_dataset, reopen_models
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import JoinGraphs
from joingr_pyg.datasets.folds import make_inner_folds
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGR
from joingr_pyg.models.deposit_paths import DepositPaths, Step
from joingr_pyg.runs.collect import Run
from joingr_pyg.runs.question_records import QuestionRecord, kept, read_questions

NO_JOINS = "it has no joins"
NO_WAY = "no anchor in its part of the schema"
TOO_FAR = "every anchor is too many hops away"
ANCHOR = "an anchor, outscored"
SPLIT = "shared out at hop {hop}"


@dataclass(frozen=True)
class Failure:
    """A gold table that is not among the best tables of a question.

    Args:
        index: Number of the question.
        question: Its text.
        table: The table.
        gold: Number of gold tables of the question.
        reason: :data:`NO_JOINS`, :data:`NO_WAY`, :data:`TOO_FAR`, :data:`SPLIT` with the hop, or :data:`ANCHOR`.
        hop: The hop on the strongest path where the share was smallest; 0 where there is no path.
        share: The share there.
        choices: Number of tables that the deposit was shared among there.
        path: Tables along the strongest path, from an anchor.
        seed: Seed of the run.
    """

    index: int
    question: str
    table: str
    gold: int
    reason: str
    hop: int = 0
    share: float = 0.0
    choices: int = 0
    path: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True)
class Analysis:
    """The failures of some runs that differ by seed.

    Args:
        failures: The failures of all.
        runs: Number of runs.
        questions: Number of questions of each.
        hops: Number of hops of the model.
        k: Number of ranked tables of a question that count.
    """

    failures: tuple[Failure, ...]
    runs: int
    questions: int
    hops: int
    k: int

    @property
    def reasons(self) -> list[str]:
        """All reasons there can be, in the order of the walk."""
        return [NO_JOINS, NO_WAY, TOO_FAR, *(SPLIT.format(hop=hop + 1) for hop in range(self.hops)), ANCHOR]

    def tables(self, reason: str) -> float:
        """Missed tables for a reason, mean over runs."""
        return sum(failure.reason == reason for failure in self.failures) / self.runs

    def questions_with(self, reason: str | None = None) -> float:
        """Questions that miss a table, for a reason or at all, mean over runs."""
        return len({(f.seed, f.index) for f in self.failures if reason in (None, f.reason)}) / self.runs


def analyse(runs: Sequence[Run], k: int = 15) -> Analysis:
    """Find why gold tables are missing among the best ``k``.

    A table is missed by the anchors where no walk from any of them reaches it. Where a walk does, the strongest path to
    it is followed, and the hop is named at which the softmax gave it the smallest share; the first of equals.

    Args:
        runs: Runs of one configuration, cross-validated or not, with their checkpoints.
        k: Number of tables that a question got.

    Raises:
        JoinGRError: If a run has no checkpoints, other folds than its config says, or kept fewer tables than ``k``.
    """
    if k < 1:
        raise JoinGRError(f"K needs to be at least 1 (got {k}).")
    failures: list[Failure] = []
    questions = hops = 0
    for run in runs:
        if run.parameters.get("setting") != "pooled":
            raise JoinGRError(f"'{run.place}' ranked within databases: name a run with setting=pooled.")
        if k > max(kept(list(run.metrics))):
            raise JoinGRError(
                f"'{run.place}' kept {max(kept(list(run.metrics)))} tables a question: take no more than that, not {k}."
            )
        dataset = reopen_dataset(run)
        models = reopen_models(run, dataset)
        queries = dataset.encode_questions()
        assert run.folder is not None
        records = {record.index: record for record in read_questions(run.folder)}
        questions, hops = len(records), models[0].walk.hops
        for model, rows in zip(models, _tested(run, dataset, queries, len(models)), strict=True):
            model.eval().index(dataset.corpus())
            for row in rows:
                record = records[dataset.questions[row].index]
                failures += missed_tables(model, queries[[row]], record, k, int(run.seed or 0))
    return Analysis(tuple(failures), len(runs), questions, hops, k)


def _tested(run: Run, dataset: JoinGraphs, queries: Queries, models: int) -> list[list[int]]:
    """Positions of the questions that each model was tested on."""
    config = run.summary["config"]
    if config.get("folds") is None or run.summary.get("checkpoint") is not None:
        return [list(range(len(queries)))]
    databases = [question.database for question in dataset.questions]
    dealt = (config.get("fold_held_out"), config["folds"], config["fold_seed"], config["fold_groups"])
    folds = make_inner_folds(queries.vector, databases, *dealt, [question.text for question in dataset.questions])
    if len(folds) != models:
        raise JoinGRError(f"'{run.place}' has {models} checkpoints for {len(folds)} folds: run it again.")
    return folds


@torch.no_grad()
def missed_tables(model: JoinGR, query: Queries, record: QuestionRecord, k: int, seed: int = 0) -> list[Failure]:
    """The gold tables missing among the best ``k`` of one question, sorted by name.

    Args:
        model: The model, bound to the corpus.
        query: The question.
        record: Its gold and ranked tables.
        k: Number of tables that count.
        seed: Seed of the run.
    """
    missing = sorted(record.gold.difference(record.ranked[:k]))
    if not missing:
        return []
    corpus = model.corpus
    evidence = model.evidence(query)
    paths = DepositPaths(model(query.vector, evidence))
    anchors = {table for table in evidence.anchor[0].tolist() if table >= 0}
    numbers = {".".join(name): number for name, number in corpus.table_number.items()}
    joins = corpus.edge_index[:, corpus.edge_index[0] != corpus.edge_index[1]].numpy()
    joined = set(joins.flatten().tolist())
    links = coo_array((np.ones(joins.shape[1]), joins), shape=(corpus.num_tables, corpus.num_tables))
    part = connected_components(links, directed=False)[1]
    failures = []
    for name in missing:
        table = numbers[name]
        steps = [] if table in anchors else paths.strongest_path(0, table)
        weakest = min(steps, key=lambda step: step.share, default=None)
        failures.append(
            Failure(
                index=record.index,
                question=record.question,
                table=name,
                gold=len(record.gold),
                reason=_reason(table in joined, table in anchors, part[table] in part[list(anchors)], weakest),
                hop=weakest.hop if weakest else 0,
                share=weakest.share if weakest else 0.0,
                choices=weakest.choices if weakest else 0,
                path=_names(model, steps),
                seed=seed,
            )
        )
    return failures


def _reason(joined: bool, anchor: bool, together: bool, weakest: Step | None) -> str:
    if not joined:
        return NO_JOINS
    if anchor:
        return ANCHOR
    if weakest is not None:
        return SPLIT.format(hop=weakest.hop)
    return TOO_FAR if together else NO_WAY


def _names(model: JoinGR, steps: Sequence[Step]) -> tuple[str, ...]:
    tables = [*(step.frontier for step in steps[:1]), *(step.neighbor for step in steps)]
    return tuple(model.corpus.tables[table][1] for table in tables)
