"""Draws the README's picture: the walk of one demo question, ``python docs/draw_walk.py``."""

from pathlib import Path

from joingr_pyg.datasets import Demo
from joingr_pyg.encoders import CachedEncoder, MiniLMEncoder
from joingr_pyg.models import heuristic
from joingr_pyg.queries import Queries
from joingr_pyg.reports.drawing.walk import draw_walk

QUESTION = "Where have we put a Border Collie to work so far? Route name and massif please."

dataset = Demo("data", "test", CachedEncoder(MiniLMEncoder()), Path("~/.cache/joingr_pyg").expanduser())
question = next(each for each in dataset.questions if each.text == QUESTION)
model = heuristic().index(dataset.corpus())
asked = Queries.encode([QUESTION], dataset.encoder)
target = Path(__file__).with_name("walk.png")
draw_walk(model, asked, question.gold).savefig(target, dpi=110)
print(f"Drawn: {target}")
