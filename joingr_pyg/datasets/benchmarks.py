"""The benchmarks that the package knows, each as a PyG dataset."""

import os
from importlib import resources
from pathlib import Path
from typing import Any

from joingr_pyg.datasets.beaver import read_beaver
from joingr_pyg.datasets.benchmark import Benchmark
from joingr_pyg.datasets.bird import read_bird
from joingr_pyg.datasets.demo import read_demo
from joingr_pyg.datasets.folder import benchmark_files, read_folder
from joingr_pyg.datasets.join_graphs import JoinGraphs
from joingr_pyg.datasets.spider import read_spider
from joingr_pyg.errors import JoinGRError, require_flags


class Bird(JoinGraphs):
    """BIRD (Li et al., 2023)."""

    benchmark_name = "bird"
    splits = ("train", "dev")

    @property
    def raw_file_names(self) -> list[str]:
        return [*super().raw_file_names, "column_descriptions.json"]

    def read(self) -> Benchmark:
        return read_bird(self.raw_dir, self.split, strict=self.strict)


class Spider(JoinGraphs):
    """Spider 1.0 (Yu et al., 2018)."""

    benchmark_name = "spider"
    splits = ("train", "dev")

    def read(self) -> Benchmark:
        return read_spider(self.raw_dir, self.split, strict=self.strict)


class Beaver(JoinGraphs):
    """BEAVER's data warehouse (Chen et al., 2024a), whose questions are not divided into training and test.

    Args:
        words: How much is used of the words of its schema that come with this package: ``"none"``, ``"names"``
            (abbreviations and what tables hold) or ``"full"`` (columns and joins too).
        arguments: As :class:`JoinGraphs`.

    Raises:
        JoinGRError: As :class:`JoinGraphs`, and if words are asked for together with cryptic names.
    """

    benchmark_name = "beaver"
    splits = ("dev",)

    def __init__(self, *arguments: Any, words: str = "none", **options: Any) -> None:
        self.words = words
        super().__init__(*arguments, **options)

    @property
    def options(self) -> dict[str, Any]:
        return {**super().options, "words": self.words}

    @property
    def title(self) -> str:
        return super().title + (f" with words ({self.words})" if self.words != "none" else "")

    def read(self) -> Benchmark:
        if self.cryptic_names and self.words != "none":
            raise JoinGRError(
                f"The words of BEAVER ({self.words!r}) are those of its own names, which cryptic_names=true replaces: "
                "leave one of dataset.words and dataset.cryptic_names out."
            )
        return read_beaver(self.raw_dir, "dw", strict=self.strict, words=self.words)


class BeaverNW(JoinGraphs):
    """BEAVER's five databases of a network (Chen et al., 2024a)."""

    benchmark_name = "beaver_nw"
    splits = ("dev",)

    @property
    def raw_dir(self) -> str:
        return os.path.join(self.root, "beaver")

    def read(self) -> Benchmark:
        return read_beaver(self.raw_dir, "nw", strict=self.strict)


class Demo(JoinGraphs):
    """The bundled benchmark: ten databases written for this package, one of them a warehouse with cryptic names.

    Args:
        root: Not looked at, and need not exist: the raw files are part of the package, and :attr:`root` says where. It
            is taken so that the demo stands where any other dataset does.
        arguments: As :class:`JoinGraphs`; there is nothing to download.
    """

    benchmark_name = "demo"
    splits = ("train", "test")

    def __init__(self, root: str | Path, *arguments: Any, **options: Any) -> None:
        super().__init__(str(resources.files("joingr_pyg.datasets")), *arguments, **options)

    @property
    def raw_file_names(self) -> list[str]:
        return sorted(str(path.relative_to(self.raw_dir)) for path in Path(self.raw_dir).glob("*/*.*"))

    def fetch_missing(self) -> None:
        """Nothing: the demo is part of the package."""

    def read(self) -> Benchmark:
        return read_demo(self.split, strict=self.strict)


class Folder(JoinGraphs):
    """A benchmark of one's own: a folder with a schema, questions and, where there are some, words for its names.

    Names are expanded as :class:`~joingr_pyg.TableRetriever` does it, with the abbreviations of the words file first.

    Args:
        root: Not read; it is taken so that the dataset stands where any other does.
        split: Always ``"all"``; cross-validation divides the questions.
        arguments: As :class:`JoinGraphs`; there is nothing to download.
        path: The folder, laid out as :func:`~joingr_pyg.datasets.folder.read_folder` describes.
        words: Whether words files are used.
        dialect: Name of the sqlglot dialect of SQL; that of each schema where not given.
        name: Name of the benchmark in reports; that of the folder where not given.

    Raises:
        JoinGRError: As :class:`JoinGraphs`, and if ``path`` is missing or is not laid out as described.
    """

    benchmark_name = "folder"
    splits = ("all",)
    reports_databases = True

    def __init__(
        self,
        root: str | Path,
        *arguments: Any,
        path: str | Path | None,
        words: bool = True,
        dialect: str | None = None,
        name: str | None = None,
        **options: Any,
    ) -> None:
        require_flags(words=words)
        if path is None:
            raise JoinGRError("The dataset 'folder' needs the folder of the benchmark: add dataset.path=<folder>.")
        self.path = Path(path).expanduser()
        self.words = words
        self.dialect = dialect
        self.benchmark_name = name or self.path.resolve().name
        super().__init__(root, *arguments, **options)

    @property
    def raw_dir(self) -> str:
        return str(self.path)

    @property
    def raw_file_names(self) -> list[str]:
        return [str(path.relative_to(self.path)) for path in benchmark_files(self.path)]

    @property
    def options(self) -> dict[str, Any]:
        return {**super().options, "words": self.words, "dialect": self.dialect, "name": self.benchmark_name}

    @property
    def title(self) -> str:
        return super().title + (" with words" if self.words else "")

    def read(self) -> Benchmark:
        if self.cryptic_names and self.words:
            raise JoinGRError(
                "The words files describe names that cryptic_names=true replaces: add dataset.words=false, or leave "
                "dataset.cryptic_names out."
            )
        return read_folder(
            self.path,
            name=self.benchmark_name,
            words=self.words,
            expand_names=self.expand_names,
            dialect=self.dialect,
            strict=self.strict,
        )


class RealSchemas(Folder):
    """Published schemas of applications with questions, in the folder ``real_schemas`` of the data folder.

    Args:
        root: The data folder.
        arguments: As :class:`Folder`, but for ``path`` and ``name``.
    """

    def __init__(self, root: str | Path, *arguments: Any, **options: Any) -> None:
        super().__init__(root, *arguments, path=Path(root) / "real_schemas", name="real_schemas", **options)


DATASETS: dict[str, type[JoinGraphs]] = {
    "bird": Bird,
    "spider": Spider,
    "beaver": Beaver,
    "beaver_nw": BeaverNW,
    "demo": Demo,
    "folder": Folder,
    "real_schemas": RealSchemas,
}
"""The datasets by name."""
