"""Where a schema's statements come from: files in any encoding, or text."""

import codecs
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from joingr_pyg.errors import JoinGRError
from joingr_pyg.progress import bar

Source = str | Path | Sequence[str | Path]
"""A file, the statements themselves, or several of these."""

PIECE = 1 << 20
"""Letters that are read together."""

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

NO_SCRIPTS = {
    b"PGDMP": "a dump in pg_dump's own format: make it text by pg_restore --schema-only -f schema.sql FILE",
    b"SQLite format 3\0": "an SQLite database: give its schema as text, which sqlite3 FILE .schema prints",
    b"PK\x03\x04": "a ZIP archive: unpack it",
    b"\x1f\x8b": "compressed: unpack it with gunzip",
    b"BZh": "compressed: unpack it with bunzip2",
    b"\xfd7zXZ": "compressed: unpack it with unxz",
    b"\x28\xb5\x2f\xfd": "compressed: unpack it with unzstd",
}
"""Beginnings of files that are often taken for scripts, and what these are."""

LOOKS_LIKE_STATEMENTS = re.compile(
    r"[;\n]|\s*(?:--|/\*|(?:CREATE|ALTER|DROP|COMMENT|INSERT|SELECT|SET|USE|BEGIN|PRAGMA)\s)", re.IGNORECASE
)

UNDECODED = re.compile("[\udc80-\udcff]")
WINDOWS_1252 = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}


@dataclass
class Script:
    """One file, or a text.

    Args:
        path: The file; ``None`` for a text.
        text: The text.
        encoding: Encoding of the file, where the user gave one.
        warnings: What the user should know after the script was read.
    """

    path: Path | None = None
    text: str = ""
    encoding: str | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "" if self.path is None else self.path.name

    def head(self, letters: int) -> str:
        """The beginning of the script.

        Raises:
            JoinGRError: If the file cannot be read.
        """
        if self.path is None:
            return self.text[:letters]
        with self._opened() as file:
            return self._read(file, letters)

    def pieces(self) -> Iterator[str]:
        r"""The script in pieces that end with a line, lines ending with ``"\n"``.

        Raises:
            JoinGRError: If the file cannot be read, or not in the encoding that was given.
        """
        if self.path is None:
            yield self.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
            return
        size = self.path.stat().st_size
        with self._opened() as file, bar("Reading", size, "B", unit_scale=True, delay=0.5) as shown:
            line = 1
            while piece := self._read(file, PIECE, whole_lines=True):
                line += self._repair(piece, line)
                yield piece.translate(WINDOWS_1252) if not piece.isascii() and UNDECODED.search(piece) else piece
                shown.update(min(len(piece), size - shown.n))

    def _opened(self) -> io.TextIOWrapper:
        assert self.path is not None
        try:
            with self.path.open("rb") as file:
                chosen = self.encoding or _recognised(file.read(4096))
            # What is no UTF-8 is kept for now, to be repaired.
            errors = "surrogateescape" if not self.encoding and chosen.startswith("utf-8") else "strict"
            return self.path.open(encoding=chosen, errors=errors)
        except OSError as error:
            raise JoinGRError(f"The schema file '{self.path}' cannot be read ({error.strerror}).") from error

    def _read(self, file: io.TextIOWrapper, letters: int, whole_lines: bool = False) -> str:
        try:
            return file.read(letters) + (file.readline() if whole_lines else "")
        except UnicodeError as error:
            raise JoinGRError(
                f"The file '{self.path}' is not in the encoding {file.encoding!r} ({error}): give the one it was "
                "written in as encoding=."
            ) from error

    def _repair(self, piece: str, line: int) -> int:
        """Warn of letters that are no UTF-8; the number of lines of the piece."""
        wrong = None if piece.isascii() or self.warnings else UNDECODED.search(piece)
        if wrong is not None:
            line += piece.count("\n", 0, wrong.start())
            self.warnings.append(
                f"The file '{self.path}' is no UTF-8, first in line {line}: such letters are read as Windows-1252; "
                "give encoding= if it is another."
            )
        return piece.count("\n")


def scripts(source: Source, encoding: str | None = None) -> list[Script]:
    """The scripts that a source means.

    Args:
        source: A file, statements, or several of these.
        encoding: Encoding of the files; recognised where not given.

    Raises:
        JoinGRError: If the source is neither, or a file is missing or no text.
    """
    if encoding is not None:
        try:
            codecs.lookup(encoding)
        except (LookupError, TypeError) as error:
            raise JoinGRError(f"There is no encoding {encoding!r}: give one such as 'utf-16' or 'cp1252'.") from error
    if isinstance(source, str | Path):
        return [_script(source, encoding)]
    if not isinstance(source, Sequence) or isinstance(source, bytes | bytearray):
        raise JoinGRError(
            f"A schema is read from a file, a list of files, or a text of statements (got {type(source).__name__})."
        )
    if not source:
        raise JoinGRError("The list of schema files is empty: name at least one.")
    for entry in source:
        if not isinstance(entry, str | Path):
            raise JoinGRError(
                f"A list of schema files holds paths or texts of statements (got {type(entry).__name__} in it)."
            )
    return [_script(entry, encoding) for entry in source]


def _script(source: str | Path, encoding: str | None) -> Script:
    path = Path(source)
    if isinstance(source, str) and LOOKS_LIKE_STATEMENTS.search(source) and not _exists(path):
        return Script(text=source)
    if not source or not str(source).strip():
        return Script(text="")
    if isinstance(source, Path) and LOOKS_LIKE_STATEMENTS.match(str(source)) and not _exists(path):
        raise JoinGRError(f"The path {str(source)[:60]!r} is no file but statements: give them as str, not as Path.")
    try:
        if path.is_dir():
            raise JoinGRError(
                f"'{path}' is a folder, a directory of files: give the files in it, such as sorted(Path({str(path)!r})"
                ".glob('*.sql'))."
            )
        with path.open("rb") as file:
            _require_text(path, file.read(PIECE), encoding)
    except (OSError, ValueError) as error:
        if isinstance(error, JoinGRError):
            raise
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise JoinGRError(
            f"The schema file {str(path)[:200]!r} cannot be read ({why}): give a file of CREATE TABLE statements, or "
            "the statements themselves."
        ) from error
    return Script(path, encoding=encoding)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _require_text(path: Path, head: bytes, encoding: str | None) -> None:
    for beginning, what in NO_SCRIPTS.items():
        if head.startswith(beginning):
            raise JoinGRError(f"The schema file '{path}' is {what}.")
    if encoding is None and b"\0" in head and _recognised(head) == "utf-8":
        raise JoinGRError(f"The schema file '{path}' is no text: give a file of CREATE TABLE statements.")


def _recognised(head: bytes) -> str:
    """The encoding that the beginning of a file tells of."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding
    # Every other byte of Western text in UTF-16 is zero.
    half = len(head) // 2
    if half and head[1::2].count(0) > half * 0.4:
        return "utf-16-le"
    if half and head[::2].count(0) > half * 0.4:
        return "utf-16-be"
    return "utf-8"
