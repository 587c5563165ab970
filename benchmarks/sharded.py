"""Compare a corpus in parts with the same in one piece: ``python benchmarks/sharded.py bird real_schemas synthetic``.

A corpus is written in parts and read by this process and by actors of Ray. The same parts, joined to one corpus, are
ranked by each model as any corpus is. For all questions the first 15 tables are compared, with their order.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import torch
from rich.console import Console
from rich.table import Table
from scale_measures import question_texts
from walk_methods import RANKED

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import DATASETS
from joingr_pyg.encoders import CachedEncoder, Encoder, HashingEncoder, MiniLMEncoder
from joingr_pyg.models import ColumnIndex, JoinGR, JoinGRPlus, Ranking, TrainableRetriever, untrained
from joingr_pyg.sharding import ShardedCorpus
from joingr_pyg.sharding.part import in_single_precision
from joingr_pyg.sharding.storage import PartFolder, read_part
from joingr_pyg.testing.synthetic import synthetic_databases, synthetic_graphs, synthetic_vectors

SPLITS = {"bird": "dev", "beaver": "dev", "spider": "dev", "real_schemas": "all"}
OPTIONS = {"real_schemas": {"expand_names": True, "words": True}}
DIM = 384
SYNTHETIC = 20_000
PARTS = 4
MODELS = ("untrained", "joingr", "joingr_plus")


class Compared(NamedTuple):
    """Parts, and questions about their tables."""

    parts: list[Corpus]
    queries: Queries
    encoder: Encoder


def benchmark(name: str, cache: Path) -> Compared:
    """A benchmark, embedded by MiniLM."""
    encoder = CachedEncoder(MiniLMEncoder(), cache / "embeddings")
    data = DATASETS[name](
        os.environ.get("JOINGR_DATA", "."), SPLITS[name], encoder, cache, download=False, **OPTIONS.get(name, {})
    )
    graphs = list(data)
    parts = [Corpus.from_graphs(own) for own in _runs(graphs)]
    return Compared(parts, data.encode_questions(), encoder)


def synthetic(num_tables: int, count: int) -> Compared:
    """A synthetic corpus; questions are texts embedded by hashing, as its columns are to begin with."""
    databases = synthetic_databases(num_tables)
    encoder = CachedEncoder(HashingEncoder(DIM), progress=False)
    graphs = synthetic_graphs(databases, *synthetic_vectors(databases, dim=DIM))
    parts = [Corpus.from_graphs(own) for own in _runs(graphs)]
    return Compared(parts, Queries.encode(question_texts(databases, count), encoder), encoder)


def models(wanted: Sequence[str]) -> Iterator[tuple[str, TrainableRetriever]]:
    """Both models, without training and as if they had learned something."""
    made = {"untrained": untrained, "joingr": lambda: JoinGR(DIM), "joingr_plus": lambda: JoinGRPlus(DIM)}
    for kind in wanted:
        model = made[kind]().eval()
        if kind == "untrained":
            yield "JoinGR+, untrained", model
            continue
        torch.manual_seed(1)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter += 0.1 * torch.randn_like(parameter)
        yield f"{'JoinGR' if kind == 'joingr' else 'JoinGR+'}, random weights", model


def same(found: Ranking, expected: Ranking) -> tuple[int, int]:
    """Questions with the same tables in the same order, and those with the same tables."""
    order = (found.table == expected.table).all(dim=1).sum()
    tables = (found.table.sort(dim=1).values == expected.table.sort(dim=1).values).all(dim=1).sum()
    return int(order), int(tables)


def _runs(graphs: Sequence[object]) -> list[Sequence[object]]:
    ends = [len(graphs) * part // PARTS for part in range(PARTS + 1)]
    return [graphs[first:last] for first, last in pairwise(ends) if last > first]


def main() -> None:
    """Compare, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", nargs="+", choices=[*SPLITS, "synthetic"])
    parser.add_argument("--actors", type=int, nargs="*", default=[0, 1, 2, 4], help="actors; 0 is one process")
    parser.add_argument("--models", nargs="*", choices=MODELS, default=MODELS, help="models (default: all)")
    parser.add_argument("--tables", type=int, default=SYNTHETIC, help="tables of the synthetic corpus")
    parser.add_argument("--questions", type=int, default=200, help="at most so many questions (default: %(default)s)")
    options = parser.parse_args()
    cache = Path(os.environ.get("JOINGR_CACHE", "~/.cache/joingr_pyg")).expanduser()
    table = Table(
        "corpus",
        "tables",
        "model",
        "actors",
        "questions",
        "same tables",
        "and order",
        "scores differ by",
        "ms a question",
    )
    for name in options.corpora:
        compared = synthetic(options.tables, options.questions) if name == "synthetic" else benchmark(name, cache)
        queries = compared.queries[: options.questions]
        with tempfile.TemporaryDirectory() as folder:
            ShardedCorpus.write_corpora(folder, compared.parts, compared.encoder.identity)
            names, _ = PartFolder(folder).read()
            corpus = reduce(Corpus.joined, (in_single_precision(read_part(Path(folder, part))) for part in names))
            for kind, model in models(options.models):
                whole = model.index(corpus)
                whole.columns = ColumnIndex(corpus, "exact")
                rankings = [whole.rank(part, RANKED) for part in queries.split(32)]
                expected = Ranking(*map(torch.cat, zip(*rankings, strict=True)))
                for actors in options.actors:
                    with ShardedCorpus(folder, model, compared.encoder, actors=actors) as sharded:
                        sharded.rank(queries[:1], RANKED)
                        start = time.perf_counter()
                        found = sharded.rank(queries, RANKED)
                        spent = 1000 * (time.perf_counter() - start) / len(queries)
                    order, tables = same(found, expected)
                    apart = (found.score - expected.score).nan_to_num().abs().max().item()
                    count = len(queries)
                    table.add_row(
                        *(name, f"{corpus.num_tables:,}", kind, str(actors), f"{count:,}"),
                        *(f"{tables / count:.2%}", f"{order / count:.2%}", f"{apart:.0e}", f"{spent:.2f}"),
                    )
                    print(name, kind, actors, f"{tables / count:.2%} {order / count:.2%} {apart:.0e}", flush=True)
    Console().print(table)


if __name__ == "__main__":
    main()
