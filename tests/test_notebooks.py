"""The notebooks are committed with their outputs, and say nothing of the machine that made them."""

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_there_and_clean(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    code = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    assert all(cell["execution_count"] for cell in code)
    assert any(output.get("data", {}).get("image/png") for output in outputs)
    assert not any(output["output_type"] == "error" or output.get("name") == "stderr" for output in outputs)
    for place in ("/home/", "/root/", "/tmp/", "/work/", "site-packages"):
        assert place not in text
    assert path.stat().st_size < 600_000
