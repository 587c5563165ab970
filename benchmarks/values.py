"""What values of the rows add: ``python benchmarks/values.py chinook=URL northwind=URL sakila=URL``.

Asks the questions of ``value_questions.json``, each of which names a value, of live databases that hold the rows, with
the untrained JoinGR+ and MiniLM, first from the schema alone and then with ``values=True``. Prints the mean share of
the needed tables among the first 3 and 5, and the share of questions with all of them there.

The questions were written from the schemas and their public rows before any ranking of them was looked at.
"""

import argparse
import json
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from joingr_pyg import TableRetriever, untrained

QUESTIONS = Path(__file__).with_name("value_questions.json")

CUTOFFS = (3, 5)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("databases", nargs="+", metavar="NAME=URL")
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    scores: dict[tuple[str, bool], list[list[float]]] = {}
    for given in parser.parse_args().databases:
        name, _, url = given.partition("=")
        for values in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                retriever = TableRetriever.from_database(
                    url, name=name, values=values, values_folder=folder, model=untrained()
                )
                for question, needed in questions[name]:
                    ranked = [found.table for found in retriever.retrieve(question, k=max(CUTOFFS))]
                    shares = [len(set(needed) & set(ranked[:k])) / len(needed) for k in CUTOFFS]
                    for row in (name, "all"):
                        scores.setdefault((row, values), []).append([*shares, *(float(share == 1) for share in shares)])
    table = Table("database", "questions", "values", *(f"R@{k}" for k in CUTOFFS), *(f"all@{k}" for k in CUTOFFS))
    for (name, values), rows in sorted(scores.items(), key=lambda item: (item[0][0] == "all", item[0])):
        means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        table.add_row(name, str(len(rows)), "yes" if values else "no", *(f"{mean:.3f}" for mean in means))
    Console().print(table)


if __name__ == "__main__":
    main()
