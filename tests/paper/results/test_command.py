"""``python -m paper results``."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.cli.main import main as joingr
from joingr_pyg.runs.jobs import FAILED, Job, write_job
from paper.__main__ import main
from paper.results.rows import METRICS

FOUND, MISSED = ("a", "a b c d e f"), ("a", "b c d e f a")

MakeRun = Callable[..., Path]


def metrics(value: float) -> dict[str, float]:
    return dict.fromkeys(METRICS, value)


def said(overrides: str, speed: float = 100.0, **more: Any) -> dict[str, Any]:
    return {"overrides": overrides.split(), "timing": {"questions_per_second": speed}, **more}


@pytest.fixture
def runs(make_run: MakeRun, tmp_path: Path) -> Path:
    """Trained on BEAVER with two seeds in random and grouped folds; vanilla; BIRD to BEAVER; BGE failed."""
    minilm = {"encoder": "minilm", "dataset": "beaver"}
    for seed, value in ((0, 0.5), (1, 0.7)):
        given = said(f"experiment=beaver_cv seed={seed}", epochs=[1])
        # One seed finds the table of either question among five, the other of one.
        asked = [FOUND, MISSED if seed else FOUND]
        random = {"folds": 5, "fold_groups": False, "questions": asked}
        make_run(f"runs/random/{seed}", metrics(value), seed, **minilm, **random, said=given)
        given = said(f"experiment=beaver_cv fold_groups=true seed={seed}", epochs=[1])
        grouped = {"folds": 5, "fold_groups": True, "questions": [FOUND, FOUND]}
        make_run(f"runs/grouped/{seed}", metrics(value - 0.2), seed, **minilm, **grouped, said=given)
    edge = said("experiment=beaver_cv loss=edge", epochs=[1])
    make_run("runs/edge", metrics(0.45), **minilm, folds=5, fold_groups=False, loss__edge=1, said=edge)
    vanilla = said("method=vanilla dataset=beaver", speed=1234.5)
    make_run("runs/vanilla", metrics(0.25), **minilm, method="vanilla", said=vanilla, questions=[MISSED, MISSED])
    trained = {"dataset": "bird", "seed": 0, "overrides": ["dataset=bird"]}
    over = said("checkpoint=/a/b/best.ckpt dataset=beaver", trained=trained)
    asked = [MISSED, FOUND]
    make_run("runs/transfer", metrics(0.4), **minilm, checkpoint="/a/b/best.ckpt", said=over, questions=asked)
    for setting, value in (("pooled", 0.8), ("per_database", 0.9)):
        given = said(f"method=vanilla dataset=bird setting={setting}")
        folder = make_run(
            f"runs/{setting}", metrics(value), dataset="bird", encoder="minilm", method="vanilla", said=given
        )
        path = folder / "metrics.json"
        path.write_text(path.read_text().replace('"setting": "pooled"', f'"setting": "{setting}"'))
    (tmp_path / "runs/failed").mkdir()
    overrides = ("method=vanilla", "encoder=bge", "dataset=beaver")
    write_job(Job("s", 0, overrides, FAILED, "No weights in /home/me/models/bge.", folder=tmp_path / "runs/failed"))
    return tmp_path / "runs"


def test_runs_with_words_are_rows_of_their_own(make_run: MakeRun, tmp_path: Path) -> None:
    words = {"none": 0.25, "names": 0.35, "full": 0.45}
    for level, value in words.items():
        given = said(f"method=vanilla dataset=beaver dataset.words={level}")
        options = {"dataset__words": level, "dataset__source__words": level}
        named = {"encoder": "minilm", "dataset": "beaver", "method": "vanilla"}
        make_run(f"runs/{level}", metrics(value), **named, **options, said=given)
    given = said("method=vanilla dataset=beaver dataset.expand_names=true")
    make_run("runs/expanded", metrics(0.55), **named, dataset__source__expand_names=True, said=given)
    given = said("method=vanilla dataset=beaver dataset.cryptic_names=true")
    make_run("runs/cryptic", metrics(0.65), **named, dataset__source__cryptic_names=True, said=given)
    make_run("runs/earlier", metrics(0.75), 1, **named, said=said("method=vanilla dataset=beaver seed=1"))
    assert main(["results", str(tmp_path / "runs"), "--write", str(tmp_path / "docs")]) == 0
    page = (tmp_path / "docs" / "results.md").read_text()
    # A run of before there were words is another seed of those without.
    assert "| vanilla | MiniLM | .500 ± .354" in page
    assert "| vanilla, with words for names and tables | MiniLM | .350 |" in page
    assert "| vanilla, with words | MiniLM | .450 |" in page
    assert "| vanilla, with names expanded | MiniLM | .550 |" in page
    assert "| vanilla, with cryptic names | MiniLM | .650 |" in page
    assert "`python evaluate.py method=vanilla dataset=beaver dataset.words=full`" in page


def test_the_page_and_its_rows(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", str(runs), "--write", str(tmp_path / "docs")]) == 0
    assert capsys.readouterr().err == ""
    page = (tmp_path / "docs" / "results.md").read_text()
    lines = page.splitlines()
    (joingr,) = (line for line in lines if line.startswith("| JoinGR, 5 folds | MiniLM |"))
    assert "| .600 ± .141 [.395] |" in joingr
    (vanilla,) = (line for line in lines if line.startswith("| vanilla | MiniLM | .250"))
    assert ".250 [.385]" in vanilla
    assert "| 1,234 |" in vanilla
    (edge,) = (line for line in lines if line.startswith("| JoinGR (loss=edge), 5 folds |"))
    assert "[" not in edge
    assert "| JoinGR, trained on BIRD | MiniLM | .400 [.314] |" in page
    assert "`python train.py -m experiment=beaver_cv fold_groups=true seed=0,1`" in page
    assert "`python evaluate.py checkpoint=outputs/train/.../best.ckpt dataset=beaver`" in page
    # Random beside grouped, pooled beside the question's database, X→Y beside in-domain.
    assert "| BEAVER | JoinGR | .600 ± .141 | .400 ± .141 |" in page
    assert "| BIRD | vanilla | .800 | .900 |" in page
    assert "| JoinGR | BIRD | BEAVER | .400 [.314] |" in page
    assert "| JoinGR | BEAVER itself, 5 folds | BEAVER | .600 ± .141 [.395] |" in page


def test_what_could_not_be_run_is_skipped_with_its_reason(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["results", str(runs)]) == 0
    printed = capsys.readouterr().out
    (row,) = (line for line in printed.splitlines() if line.startswith("| vanilla | BGE | – [.352]"))
    number = row.strip("| ").split("|")[-1].strip()
    assert f"{number}. Skipped: No weights in ...\n" in printed
    # What nobody asked for is not there; that is another thing than skipped.
    assert "| REaR | BGE | – [.347] | – [.179] | – [.474] | – [.684] | – [.174] | – [.364] |  | not run |" in printed


def test_nothing_is_said_of_benchmarks_that_nobody_ran(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = said("method=vanilla dataset=bird")
    make_run("runs/bird", metrics(0.8), dataset="bird", encoder="minilm", method="vanilla", said=given)
    assert main(["results", str(tmp_path / "runs")]) == 0
    printed = capsys.readouterr().out
    assert "## table 3" in printed
    assert "## table 2" not in printed
    assert "## table 5" not in printed
    assert main(["results", str(tmp_path / "runs"), "--write", str(tmp_path / "docs")]) == 0
    page = (tmp_path / "docs" / "results.md").read_text()
    assert "## BIRD: the paper's Table 3" in page
    assert "BIRD's training set" in page
    for other in ("BEAVER: the", "Spider: the", "BEAVER has one database", "Vanilla is better here", "about"):
        assert other not in page, other
    # A page that is there keeps its prose; its tables say that nothing was run.
    (tmp_path / "docs" / "results.md").write_text("<!-- begin table 5 -->\n| old |\n<!-- end table 5 -->\n")
    assert main(["results", str(tmp_path / "runs"), "--write", str(tmp_path / "docs")]) == 0
    assert "| old |" not in (page := (tmp_path / "docs" / "results.md").read_text())
    assert "Nothing was run." in page


def test_the_csv_holds_the_same_rows(runs: Path, tmp_path: Path) -> None:
    assert main(["results", str(runs), "--write", str(tmp_path)]) == 0
    with (tmp_path / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    (joingr,) = (row for row in rows if row["label"] == "JoinGR, 5 folds" and row["encoder"] == "minilm")
    assert (joingr["paper table"], joingr["seeds"], joingr["folds"], joingr["grouped"]) == ("2", "0 1", "5", "")
    assert float(joingr["R@15"]) == pytest.approx(0.6)
    assert float(joingr["R@15 sd"]) == pytest.approx(0.141421, abs=1e-5)
    assert joingr["R@15 paper"] == "0.873"
    (transfer,) = (row for row in rows if row["trained on"] == "bird" and row["seeds"])
    assert transfer["commands"] == (
        "python train.py dataset=bird && python evaluate.py checkpoint=outputs/train/.../best.ckpt dataset=beaver"
    )
    assert sum(bool(row["paper table"]) for row in rows) == 45


def test_rows_are_kept_that_nothing_replaces(runs: Path, make_run: MakeRun, tmp_path: Path) -> None:
    page = tmp_path / "page"
    assert main(["results", str(runs), "--write", str(page)]) == 0
    before = list(csv.DictReader((page / "results.csv").read_text().splitlines()))
    differences = (page / "results.md").read_text().partition("<!-- begin differences -->")[2]
    named = {"encoder": "minilm", "dataset": "beaver", "method": "vanilla"}
    make_run("more/vanilla", metrics(0.35), **named, said=said("method=vanilla dataset=beaver"))
    assert main(["results", str(tmp_path / "more"), "--write", str(page), "--keep"]) == 0
    after = list(csv.DictReader((page / "results.csv").read_text().splitlines()))
    changed = [(old["label"], old["R@5"], new["R@5"]) for old, new in zip(before, after, strict=True) if old != new]
    assert changed == [("vanilla", "0.25", "0.35")]
    written = (page / "results.md").read_text()
    assert "| vanilla | MiniLM | .350 [.279] |" in written
    assert written.partition("<!-- begin differences -->")[2] == differences


def test_keeping_needs_something_to_keep(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options in ([], ["--write", str(tmp_path)]):
        assert main(["results", str(runs), *options, "--keep"]) == 2
        assert "'--keep' needs '--write FOLDER' with a results.csv in it" in capsys.readouterr().err
    (tmp_path / "results.csv").write_text("a,b\n1,2\n")
    assert main(["results", str(runs), "--write", str(tmp_path), "--keep"]) == 2
    assert "does not contain the rows of a results page" in capsys.readouterr().err


def test_differences_are_those_of_the_questions(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", str(runs)]) == 0
    printed = capsys.readouterr().out
    # Both tables in one seed, one in the other, on average 1 and 1/2, against none; the samples draw 1/2 to 1.
    assert "| BEAVER, 5 folds | vanilla | **+.750** (+.500 to +1.000) | **+.750** (+.500 to +1.000) |" in printed
    assert "| BEAVER, 5 grouped folds | vanilla | **+1.000** (+1.000 to +1.000) |" in printed
    assert "| BEAVER, trained on BIRD | vanilla | +.500 (+.000 to +1.000) |" in printed


def test_prose_survives(runs: Path, tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    assert main(["results", str(runs), "--write", str(tmp_path)]) == 0
    before = page.read_text()
    page.write_text(before.replace("# Results\n", "# Results\n\nBy hand.\n").replace(".600 ± .141", "stale"))
    assert main(["results", str(runs), "--write", str(tmp_path)]) == 0
    assert page.read_text() == before.replace("# Results\n", "# Results\n\nBy hand.\n")


def test_figures_that_lie_beside_the_page_are_shown(runs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "figures"
    folder.mkdir(parents=True)
    (folder / "figure6_anchors.png").touch()
    (folder / "failures.md").write_text(
        "# Missed gold tables\n\nBEAVER: 3 of 4.\n\n| reason |\n| - |\n\nEvery missed table:\n\n| long |\n"
    )
    assert main(["results", str(runs), "--write", str(folder.parent)]) == 0
    page = (folder.parent / "results.md").read_text()
    assert "](figures/figure6_anchors.png)" in page
    assert "figure4" not in page
    assert "| reason |" in page
    assert "| long |" not in page


def test_sweeps_that_lie_beside_the_page_are_shown(make_run: MakeRun, runs: Path, tmp_path: Path) -> None:
    for anchors in (5, 3):
        for seed, shift in ((0, -0.01), (1, 0.01)):
            make_run(f"swept/{anchors}/{seed}", {"R@5": anchors / 10 + shift}, seed, model__anchors=anchors)
    folder = tmp_path / "docs" / "sweeps"
    file = folder / "demo_anchors.json"
    assert joingr(["compare", str(tmp_path / "swept"), "--each", "--json", str(file)]) == 0
    (folder / "demo_anchors_r5.png").touch()
    assert main(["results", str(runs), "--write", str(tmp_path / "docs")]) == 0
    page = (tmp_path / "docs" / "results.md").read_text()
    assert "![demo anchors r5](sweeps/demo_anchors_r5.png)\n" in page
    assert "4 runs, ± standard deviation over seeds; every run: [demo_anchors.json](sweeps/demo_anchors.json)*" in page
    table = "| 3 | 2 | 0.300 ±0.014 |\n| 5 | 2 | **0.500 ±0.014** |\n\n<!-- end sweeps -->\n"
    assert table in page


def test_nothing_says_where_it_was_made(runs: Path, tmp_path: Path) -> None:
    assert main(["results", str(runs), "--write", str(tmp_path / "docs")]) == 0
    written = "".join(path.read_text() for path in (tmp_path / "docs").iterdir())
    assert str(tmp_path) not in written
    assert "/a/b" not in written
    assert "/home" not in written


def test_a_folder_without_runs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("results: There is no finished run in")


def test_a_file_of_runs_is_refused(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "runs.json"
    assert joingr(["compare", str(runs), "--each", "--json", str(file)]) == 0
    capsys.readouterr()
    assert main(["results", str(file)]) == 2
    assert "give folders" in capsys.readouterr().err
