"""Draws the README's picture: how a retriever answers one demo question, ``python docs/draw_walk.py``."""

from pathlib import Path

from joingr_pyg import TableRetriever, untrained
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets.demo import read_demo
from joingr_pyg.encoders import CachedEncoder, MiniLMEncoder
from joingr_pyg.plotting.walk import draw_walk

QUESTION = "Where have we put a Border Collie to work so far? Route name and massif please."

demo = read_demo("test")
question = next(each for each in demo.questions if each.text == QUESTION)
encoder = CachedEncoder(MiniLMEncoder())
retriever = TableRetriever(demo.databases, encoder, untrained())
target = Path(__file__).with_name("walk.png")
asked = Queries.encode([QUESTION], encoder)
draw_walk(retriever.model, asked, question.gold, most=14).savefig(target, dpi=110)
print(f"Drawn: {target}")
