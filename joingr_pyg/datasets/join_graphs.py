"""A split of a benchmark as a PyG dataset: one join graph per database, and the questions."""

import hashlib
import logging
import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import torch
from filelock import FileLock
from torch_geometric.data import HeteroData, InMemoryDataset

import joingr_pyg
from joingr_pyg.atomic_files import atomic_write, remove_partial
from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.embedding import embed_schemas
from joingr_pyg.data.graph import count_edges, join_graph
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets.assembly import warn_of_dropped_questions
from joingr_pyg.datasets.benchmark import Benchmark, Dropped, Question
from joingr_pyg.datasets.compound_questions import benchmark_with_compound_questions
from joingr_pyg.datasets.cryptic_names import benchmark_with_cryptic_names
from joingr_pyg.datasets.sources import SOURCES, fetch
from joingr_pyg.encoders import Encoder
from joingr_pyg.errors import JoinGRError, require_at_least, require_flags, require_whole
from joingr_pyg.schema import Database
from joingr_pyg.schema.names.expansion import with_expanded_names
from joingr_pyg.tensor_files import read_tensor_file

logger = logging.getLogger(__name__)


class _Processed(NamedTuple):
    """The content of a processed file: the benchmark and its graphs as PyG collates them."""

    benchmark: Benchmark
    graphs: HeteroData
    slices: dict[str, Any]


class JoinGraphs(InMemoryDataset):
    """One split of a benchmark: ``dataset[i]`` is the join graph of its ``i``-th database.

    Raw files are in ``root`` in the layout of the official downloads; missing files are downloaded. Processed graphs
    are stored in ``cache``. The name of a processed file is a digest of everything it depends on: the raw files, the
    encoder, the options and the code of this package. Files are written atomically and read without executing code.

    Args:
        root: Folder with the raw files, one folder per benchmark.
        split: Name of the split.
        encoder: Encoder of columns, joins and questions.
        cache: Folder for processed files.
        download: Download missing raw files from their official source.
        strict: Raise at the first question that cannot be resolved, instead of dropping it.
        expand_names: Expand abbreviations and split run-together words in names that have no natural name.
        cryptic_names: Abbreviate the names of all tables and columns at random, and drop natural names and
            descriptions. With ``expand_names``, common abbreviations among them are expanded again.
        compound_questions: Number of questions of a database that are concatenated into one, at least 1.

    Raises:
        JoinGRError: If the split does not exist, an argument is out of range, a file is missing or damaged, or in
            strict mode a question cannot be resolved.
    """

    benchmark_name: str
    splits: ClassVar[tuple[str, ...]]
    reports_databases: ClassVar[bool] = False
    """Whether a run also prints the metrics of each database."""

    benchmark: Benchmark

    def __init__(
        self,
        root: str | Path,
        split: str,
        encoder: Encoder,
        cache: str | Path,
        download: bool = True,
        strict: bool = False,
        expand_names: bool = False,
        cryptic_names: bool = False,
        compound_questions: int = 1,
    ) -> None:
        if split not in self.splits:
            raise JoinGRError(
                f"Dataset {self.benchmark_name!r} has no split {split!r}; it has {', '.join(map(repr, self.splits))}."
            )
        require_flags(strict=strict, expand_names=expand_names, cryptic_names=cryptic_names)
        require_whole(compound_questions=compound_questions)
        require_at_least(1, compound_questions=compound_questions)
        self.split = split
        self.encoder = encoder
        self.strict = strict
        self.expand_names = expand_names
        self.cryptic_names = cryptic_names
        self.compound_questions = compound_questions
        self._cache = Path(cache).expanduser()
        self._allow_download = download
        # PyG's own processing is not atomic, not safe with two processes, and writes pickle files.
        super().__init__(str(Path(root).expanduser()), log=False)
        if download:
            self.fetch_missing()
        self._load_or_build()

    @property
    def raw_dir(self) -> str:
        return os.path.join(self.root, self.benchmark_name)

    @property
    def raw_file_names(self) -> list[str]:
        """Raw files of this split, relative to :attr:`raw_dir`.

        They are the files of the official source, or all files of the folder if there is no official source.
        """
        if self.benchmark_name in SOURCES:
            files = SOURCES[self.benchmark_name].files
            return [f.target.partition("/")[2] for f in files if f.split in ("", self.split)]
        folder = Path(self.raw_dir)
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())

    @property
    def processed_dir(self) -> str:
        return str(self._cache / "processed")

    @property
    def processed_file_names(self) -> list[str]:
        return [f"{self.benchmark_name}-{self.split}-{self._digest()}.pt"]

    def fetch_missing(self) -> None:
        """Download missing raw files, if the benchmark has an official source."""
        if self.benchmark_name in SOURCES and not all(os.path.exists(path) for path in self.raw_paths):
            fetch(self.benchmark_name, Path(self.root), split=self.split)

    def read(self) -> Benchmark:
        """Read the raw files."""
        raise NotImplementedError

    @property
    def options(self) -> dict[str, Any]:
        """The options, besides the split, that the benchmark depends on."""
        return {
            "strict": self.strict,
            "expand_names": self.expand_names,
            "cryptic_names": self.cryptic_names,
            "compound_questions": self.compound_questions,
        }

    @property
    def title(self) -> str:
        """Benchmark, split and options in words."""
        options = ["cryptic names"] * self.cryptic_names + ["names expanded"] * self.expand_names
        if self.compound_questions > 1:
            options.append(f"{self.compound_questions} questions as one")
        return f"{self.benchmark_name} {self.split}" + (f" with {' and '.join(options)}" if options else "")

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.benchmark.questions

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        return self.benchmark.dropped

    @property
    def databases(self) -> tuple[Database, ...]:
        return self.benchmark.databases

    def corpus(self, database: str | None = None) -> Corpus:
        """The retrieval pool of all databases, or of one database.

        Raises:
            JoinGRError: If there is no such database.
        """
        graphs = [graph for graph in self if database in (None, graph.database)]
        if not graphs:
            raise JoinGRError(f"Dataset {self.benchmark_name!r} has no database {database!r}.")
        return Corpus.from_graphs(graphs)

    def only(self, databases: Collection[str]) -> Self:
        """The same split with the graphs of some databases only. The questions stay the same."""
        return self.index_select([row for row, database in enumerate(self.databases) if database.name in databases])

    def encode_questions(self) -> Queries:
        """The questions with their embeddings."""
        return Queries.encode([question.text for question in self.questions], self.encoder)

    def statistics(self) -> dict[str, int]:
        """The counts of the paper's Table 1: databases, tables, questions, nodes, intra, key_key and join edges."""
        edges = [count_edges(graph) for graph in self]
        return {
            "databases": len(self.databases),
            "tables": sum(len(database.tables) for database in self.databases),
            "questions": len(self.questions) + len(self.dropped),
            "nodes": sum(graph["column"].num_nodes for graph in self),
            **{kind: sum(count[kind] for count in edges) for kind in ("intra", "key_key", "join")},
        }

    def _digest(self) -> str:
        package = Path(joingr_pyg.__file__).parent
        code = [package / "data/graph.py"]
        for part in ("schema", "datasets"):
            code += sorted(path for path in (package / part).rglob("*") if path.suffix in (".py", ".json"))
        digest = hashlib.blake2b(repr((self.encoder.identity, self.options)).encode(), digest_size=10)
        for path in [*map(Path, self.raw_paths), *code]:
            digest.update(b"\0" + path.name.encode() + b"\0" + (path.read_bytes() if path.is_file() else b""))
        return digest.hexdigest()

    def _load_or_build(self) -> None:
        path = Path(self.processed_paths[0])
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path.with_suffix(".lock")).acquire()
        except OSError as error:
            raise JoinGRError(
                f"The folder for processed files '{path.parent}' cannot be used ({error.strerror or error}): "
                "make it writable, or choose another with paths.cache=<folder>."
            ) from error
        with lock:
            remove_partial(path.parent, path.name)
            processed = _load(path)
            if processed is None:
                processed = self._build()
                _save(processed, path)
            else:
                warn_of_dropped_questions(processed.benchmark)
        self.benchmark, self.data, self.slices = processed

    def _build(self) -> _Processed:
        benchmark = self.read()
        if self.cryptic_names:
            benchmark = benchmark_with_cryptic_names(benchmark)
        if self.compound_questions > 1:
            benchmark = benchmark_with_compound_questions(benchmark, self.compound_questions)
        if self.expand_names:
            benchmark = replace(benchmark, databases=tuple(map(with_expanded_names, benchmark.databases)))
        if not benchmark.databases:
            raise JoinGRError(f"The files of benchmark {self.benchmark_name!r} ({self.split}) list no database.")
        return _Processed(benchmark, *self.collate(build_graphs(benchmark.databases, self.encoder)))


def build_graphs(databases: Sequence[Database], encoder: Encoder) -> list[HeteroData]:
    """The join graph of each database. The texts of all databases are embedded together."""
    vectors = embed_schemas(databases, encoder)
    return [join_graph(database, *parts) for database, parts in zip(databases, vectors, strict=True)]


def _load(path: Path) -> _Processed | None:
    try:
        stored = read_tensor_file(path)
        return _Processed(
            Benchmark.from_dict(stored["benchmark"]), HeteroData.from_dict(stored["graphs"]), stored["slices"]
        )
    except FileNotFoundError:
        return None
    except Exception as error:  # A truncated file fails in many ways; it is made again from the raw files.
        logger.warning("The processed file %s is damaged (%s): it is made again.", path, type(error).__name__)
        return None


def _save(processed: _Processed, path: Path) -> None:
    benchmark, graphs, slices = processed
    with atomic_write(path) as file:
        torch.save({"benchmark": benchmark.to_dict(), "graphs": graphs.to_dict(), "slices": slices}, file)
