"""The model card says what the evaluation beside it holds."""

import json
import re
from pathlib import Path

import joingr_pyg.models.reranking as package
from joingr_pyg.models.reranking.model import _packaged

FOLDER = Path(package.__file__).parent
CARD = (FOLDER / "model_card.md").read_text(encoding="utf-8")
EVALUATION = json.loads((FOLDER / "evaluation.json").read_text(encoding="utf-8"))
ROWS = {
    "words": "with words",
    "names": "names alone",
    "words, declared joins": "with words, 5 schemas with few keys, declared joins alone",
    "names, declared joins": "names alone, the same 5 schemas, declared joins alone",
    "words, all schemas together": "with words, all 2,345 tables together",
    "names, all schemas together": "names alone, all 2,345 tables together",
}


def numbers(title: str) -> list[list[float]]:
    """The numbers of each row of the card's tables with this title."""
    lines = [line for line in CARD.splitlines() if line.startswith(f"| {title} |")]
    return [[float(number) for number in re.findall(r"\d*\.\d+", line.partition("| ")[2])] for line in lines]


def test_rankings() -> None:
    for variant, title in ROWS.items():
        figures = EVALUATION["rankings"][variant]
        pairs = zip(figures["untrained"].values(), figures["reranked"].values(), strict=True)
        assert numbers(title)[0] == [round(number, 3) for pair in pairs for number in pair]


def test_sets() -> None:
    for variant in ("words", "names"):
        expected = [
            rounded
            for complete, size in EVALUATION["sets"][variant].values()
            for rounded in (round(complete, 3), round(size, 1))
        ]
        assert numbers(ROWS[variant])[1] == expected


def test_it_names_the_encoder_and_the_command() -> None:
    assert "all-MiniLM-L6-v2" in _packaged()[1]["encoder"]
    assert "`python benchmarks/fit_reranker.py DATA --write`" in CARD
