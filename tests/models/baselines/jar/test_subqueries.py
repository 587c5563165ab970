import json
from pathlib import Path

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.baselines.jar.subqueries import Subqueries


def written(folder: Path, subqueries: object, questions: list[str]) -> dict[str, str]:
    paths = {"subqueries": folder / "decomp.json", "questions": folder / "dev.json"}
    paths["subqueries"].write_text(json.dumps(subqueries), encoding="utf-8")
    paths["questions"].write_text(json.dumps([{"question": each} for each in questions]), encoding="utf-8")
    return {name: str(path) for name, path in paths.items()}


def test_published_parts_come_before_noun_phrases(tmp_path: Path) -> None:
    files = written(tmp_path, [["students:grade", "county", " "], []], ["Which grade?", "Which county has rooms?"])
    subqueries = Subqueries([files])
    assert subqueries.of("Which grade?") == ["students:grade", "county"]
    # Nothing is published of the second one, and nothing at all of the third.
    assert subqueries.of("Which county has rooms?") == ["county", "rooms"]
    assert subqueries.of("Which dogs?") == ["dogs"]
    published = [subqueries.is_published(each) for each in ("Which grade?", "Which county has rooms?", "Which dogs?")]
    assert published == [True, False, False]


def test_missing_files_are_left_out(tmp_path: Path) -> None:
    files = written(tmp_path, [["grade"]], ["Which grade?"])
    Path(files["subqueries"]).unlink()
    assert Subqueries([files]).of("Which dogs?") == ["dogs"]


@pytest.mark.parametrize(
    ("subqueries", "told"),
    [([["a"], ["b"]], "decomposes 2 questions, but .* holds 1"), ({"a": 1}, "no list of lists"), ([[1]], "no list of")],
)
def test_files_that_do_not_fit_are_told(tmp_path: Path, subqueries: object, told: str) -> None:
    with pytest.raises(JoinGRError, match=told):
        Subqueries([written(tmp_path, subqueries, ["Which grade?"])]).of("Which grade?")


def test_the_authors_files_fit_the_benchmarks(benchmarks: Path) -> None:
    for dataset, questions in (("bird", "bird/dev/dev.json"), ("spider", "spider/dev.json")):
        files = {"subqueries": benchmarks / f"jar/{dataset}_decomp.json", "questions": benchmarks / questions}
        if not files["subqueries"].is_file():
            pytest.skip("JAR's decompositions are not here")
        known = Subqueries([{name: str(path) for name, path in files.items()}])
        first = json.loads(files["questions"].read_text(encoding="utf-8"))[0]["question"]
        assert known.is_published(first)
