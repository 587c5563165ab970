import subprocess
import sys
from pathlib import Path

import pytest

from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.models import JoinGR, JoinGRPlus
from joingr_pyg.models.checkpoint import Description, save_checkpoint

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "agreement.py"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (JoinGRPlus, "100.00% of 15 ranks the same"),
        (JoinGR, "holds a model of kind 'joingr': give one of JoinGR+."),
    ],
)
def test_both_ways_agree(tmp_path: Path, model: type[JoinGR | JoinGRPlus], message: str) -> None:
    encoder, plain = HashingEncoder(), model(None)
    about = Description(plain.arguments, encoder.name, encoder.identity, "", 0, plain.kind)
    save_checkpoint(tmp_path / "best.ckpt", plain, about)
    run = subprocess.run(
        [sys.executable, str(SCRIPT), "demo", str(tmp_path / "best.ckpt"), "--encoder", "hashing"],
        env={"JOINGR_CACHE": str(tmp_path), "PATH": "", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert message in run.stdout + run.stderr, run.stderr
