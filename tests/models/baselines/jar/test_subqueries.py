import json
from pathlib import Path

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.baselines.jar.subqueries import Subqueries


def written(folder: Path, subqueries: object, questions: list[str]) -> dict[str, str]:
    paths = {"subqueries": folder / "decomp.json", "questions": folder / "dev.json"}
    paths["subqueries"].write_text(json.dumps(subqueries), encoding="utf-8")
    paths["questions"].write_text(json.dumps([{"question": question} for question in questions]), encoding="utf-8")
    return {name: str(path) for name, path in paths.items()}


def test_published_parts_come_before_noun_phrases(tmp_path: Path) -> None:
    files = written(tmp_path, [["students:grade", "county", " "], []], ["Which grade?", "Which county has rooms?"])
    subqueries = Subqueries([files])
    assert subqueries.of("Which grade?") == ["students:grade", "county"]
    # Nothing is published of the second one, and nothing at all of the third.
    assert subqueries.of("Which county has rooms?") == ["county", "rooms"]
    assert subqueries.of("Which dogs?") == ["dogs"]
    published = [
        subqueries.is_published(question) for question in ("Which grade?", "Which county has rooms?", "Which dogs?")
    ]
    assert published == [True, False, False]


def test_missing_files_are_ignored(tmp_path: Path) -> None:
    files = written(tmp_path, [["grade"]], ["Which grade?"])
    Path(files["subqueries"]).unlink()
    assert Subqueries([files]).of("Which dogs?") == ["dogs"]


@pytest.mark.parametrize(
    ("subqueries", "message"),
    [
        ([["a"], ["b"]], "decomposes 2 questions, but .* has 1"),
        ({"a": 1}, "not a list of lists"),
        ([[1]], "not a list of"),
    ],
)
def test_malformed_files_are_refused(tmp_path: Path, subqueries: object, message: str) -> None:
    with pytest.raises(JoinGRError, match=message):
        Subqueries([written(tmp_path, subqueries, ["Which grade?"])]).of("Which grade?")


def test_the_published_files_match_the_benchmarks(benchmarks: Path) -> None:
    for dataset, questions in (("bird", "bird/dev/dev.json"), ("spider", "spider/dev.json")):
        files = {"subqueries": benchmarks / f"jar/{dataset}_decomp.json", "questions": benchmarks / questions}
        if not files["subqueries"].is_file():
            pytest.skip("JAR's decompositions are not here")
        decompositions = Subqueries([{name: str(path) for name, path in files.items()}])
        first = json.loads(files["questions"].read_text(encoding="utf-8"))[0]["question"]
        assert decompositions.is_published(first)
