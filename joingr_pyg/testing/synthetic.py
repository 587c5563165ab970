"""Synthetic corpora of any size, with schemas and embeddings similar to those of the benchmarks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize
from torch_geometric.data import HeteroData

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.graph import join_graph
from joingr_pyg.datasets.demo import DATABASES, read_demo
from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.descriptors import column_descriptors

CHUNK = 1 << 16
"""Embeddings drawn at once."""


@dataclass(frozen=True)
class Shape:
    """The size distribution of the schemas of a benchmark, as histograms.

    Attributes:
        tables: Number of databases, by number of tables.
        columns: Number of tables, by number of columns.
        foreign_keys: Number of tables, by number of distinct joins of which they are the referencing side.
    """

    tables: dict[int, int]
    columns: dict[int, int]
    foreign_keys: dict[int, int]

    @classmethod
    def of(cls, databases: Iterable[Database]) -> "Shape":
        """Measure the shape of databases."""
        tables: Counter[int] = Counter()
        columns: Counter[int] = Counter()
        foreign_keys: Counter[int] = Counter()
        for database in databases:
            referencing = Counter(join.table for join in database.joins)
            tables[len(database.tables)] += 1
            columns.update(len(table.columns) for table in database)
            foreign_keys.update(referencing[table.name] for table in database)
        return cls(*(dict(sorted(count.items())) for count in (tables, columns, foreign_keys)))


# fmt: off
SHAPES = (
    # Spider 1.0 (Yu et al., 2018): all 166 databases of tables.json.
    Shape(
        {2: 23, 3: 55, 4: 26, 5: 10, 6: 8, 7: 14, 8: 5, 9: 3, 10: 2, 11: 6, 12: 3, 13: 2, 14: 2, 15: 2, 16: 3, 18: 1,
         26: 1},
        {2: 162, 3: 154, 4: 135, 5: 125, 6: 100, 7: 71, 8: 50, 9: 34, 10: 8, 11: 9, 12: 5, 13: 4, 14: 1, 15: 3, 17: 1,
         18: 2, 21: 1, 22: 2, 24: 2, 25: 1, 26: 1, 30: 2, 32: 1, 42: 1, 48: 1},
        {0: 382, 1: 249, 2: 190, 3: 30, 4: 10, 5: 10, 6: 3, 7: 1, 8: 1},
    ),
    # BIRD (Li et al., 2023): the 69 training and 11 development databases.
    Shape(
        {2: 6, 3: 14, 4: 13, 5: 9, 6: 9, 7: 5, 8: 7, 9: 2, 10: 2, 11: 3, 12: 1, 13: 1, 15: 2, 16: 1, 17: 1, 21: 1,
         22: 1, 34: 1, 65: 1},
        {1: 8, 2: 101, 3: 95, 4: 82, 5: 52, 6: 48, 7: 37, 8: 25, 9: 27, 10: 19, 11: 18, 12: 10, 13: 12, 14: 5, 15: 8,
         16: 6, 17: 2, 18: 2, 19: 2, 20: 4, 21: 4, 22: 2, 23: 3, 24: 3, 25: 2, 26: 4, 27: 1, 28: 1, 29: 1, 31: 3,
         35: 1, 42: 1, 43: 2, 44: 1, 49: 1, 55: 1, 62: 1, 74: 1, 115: 1},
        {0: 235, 1: 229, 2: 71, 3: 28, 4: 20, 5: 5, 6: 1, 7: 4, 9: 1, 13: 1, 14: 1, 24: 1},
    ),
    # BEAVER (Chen et al., 2024a): the data warehouse, joined by its join-key file.
    Shape(
        {97: 1},
        {2: 2, 3: 2, 4: 9, 5: 4, 6: 4, 7: 8, 8: 6, 9: 7, 10: 2, 11: 5, 12: 4, 13: 3, 14: 1, 15: 3, 16: 3, 18: 2, 19: 3,
         20: 4, 21: 1, 22: 3, 23: 1, 24: 4, 25: 1, 26: 1, 28: 1, 29: 1, 30: 1, 31: 1, 32: 2, 34: 2, 37: 1, 41: 1,
         47: 1, 58: 1, 69: 1, 72: 1},
        {0: 49, 1: 15, 2: 9, 3: 8, 4: 6, 6: 2, 7: 2, 10: 2, 12: 2, 17: 1, 29: 1},
    ),
)
"""The shapes of the benchmarks, computed by :meth:`Shape.of`. Each makes a third of a synthetic corpus."""
# fmt: on


def synthetic_databases(num_tables: int, seed: int = 0) -> list[Database]:
    """Draw schemas with the size distributions of the benchmarks.

    The first column of each table is its primary key, and foreign keys reference primary keys. As in real schemas, most
    foreign keys reference few tables: a foreign key references one of the first ``m`` of ``n`` tables with probability
    ``sqrt(m / n)``. Columns are those of the bundled demo.

    Args:
        num_tables: Total number of tables, at least 1.
        seed: Random seed.

    Raises:
        JoinGRError: If ``num_tables`` is below 1.
    """
    if num_tables < 1:
        raise JoinGRError(f"A synthetic corpus needs at least 1 table (got {num_tables}).")
    random = np.random.default_rng(seed)
    shares = np.diff(np.arange(len(SHAPES) + 1) * num_tables // len(SHAPES)).tolist()
    drawn = [
        (shape, size) for shape, share in zip(SHAPES, shares, strict=True) for size in _sizes(shape, share, random)
    ]
    pool = tuple(_demo_columns()) * 2
    databases = []
    for number, which in enumerate(random.permutation(len(drawn))):
        shape, size = drawn[which]
        databases.append(_database(f"db{number}", shape, size, pool, random))
    return databases


def synthetic_vectors(databases: Sequence[Database], seed: int = 0, dim: int = 384) -> tuple[Tensor, Tensor]:
    """Draw embeddings of the columns ``[N, dim]`` and joins ``[J, dim]`` of synthetic databases.

    The embedding of a column is the normalised sum of the hashed descriptor of the demo column of that name, a theme
    vector of its table, a theme vector of its database, and noise. Themes are hashed descriptors plus noise. The
    embedding of a join is the normalised sum of the themes of its two tables and noise.

    The weights were fitted to MiniLM's embeddings of the 10,066 columns of Spider, BIRD and BEAVER. In a corpus of
    1,500 tables, the mean cosines of a column to the nearest, 10th and 100th other column are 0.90, 0.75 and 0.57
    (real: 0.89, 0.74, 0.55), those of a question (:func:`synthetic_questions`) to its 1st, 10th and 100th column 0.54,
    0.41 and 0.33 (real: 0.54, 0.44, 0.33). The effective dimension of the columns, the squared sum of the eigenvalues
    of their covariance divided by the sum of squares, is 74 (real: 64). An approximate index has a lower recall on
    these embeddings than on real ones, so benchmark figures are conservative.
    """
    generator = torch.Generator().manual_seed(seed)
    descriptors = _demo_columns()
    position = {column.name: number for number, column in enumerate(descriptors)}
    base = HashingEncoder(dim).encode_documents(list(descriptors.values()))

    def noise(rows: int) -> Tensor:
        return torch.randn(rows, dim, generator=generator).mul_(dim**-0.5)

    def themes(rows: int) -> Tensor:
        return normalize(noise(rows).mul_(1.3).add_(base[torch.randint(len(base), (rows,), generator=generator)]))

    tables = [table for database in databases for table in database]
    theme = themes(len(databases)).repeat_interleave(
        torch.tensor([len(database.tables) for database in databases]), dim=0
    )
    theme.mul_(0.7).add_(themes(len(tables)), alpha=0.8)
    name = torch.tensor([position[column] for table in tables for column in table.column_names])
    owner = torch.arange(len(tables)).repeat_interleave(torch.tensor([len(table.columns) for table in tables]))
    names = ((database.name, table.name) for database in databases for table in database)
    number = {name: i for i, name in enumerate(names)}
    ends = [
        (number[database.name, join.table], number[database.name, join.referenced_table])
        for database in databases
        for join in database.joins
    ]
    left, right = torch.tensor(ends, dtype=torch.long).reshape(-1, 2).unbind(1)

    columns, joins = torch.empty(len(name), dim), torch.empty(len(ends), dim)
    # In chunks, so that the embeddings of columns, which need most memory, are not held twice.
    for rows in torch.arange(len(name)).split(CHUNK):
        columns[rows] = normalize(noise(len(rows)).mul_(0.2).add_(base[name[rows]]).add_(theme[owner[rows]]))
    for rows in torch.arange(len(ends)).split(CHUNK):
        joins[rows] = normalize(noise(len(rows)).add_(theme[left[rows]]).add_(theme[right[rows]]))
    return columns, joins


def synthetic_graphs(databases: Sequence[Database], columns: Tensor, joins: Tensor) -> list[HeteroData]:
    """The join graphs of databases, given the embeddings of all columns ``[N, d]`` and joins ``[J, d]``."""
    parts = (
        columns.split([sum(len(table.columns) for table in database) for database in databases]),
        joins.split([len(database.joins) for database in databases]),
    )
    return [join_graph(*arguments) for arguments in zip(databases, *parts, strict=True)]


def synthetic_corpus(num_tables: int, seed: int = 0, dim: int = 384) -> Corpus:
    """A corpus of synthetic databases with embeddings of length ``dim``.

    Raises:
        JoinGRError: If ``num_tables`` is below 1.
    """
    databases = synthetic_databases(num_tables, seed)
    return Corpus.from_graphs(synthetic_graphs(databases, *synthetic_vectors(databases, seed, dim)))


def synthetic_questions(corpus: Corpus, count: int, seed: int = 0) -> Tensor:
    """Draw question embeddings ``[count, d]``: columns of the corpus plus noise, at cosines of 0.41 to 0.71."""
    generator = torch.Generator().manual_seed(seed)
    column = corpus.x[torch.randint(corpus.num_columns, (count,), generator=generator)]
    strength = torch.rand(count, 1, generator=generator).mul_(1.2).add_(1)
    return normalize(torch.randn(column.shape, generator=generator).mul_(strength * column.size(1) ** -0.5) + column)


def _sizes(shape: Shape, num_tables: int, random: np.random.Generator) -> Iterator[int]:
    """Numbers of tables of databases, with sum ``num_tables``: the last database may be smaller than drawn."""
    while num_tables:
        size = min(_draw(shape.tables, 1, random)[0], num_tables)
        num_tables -= size
        yield size


def _draw(histogram: dict[int, int], count: int, random: np.random.Generator) -> list[int]:
    # Without replacement if there are enough values, so that corpora of one size have similar numbers of columns.
    values = np.repeat(list(histogram), list(histogram.values()))
    return random.choice(values, count, replace=count > values.size).tolist()


def _database(name: str, shape: Shape, size: int, pool: Sequence[Column], random: np.random.Generator) -> Database:
    tables = []
    for number, width in enumerate(_draw(shape.columns, size, random)):
        start = int(random.integers(len(pool) // 2))
        columns = tuple(pool[start : start + width])
        tables.append(Table(f"t{number}", columns, primary_key=(columns[0].name,)))
    if size == 1:
        return Database(name, tuple(tables))
    keys = []
    for number, count in enumerate(_draw(shape.foreign_keys, size, random)):
        targets = ((size - 1) * random.random(count) ** 2).astype(int)
        for key, target in enumerate((targets + (targets >= number)).tolist()):
            names = tables[number].column_names
            column = names[min(1 + key, len(names) - 1)]
            keys.append(ForeignKey(f"t{number}", column, f"t{target}", tables[target].column_names[0]))
    return Database(name, tuple(tables), tuple(keys))


@cache
def _demo_columns() -> dict[Column, str]:
    """The columns of the demo with their descriptors, one per column name."""
    columns: dict[str, tuple[Column, str]] = {}
    databases = {database.name: database for split in DATABASES for database in read_demo(split).databases}
    for database in databases.values():
        for column, text in zip(
            (column for table in database for column in table.columns), column_descriptors(database), strict=True
        ):
            columns.setdefault(column.name, (column, text))
    return dict(columns.values())
