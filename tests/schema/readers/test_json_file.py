import json
import re
from pathlib import Path

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.readers.json_file import read_json, read_records


def test_a_byte_order_mark_is_no_part_of_the_json(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"名": 1}).encode())
    assert read_json(path) == {"名": 1}


def test_a_missing_file_is_named_with_its_place_and_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(JoinGRError) as caught:
        read_json(tmp_path / "bird" / "dev.json")
    message = str(caught.value)
    assert "'dev.json'" in message
    assert str(tmp_path / "bird" / "dev.json") in message
    for remedy in ("paths.data", "JOINGR_DATA", "download"):
        assert remedy in message


def test_a_folder_instead_of_the_file_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match="missing"):
        read_json(tmp_path)


@pytest.mark.parametrize("content", [b"", b'[{"db_id": "a", "que', b"<html>", b'"\xff"'])
def test_a_truncated_file_is_named_with_the_remedy(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tables.json"
    path.write_bytes(content)
    with pytest.raises(JoinGRError, match=f"{re.escape(str(path))}.*truncated or not JSON.*download it again"):
        read_json(path)


def test_records_come_back_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    path.write_text('[{"question": "q", "extra": null}]')
    assert read_records(path, {"question": str}) == [{"question": "q", "extra": None}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"question": "q"}', "not a list of objects (got dict)"),
        ('[{"question": "q"}, {"text": "q"}]', "Entry 1 of the file"),
        ('[{"question": null}]', "'question' of type str"),
        ("[3]", "Entry 0 of the file"),
    ],
)
def test_malformed_records_are_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "dev.json"
    path.write_text(content)
    with pytest.raises(JoinGRError, match=re.escape(message)):
        read_records(path, {"question": str})
