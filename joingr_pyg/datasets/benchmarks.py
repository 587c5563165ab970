"""The supported benchmarks as PyG datasets."""

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
    """BEAVER's data warehouse (Chen et al., 2024a). It has no train and test split.

    Args:
        words: How much of the bundled words file is used: ``"none"``, ``"names"`` (abbreviations and table
            descriptions) or ``"full"`` (descriptions of columns and joins too).
        arguments: As :class:`JoinGraphs`.

    Raises:
        JoinGRError: As :class:`JoinGraphs`, and if ``words`` is combined with ``cryptic_names``.
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
                f"The words of BEAVER ({self.words!r}) describe its own names, which cryptic_names=true replaces: "
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
        root: Ignored, since the raw files are part of the package. It is accepted so that all datasets have the same
            arguments.
        arguments: As :class:`JoinGraphs`; nothing is downloaded.
    """

    benchmark_name = "demo"
    splits = ("train", "test")

    def __init__(self, root: str | Path, *arguments: Any, **options: Any) -> None:
        super().__init__(str(resources.files("joingr_pyg.datasets")), *arguments, **options)

    @property
    def raw_file_names(self) -> list[str]:
        return sorted(str(path.relative_to(self.raw_dir)) for path in Path(self.raw_dir).glob("*/*.*"))

    def fetch_missing(self) -> None:
        """Do nothing: the demo is part of the package."""

    def read(self) -> Benchmark:
        return read_demo(self.split, strict=self.strict)


class Folder(JoinGraphs):
    """A user's own benchmark: a folder with a schema, questions and optionally a words file.

    Names are expanded as in :class:`~joingr_pyg.TableRetriever`; abbreviations of the words file take precedence.

    Args:
        root: Ignored. It is accepted so that all datasets have the same arguments.
        split: Always ``"all"``; cross-validation divides the questions.
        arguments: As :class:`JoinGraphs`; nothing is downloaded.
        path: The folder, with the layout of :func:`~joingr_pyg.datasets.folder.read_folder`.
        words: Whether words files are used.
        dialect: Name of the sqlglot dialect of SQL. The default is the dialect of each schema.
        name: Name of the benchmark in reports. The default is the name of the folder.

    Raises:
        JoinGRError: As :class:`JoinGraphs`, and if ``path`` is missing or has another layout.
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
        arguments: As :class:`Folder`, without ``path`` and ``name``.
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
