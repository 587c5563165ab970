"""A page in headless Chromium, for tests that see it as a reader does."""

import shutil
import subprocess
from pathlib import Path

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium")


def dom_of(page: str, folder: Path, fragment: str = "") -> str:
    """The document that the page has become once its scripts ran."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    assert CHROMIUM is not None
    command = [
        *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
        *(
            f"--user-data-dir={folder / 'profile'}",
            "--window-size=1280,900",
            "--virtual-time-budget=2000",
            "--dump-dom",
        ),
        path.as_uri() + fragment,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=180, check=True).stdout


def without_policy(page: str) -> str:
    """The page without its policy, so that a test may add a script, and an injected one would run."""
    start = page.index('<meta http-equiv="Content-Security-Policy"')
    return page[:start] + page[page.index(">", start) + 1 :]
