from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from joingr_pyg.errors import JoinGRError
from joingr_pyg.evaluation.metrics import RetrievalMetrics
from joingr_pyg.runs.question_records import kept, measures, read_questions

MakeRun = Callable[..., Path]


def test_metrics_of_each_question_by_hand(make_run: MakeRun) -> None:
    folder = make_run("run", {}, questions=[("a b", "b c a"), ("c", "a b"), ("a b c", "c b a")])
    found = measures(read_questions(folder), [1, 3])
    assert found["P@1"].tolist() == [1, 0, 1]
    assert found["R@1"].tolist() == pytest.approx([1 / 2, 0, 1 / 3])
    assert found["PR@1"].tolist() == [0, 0, 0]
    assert found["P@3"].tolist() == pytest.approx([2 / 3, 0, 1])
    assert found["R@3"].tolist() == [1, 0, 1]
    assert found["PR@3"].tolist() == [1, 0, 1]


def test_they_are_what_evaluation_counts(make_run: MakeRun) -> None:
    names = "abcdefgh"
    generator = torch.Generator().manual_seed(0)
    ranked = torch.stack([torch.randperm(8, generator=generator)[:5] for _ in range(20)])
    gold = [torch.randperm(8, generator=generator)[: 1 + row % 4].tolist() for row in range(20)]
    questions = [
        (" ".join(names[i] for i in wanted), " ".join(names[i] for i in got))
        for wanted, got in zip(gold, ranked.tolist(), strict=True)
    ]
    found = measures(read_questions(make_run("run", {}, questions=questions)), [2, 5])
    metrics = RetrievalMetrics([2, 5])
    metrics.update(ranked, torch.tensor([wanted + [-1] * (4 - len(wanted)) for wanted in gold]))
    assert {name: values.mean() for name, values in found.items()} == pytest.approx(
        {name: value.item() for name, value in metrics.compute().items()}
    )


def test_questions_are_in_the_order_of_their_numbers(make_run: MakeRun) -> None:
    folder = make_run("run", {}, questions=[("a", "a"), ("b", "b")])
    path = folder / "questions.jsonl"
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert [record.index for record in read_questions(folder)] == [0, 1]


def test_tables_have_their_scores(make_run: MakeRun) -> None:
    record = read_questions(make_run("run", {}, questions=[("a", "b a")]))[0]
    assert (record.ranked, record.scores) == (("b", "a"), (1, 0.5))


def test_cut_offs_are_read_from_metrics() -> None:
    assert kept(["P@15", "R@5", "PR@5", "loss"]) == (5, 15)


@pytest.mark.parametrize(
    ("content", "part"),
    [(None, "No such file"), ("", "holds no question"), ("{", "was not written by"), ("[]\n", "was not written by")],
)
def test_a_bad_file_is_named(tmp_path: Path, content: str | None, part: str) -> None:
    if content is not None:
        (tmp_path / "questions.jsonl").write_text(content)
    with pytest.raises(JoinGRError, match=part) as raised:
        read_questions(tmp_path)
    assert "questions.jsonl" in str(raised.value)
