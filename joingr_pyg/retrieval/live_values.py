"""The index of a live database's values: where it lies, and when it is read again."""

import json
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path

from joingr_pyg.encoders.cache import default_cache_folder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database, ForeignKey
from joingr_pyg.schema.joins.few_keys import ReadShares
from joingr_pyg.schema.readers.live import LiveSource
from joingr_pyg.schema.readers.live.address import described, source_url
from joingr_pyg.schema.readers.live.containment import read_shares
from joingr_pyg.schema.readers.live.values import ValueLimits, read_values, value_columns
from joingr_pyg.text.value_index import ValueColumn, ValueIndex, is_value_index

logger = logging.getLogger(__name__)


class LiveValues:
    """Reads the values of a live database into a file, once, and again where asked to.

    The file is for this user alone. Its name depends on the database, the columns that are read and the limits; of the
    URL it depends on system, server and name, and it holds nothing of the URL. Values of a database file are read again
    when that file has changed.

    Args:
        source: URL or engine; kept in memory only.
        limits: What is read.
        folder: Where the file lies; the folder ``values`` in the user's cache folder where not given.
    """

    def __init__(self, source: LiveSource, limits: ValueLimits, folder: str | Path | None = None) -> None:
        self._source, self._limits = source, limits
        self._folder = default_cache_folder() / "values" if folder is None else Path(folder)
        self._shares: dict[str, dict[str, float | None]] = {}

    def index(self, databases: Sequence[Database], again: bool = False) -> ValueIndex:
        """The values of all short text columns.

        Args:
            databases: The schemas that were read from the source.
            again: Read the values even if a file of them is there.

        Raises:
            JoinGRError: If the database cannot be read, or the file cannot be written.
        """
        path = self._path(databases)
        if path is not None and not again and is_value_index(path):
            return ValueIndex(path)
        if path is None:
            path = self._folder / f"memory-{os.getpid()}-{id(self):x}.sqlite"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            index = ValueIndex.write(path, self._read(databases))
        except OSError as error:
            raise JoinGRError(
                f"The index of values cannot be written to '{self._folder}' ({error.strerror or error}): give another "
                "folder as values_folder=..., or set JOINGR_CACHE to one."
            ) from error
        logger.info("%s values of %d columns are indexed in '%s'.", f"{len(index):,}", len(index.columns()), path)
        return index

    def shares(self, database: Database, joins: Sequence[ForeignKey]) -> dict[str, float]:
        """What the rows say of joins, as :func:`~joingr_pyg.schema.readers.live.containment.read_shares` reads it.

        Every join is looked at once. If the database cannot be reached, the joins that are new have no share.
        """
        known = self._shares.setdefault(database.name, {})
        new = [join for join in joins if str(join) not in known]
        if new:
            try:
                known |= dict.fromkeys(map(str, new)) | read_shares(self._source, database, new, self._limits)
            except JoinGRError as error:
                logger.warning("The rows cannot be asked about joins: %s", error)
        return {name: share for name, share in known.items() if share is not None}

    def shares_again(self) -> ReadShares:
        """:meth:`shares` of the rows as they are now."""
        self._shares.clear()
        return self.shares

    def _read(self, databases: Sequence[Database]) -> Iterator[tuple[ValueColumn, list[str]]]:
        for database in databases:
            for table, column, values in read_values(self._source, database, self._limits):
                yield ValueColumn(database.name, table.name, column.name), values

    def _path(self, databases: Sequence[Database]) -> Path | None:
        """The file of these values; ``None`` for a database in memory, which nothing tells from another."""
        url = source_url(self._source)
        state: list[object] = []
        if url.get_backend_name() in ("sqlite", "duckdb"):
            path = Path(url.database or "")
            if not path.is_file():
                return None
            state = [str(path.resolve()), path.stat().st_mtime_ns, path.stat().st_size]
        columns = [
            [database.name, table.name, column.name]
            for database in databases
            for table, column in value_columns(database, self._limits)
        ]
        identity = json.dumps([described(url), state, columns, asdict(self._limits)])
        return self._folder / f"{blake2b(identity.encode(), digest_size=16).hexdigest()}.sqlite"
