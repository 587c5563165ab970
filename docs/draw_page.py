"""Takes the picture of an answer's page, in headless Chromium: ``python docs/draw_page.py``."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from joingr_pyg import TableRetriever

SCHEMA = Path(__file__).parents[1] / "joingr_pyg/datasets/demo/mountain_rescue/schema.sql"
QUESTION = "Where have we put a Border Collie to work so far? Route name and massif please."

chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if chromium is None:
    raise SystemExit("Chromium is not installed: apt-get install chromium")
target = Path(__file__).with_name("answer_page.png")
result = TableRetriever.from_ddl(SCHEMA).retrieve(QUESTION, k=6)
with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "answer.html"
    page.write_text(result.to_html(), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=2000"]
    options += [f"--user-data-dir={folder}/profile", "--window-size=1180,660", f"--screenshot={target}"]
    subprocess.run([chromium, *options, f"{page.as_uri()}#hop=2"], check=True, capture_output=True)
print(f"Drawn: {target}")
