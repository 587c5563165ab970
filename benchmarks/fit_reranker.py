"""Train and judge the reranker that comes with the package: ``python benchmarks/fit_reranker.py DATA [--write]``.

It learns from the questions of the real schemas, each schema alone, with the words that a language model wrote of it
and without them, with joins inferred where few are declared and with declared joins alone; from the same questions on
the tables of all real schemas together; from BIRD and Spider train,
all databases together; and from the same questions on warehouses, into which databases are merged, most with cryptic
names. It is judged on one real schema at a time, by a reranker that has seen no question of it: neither its networks
nor the probabilities that its second network learns from. Printed are means over questions of R@5, R@10, R@15 and of
all@15, whether all needed tables are among the first 15, beside those of the untrained JoinGR+, with the 95 % interval
of the difference over 10,000 bootstrap samples of schemas and of their questions; and how often sets that promise to be
complete are so, calibrated on the other schemas. ``--write`` trains on all, and writes the weights and these figures
into the package. ``--encoder FOLDER`` judges a reranker that reads another encoder's similarities.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from joins import FEW_KEYS
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from safetensors.torch import save
from torch import Tensor
from torch.nn import functional as F

import joingr_pyg.models.reranking as package
from joingr_pyg.atomic_files import atomic_write
from joingr_pyg.data.embedding import embedded_corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets.benchmark import Benchmark
from joingr_pyg.datasets.bird import read_bird
from joingr_pyg.datasets.compound_questions import benchmark_with_compound_questions
from joingr_pyg.datasets.cryptic_names import benchmark_with_cryptic_names
from joingr_pyg.datasets.folder import read_folder
from joingr_pyg.datasets.gold import gold_table_numbers
from joingr_pyg.datasets.spider import read_spider
from joingr_pyg.encoders import CachedEncoder, MiniLMEncoder, SentenceTransformerEncoder
from joingr_pyg.models.calibration import Calibration, lengths, set_sizes
from joingr_pyg.models.reranking import RerankedJoinGRPlus, TableReranker
from joingr_pyg.models.reranking.model import WEIGHTS
from joingr_pyg.models.reranking.reranker import CANDIDATES, Scorer, first_look, second_look
from joingr_pyg.progress import bar
from joingr_pyg.schema import Database
from joingr_pyg.schema.joins.few_keys import InferJoins, with_inferred_joins
from joingr_pyg.schema.names.expansion import with_expanded_names

Array = NDArray[Any]

HIDDEN, NETWORKS = 32, 5
"""Size of the hidden layer of each network, and how many networks of different seeds are averaged."""

EPOCHS, BATCH, LEARNING_RATE, WEIGHT_DECAY, DROPOUT = 10, 32, 3e-3, 0.1, 0.3

FOLDS = 4
"""Parts of the schemas, each of which gets its first scores for training from networks that learned from the others."""

VARIANTS: dict[str, tuple[bool, InferJoins]] = {
    "words": (True, "auto"),
    "names": (False, "auto"),
    "words, declared joins": (True, False),
    "names, declared joins": (False, False),
}
"""How real schemas are prepared: whether with words, and when joins are inferred."""

TOGETHER = ("words", "names")
"""Variants of which the tables of all schemas are also ranked together."""

ASKED = (0.5, 0.8, 0.9)
"""Probabilities with which sets promise to be complete."""

POOLED_QUESTIONS = 500
"""About so many questions of BIRD train and as many of Spider train are learned from."""

WAREHOUSE_QUESTIONS, MERGED = 250, 14
"""About so many questions of each kind are asked of warehouses, into each of which so many databases are merged."""

WAREHOUSES = ((True, 1), (True, 2), (True, 4), (False, 2))
"""Kinds of warehouses: whether names are cryptic, and how many questions are put together to one."""

MEASURES = ("R@5", "R@10", "R@15", "all@15")


@dataclass(eq=False)
class Example:
    """The candidates of one question.

    Attributes:
        variant: How its schema was prepared.
        schema: Its schema.
        question: Its number in the schema.
        candidates: What is known of the candidates.
        needed: ``[C]`` whether the question needs each.
        count: Number of tables that it needs.
        first: ``[C, M_1]`` what the first network reads.
    """

    variant: str
    schema: str
    question: int
    candidates: Any
    needed: Array
    count: int
    first: Array


def examples(
    variant: str,
    databases: Sequence[Sequence[Database]],
    benchmark: Benchmark,
    encoder: CachedEncoder,
    merged: bool = False,
) -> Iterator[Example]:
    """The examples of a benchmark; the tables of each group of databases compete with each other.

    Args:
        variant: Name of the variant.
        databases: The groups of databases.
        benchmark: The questions.
        encoder: The encoder.
        merged: Whether each group becomes one large database, as a warehouse is.
    """
    model = RerankedJoinGRPlus().eval()
    for group in databases:
        names = {database.name for database in group}
        corpus = embedded_corpus(group, encoder)
        questions = [question for question in benchmark.questions if question.database in names]
        gold = gold_table_numbers(questions, corpus)
        if merged:
            corpus = replace(corpus, tables=tuple(("", ".".join(name)) for name in corpus.tables))
        model.index(corpus)
        first = super(RerankedJoinGRPlus, model).backend(torch.device("cpu"))
        for begin in range(0, len(questions), 16):
            rows = range(begin, min(begin + 16, len(questions)))
            queries = Queries.encode([questions[row].text for row in rows], encoder)
            ranked = first.explained(queries, CANDIDATES)
            for row, candidates in zip(rows, model.candidates(queries, ranked), strict=True):
                tables = gold[row][gold[row] >= 0].numpy()
                yield Example(
                    variant,
                    questions[row].database,
                    row,
                    candidates,
                    np.isin(candidates.table, tables),
                    len(tables),
                    first_look(candidates),
                )


def real_examples(data: Path, encoder: CachedEncoder, variants: Sequence[str]) -> list[Example]:
    """The examples of the real schemas."""
    found: list[Example] = []
    for variant in variants:
        benchmark, databases = real_schemas(data, variant)
        with bar(f"Reading real schemas ({variant})", len(databases), "schema") as shown:
            for database in databases:
                found += examples(variant, [[database]], benchmark, encoder)
                shown.update()
    return found


def real_examples_together(data: Path, encoder: CachedEncoder, variants: Sequence[str]) -> list[Example]:
    """The same questions, asked of the tables of all real schemas together."""
    found: list[Example] = []
    for variant in variants:
        benchmark, databases = real_schemas(data, variant)
        found += examples(f"{variant}, all schemas together", [databases], benchmark, encoder)
    return found


def real_schemas(data: Path, variant: str) -> tuple[Benchmark, list[Database]]:
    """The questions on the real schemas, and the schemas prepared as a variant says."""
    words, infer = VARIANTS[variant]
    benchmark = read_folder(data / "real_schemas", words=words)
    databases = [with_inferred_joins(database, infer) for database in benchmark.databases]
    if not infer:  # Where none are inferred, this would be the same once more.
        databases = [own for own in databases if with_inferred_joins(own, "auto") != own]
    return benchmark, databases


def pooled_examples(data: Path, encoder: CachedEncoder) -> list[Example]:
    """Every so many a question of BIRD and Spider train, among the tables of all databases, names spelt out."""
    found: list[Example] = []
    for name, read in (("bird", read_bird), ("spider", read_spider)):
        benchmark = with_names_spelt_out(every(read(data / name, "train"), POOLED_QUESTIONS))
        found += examples(name, [benchmark.databases], benchmark, encoder)
    return found


def warehouse_examples(data: Path, encoder: CachedEncoder) -> list[Example]:
    """Questions of BIRD and Spider train on warehouses: groups of databases, each merged into one.

    Names are abbreviated at random, but for one part, and some questions are several ones of a database put together.
    """
    found: list[Example] = []
    for name, read in (("bird", read_bird), ("spider", read_spider)):
        whole = read(data / name, "train")
        for cryptic, parts in WAREHOUSES:
            benchmark = every(benchmark_with_compound_questions(whole, parts), WAREHOUSE_QUESTIONS)
            benchmark = with_names_spelt_out(benchmark_with_cryptic_names(benchmark) if cryptic else benchmark)
            databases = benchmark.databases
            groups = [databases[n : n + MERGED] for n in range(0, len(databases), MERGED)]
            found += examples(f"{name} warehouse", groups, benchmark, encoder, merged=True)
    return found


def every(benchmark: Benchmark, count: int) -> Benchmark:
    """A benchmark with about ``count`` of its questions, evenly spaced."""
    return replace(benchmark, questions=benchmark.questions[:: max(1, len(benchmark.questions) // count)])


def with_names_spelt_out(benchmark: Benchmark) -> Benchmark:
    """A benchmark with common abbreviations in names expanded, as in schemas of one's own."""
    return replace(benchmark, databases=tuple(map(with_expanded_names, benchmark.databases)))


class Rows:
    """Rows of numbers of many questions, padded to one tensor.

    Args:
        rows: For each question, ``[C, M]`` numbers.
        needed: For each question, ``[C]`` whether a candidate is needed.
    """

    def __init__(self, rows: Sequence[Array], needed: Sequence[Array]) -> None:
        kept = [number for number, own in enumerate(needed) if own.any() and not own.all()]
        size = max(len(rows[number]) for number in kept)
        self.x = torch.zeros(len(kept), size, rows[0].shape[1])
        self.needed = torch.zeros(len(kept), size)
        self.filled = torch.zeros(len(kept), size, dtype=torch.bool)
        for place, number in enumerate(kept):
            count = len(rows[number])
            self.x[place, :count] = torch.from_numpy(rows[number])
            self.needed[place, :count] = torch.from_numpy(needed[number].astype(np.float32))
            self.filled[place, :count] = True

    def scaled(self) -> tuple[Tensor, Tensor, Tensor]:
        """The rows, standardised, with their means and standard deviations."""
        own = self.x[self.filled]
        mean, deviation = own.mean(dim=0), own.std(dim=0) + 1e-6
        return ((self.x - mean) / deviation).clamp(-5, 5), mean, deviation


def loss(score: Tensor, needed: Tensor, filled: Tensor) -> Tensor:
    """Each needed table against all that are not needed: the mean over tables, then over questions ``[networks]``."""
    others = score.masked_fill(~filled | (needed > 0), -30.0).logsumexp(dim=2, keepdim=True)
    each = F.softplus(others - score) * needed
    return (each.sum(dim=2) / needed.sum(dim=1)).mean(dim=1)


def train_scorer(rows: Rows, networks: int = NETWORKS, seed: int = 0) -> Scorer:
    """Train networks side by side, and average them in one network with as many times the hidden layer.

    A question loses the same numbers for all of its candidates to dropout, in each network others.
    """
    x, mean, deviation = rows.scaled()
    channels = x.size(2)
    torch.manual_seed(seed)
    first, bias = (_uniform(networks, size, HIDDEN, bound=channels**-0.5) for size in (channels, 1))
    last, end = _uniform(networks, HIDDEN, 1, bound=HIDDEN**-0.5), torch.zeros(networks, 1, 1, requires_grad=True)
    optimizer = torch.optim.AdamW([first, bias, last, end], LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=EPOCHS * ceil(len(x) / BATCH))
    for _ in range(EPOCHS):
        for part in torch.randperm(len(x)).split(BATCH):
            optimizer.zero_grad()
            read = (x[part] * _kept(networks, len(part), channels, DROPOUT / 2)).flatten(1, 2)
            hidden = torch.baddbmm(bias, read, first).relu().view(networks, len(part), -1, HIDDEN)
            hidden = (hidden * _kept(networks, len(part), HIDDEN, DROPOUT)).flatten(1, 2)
            score = torch.baddbmm(end, hidden, last).view(networks, len(part), -1)
            loss(score, rows.needed[part], rows.filled[part]).sum().backward()
            optimizer.step()
            schedule.step()
    scorer = Scorer(channels, networks * HIDDEN).requires_grad_(False)
    with torch.no_grad():
        scorer.mean.copy_(mean)
        scorer.deviation.copy_(deviation)
        scorer.hidden.weight.copy_(first.transpose(1, 2).flatten(0, 1))
        scorer.hidden.bias.copy_(bias.flatten())
        scorer.out.weight.copy_(last.view(1, -1) / networks)
        scorer.out.bias.copy_(end.mean(dim=0).squeeze(1))
    return scorer


def _uniform(*size: int, bound: float) -> Tensor:
    return torch.empty(size).uniform_(-bound, bound).requires_grad_()


def _kept(networks: int, questions: int, channels: int, dropout: float) -> Tensor:
    """``[networks, questions, 1, channels]`` factors of what dropout keeps, 0 for the rest."""
    return torch.empty(networks, questions, 1, channels).bernoulli_(1 - dropout) / (1 - dropout)


@torch.no_grad()
def scores(scorer: Scorer, rows: Sequence[Array]) -> list[Array]:
    """The scores of each question's candidates."""
    return [scorer(torch.from_numpy(own)).numpy() for own in rows]


def fit(learned: Sequence[Example], networks: int = NETWORKS) -> TableReranker:
    """Train a reranker.

    The second network learns from first scores of networks that have not seen the schema.
    """
    first_rows, needed = [example.first for example in learned], [example.needed for example in learned]
    groups = sorted({example.schema for example in learned})
    fold_of = {group: place % FOLDS for place, group in enumerate(groups)}
    second_rows: list[Array] = [np.empty(0)] * len(learned)
    for fold in range(FOLDS):
        seen = [n for n, example in enumerate(learned) if fold_of[example.schema] != fold]
        rest = [n for n, example in enumerate(learned) if fold_of[example.schema] == fold]
        scorer = train_scorer(Rows([first_rows[n] for n in seen], [needed[n] for n in seen]), networks=1, seed=100)
        for n, score in zip(rest, scores(scorer, [first_rows[n] for n in rest]), strict=True):
            second_rows[n] = second_look(learned[n].candidates, first_rows[n], score)
    reranker = TableReranker(networks * HIDDEN)
    reranker.first = train_scorer(Rows(first_rows, needed), networks)
    reranker.second = train_scorer(Rows(second_rows, needed), networks)
    return reranker.requires_grad_(False)


def measures(score: Array, example: Example) -> list[float]:
    """The measures of one question."""
    hit = example.needed[np.argsort(-score, kind="stable")]
    shares = [hit[:k].sum() / example.count for k in (5, 10, 15)]
    return [*shares, float(hit[:15].sum() == example.count)]


def left_out(data: Sequence[Example], others: Sequence[Example], parts: int) -> list[Array]:
    """Scores of each example by a reranker that has seen no question of its schema, nor of others of its part."""
    result: list[Array] = [np.empty(0)] * len(data)
    schemas = list(dict.fromkeys(example.schema for example in data))
    parts = min(parts, len(schemas))
    with bar("Leaving out", parts, "part") as shown:
        for part in range(parts):
            hidden = set(schemas[part::parts])
            reranker = fit([example for example in [*data, *others] if example.schema not in hidden])
            for number, example in enumerate(data):
                if example.schema in hidden:
                    result[number] = reranker(example.candidates)
            shown.update()
    return result


def interval(before: Array, after: Array, schema: Sequence[str], samples: int = 10_000) -> tuple[float, float]:
    """The 95 % interval of the mean difference, over samples of schemas and of their questions."""
    generator = np.random.default_rng(0)
    groups = [
        after[rows] - before[rows] for rows in (np.array([s == n for s in schema]) for n in dict.fromkeys(schema))
    ]
    means = np.empty(samples)
    for sample in range(samples):
        drawn = [groups[n] for n in generator.integers(len(groups), size=len(groups))]
        means[sample] = np.concatenate([own[generator.integers(len(own), size=len(own))] for own in drawn]).mean()
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def report(data: Sequence[Example], reranked: Sequence[Array]) -> dict[str, Any]:
    """Print a table for each variant, and return its numbers."""
    figures: dict[str, Any] = {}
    for variant in dict.fromkeys(example.variant for example in data):
        rows = [n for n, example in enumerate(data) if example.variant == variant]
        schema = [data[n].schema for n in rows]
        before = np.array([measures(-np.arange(len(data[n].needed)), data[n]) for n in rows])
        after = np.array([measures(reranked[n], data[n]) for n in rows])
        table = Table(variant, "questions", *MEASURES)
        for title, own in [
            ("all", np.ones(len(rows), bool)),
            ("few keys", np.isin(schema, FEW_KEYS)),
            *((name, np.array(schema) == name) for name in dict.fromkeys(schema)),
        ]:
            if own.any():
                cells = [
                    f"{a:.3f} → {b:.3f}" for a, b in zip(before[own].mean(axis=0), after[own].mean(axis=0), strict=True)
                ]
                table.add_row(title, str(own.sum()), *cells)
        intervals = [interval(before[:, n], after[:, n], schema) for n in range(len(MEASURES))]
        table.add_row("95 % interval", "", *(f"{low:+.3f} to {high:+.3f}" for low, high in intervals))
        Console(width=110).print(table)
        figures[variant] = {
            "untrained": dict(zip(MEASURES, before.mean(axis=0).tolist(), strict=True)),
            "reranked": dict(zip(MEASURES, after.mean(axis=0).tolist(), strict=True)),
            "interval": dict(zip(MEASURES, intervals, strict=True)),
        }
    return figures


def calibration_rows(data: Sequence[Example], reranked: Sequence[Array]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The arguments of :meth:`Calibration.fit`: scores, databases, whether a table is needed, lengths of questions."""
    size = max(map(len, reranked))
    score = torch.full((len(data), size), -torch.inf)
    needed = torch.zeros(len(data), size, dtype=torch.bool)
    database = torch.zeros(len(data), size, dtype=torch.long)
    for row, (own, example) in enumerate(zip(reranked, data, strict=True)):
        order = np.argsort(-own, kind="stable")
        score[row, : len(own)] = torch.from_numpy(own[order])
        needed[row, : len(own)] = torch.from_numpy(example.needed[order])
        candidates = example.candidates
        database[row, : len(own)] = torch.from_numpy(candidates.tables.database[candidates.table[order]])
    return score, database, needed, lengths([example.candidates.text for example in data])


def report_sets(data: Sequence[Example], reranked: Sequence[Array]) -> dict[str, Any]:
    """Print and return how complete sets are that promise to be, calibrated on the other schemas."""
    rows = calibration_rows(data, reranked)
    schema = np.array([example.schema for example in data])
    count = torch.tensor([example.count for example in data])
    place = torch.arange(rows[0].size(1))
    complete, sizes = {ask: torch.zeros(len(data)) for ask in ASKED}, {ask: torch.zeros(len(data)) for ask in ASKED}
    for name in dict.fromkeys(schema.tolist()):
        own = torch.from_numpy(schema == name)
        probability = Calibration.fit(*(part[~own] for part in rows)).probability(
            rows[0][own], rows[1][own], rows[3][own]
        )
        for ask in ASKED:
            size = set_sizes(probability, ask)
            found = (rows[2][own] & (place < size[:, None])).sum(dim=1)
            complete[ask][own], sizes[ask][own] = (found == count[own]).float(), size.float()
    table = Table("sets", *(f"asked {ask}" for ask in ASKED))
    figures: dict[str, Any] = {}
    for variant in dict.fromkeys(example.variant for example in data):
        own = torch.tensor([example.variant == variant for example in data])
        figures[variant] = {
            str(ask): [complete[ask][own].mean().item(), sizes[ask][own].mean().item()] for ask in ASKED
        }
        table.add_row(variant, *(f"complete {a:.3f}, {b:.1f} tables" for a, b in figures[variant].values()))
    Console(width=110).print(table)
    return figures


def main() -> None:
    """Train, judge, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="folder of the data sets")
    parser.add_argument("--variants", nargs="*", default=list(VARIANTS), choices=list(VARIANTS))
    parser.add_argument("--parts", type=int, default=100, help="parts left out in turn; each schema where not given")
    parser.add_argument("--cache", type=Path, help="folder of embeddings")
    parser.add_argument("--output", type=Path, help="file for the figures, as JSON")
    parser.add_argument("--encoder", type=Path, help="folder of another sentence-transformers model than MiniLM")
    parser.add_argument("--real-alone", action="store_true", help="learn from the real schemas alone")
    parser.add_argument("--write", action="store_true", help="train on all, and write the weights into the package")
    arguments = parser.parse_args()
    if arguments.write and (arguments.encoder or arguments.real_alone):
        parser.error("--write is for the model of the package: leave --encoder and --real-alone out.")
    weights = (
        SentenceTransformerEncoder(arguments.encoder.name, path=arguments.encoder, precision="auto")
        if arguments.encoder
        else MiniLMEncoder()
    )
    encoder = CachedEncoder(weights, arguments.cache) if arguments.cache else CachedEncoder.of_user(weights)
    real = real_examples(arguments.data, encoder, arguments.variants)
    others: list[Example] = []
    if not arguments.real_alone:
        others = [*pooled_examples(arguments.data, encoder), *warehouse_examples(arguments.data, encoder)]
    together = real_examples_together(arguments.data, encoder, [own for own in TOGETHER if own in arguments.variants])
    judged = [*real, *together]
    reranked = left_out(judged, others, arguments.parts)
    figures = {"rankings": report(judged, reranked), "sets": report_sets(real, reranked[: len(real)])}
    written = [arguments.output] if arguments.output else []
    if arguments.write:
        folder = Path(package.__file__).parent
        written.append(folder / "evaluation.json")
        reranker = fit([*judged, *others])
        calibration = Calibration.fit(*calibration_rows(real, reranked[: len(real)]))
        description = {"encoder": weights.identity, "calibration": json.dumps(asdict(calibration))}
        single = {name: value.float().contiguous() for name, value in reranker.state_dict().items()}
        with atomic_write(folder / WEIGHTS) as file:
            file.write(save(single, description))
    for path in written:
        with atomic_write(path) as file:
            file.write(json.dumps(figures, indent=1).encode() + b"\n")


if __name__ == "__main__":
    main()
