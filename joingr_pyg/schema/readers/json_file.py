"""JSON files, with one-sentence errors."""

import json
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from joingr_pyg.errors import JoinGRError

FETCH_AGAIN = "delete it and download it again (missing files are downloaded if download is on)"


MISSING = (
    "set paths.data=<folder> or the environment variable JOINGR_DATA to the folder with the benchmarks, "
    "or turn download on"
)


def read_json(path: Path | Traversable, missing: str = MISSING, damaged: str = FETCH_AGAIN) -> Any:
    """Read one JSON file.

    Args:
        path: The file, UTF-8 with or without a byte order mark.
        missing: What to do if it is missing, for the message.
        damaged: What to do if it is not JSON, for the message.

    Raises:
        JoinGRError: If the file is missing, cannot be read, or is not valid JSON.
    """
    if not path.is_file():
        raise JoinGRError(f"The file {path.name!r} is missing (looked for at '{path}'): {missing}.")
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:  # Brackets may be nested deeper than Python follows.
        raise JoinGRError(f"The file '{path}' is truncated or not JSON ({error}): {damaged}.") from error


def read_records(path: Path | Traversable, keys: Mapping[str, type]) -> list[dict[str, Any]]:
    """Read a JSON file with a list of objects.

    Args:
        path: The file.
        keys: The required keys of each object, with the types of their values.

    Raises:
        JoinGRError: As :func:`read_json`, or if the content is not a list of objects with these keys.
    """
    records = read_json(path)
    if not isinstance(records, list):
        raise JoinGRError(f"The file '{path}' is not a list of objects (got {type(records).__name__}): {FETCH_AGAIN}.")
    for position, record in enumerate(records):
        for key, kind in keys.items():
            if not isinstance(record, dict) or not isinstance(record.get(key), kind):
                raise JoinGRError(
                    f"Entry {position} of the file '{path}' has no {key!r} of type {kind.__name__}: {FETCH_AGAIN}."
                )
    return records
