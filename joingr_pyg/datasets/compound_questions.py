"""A benchmark whose questions ask for several things at once."""

import random
from dataclasses import replace

from joingr_pyg.datasets.benchmark import Benchmark, Question


def benchmark_with_compound_questions(benchmark: Benchmark, parts: int) -> Benchmark:
    """Ask each question together with others of its database, drawn at random: they need the tables of all parts.

    The same questions are drawn each time, and as many as there are where these are fewer. SQL is left out, of which
    there is one a part.

    Args:
        benchmark: The benchmark.
        parts: Questions that are asked as one, at least 1.
    """
    drawn = random.Random(0)
    asked: dict[str, list[Question]] = {}
    for question in benchmark.questions:
        asked.setdefault(question.database, []).append(question)

    def compound(question: Question) -> Question:
        others = [other for other in asked[question.database] if other is not question]
        every = [question, *drawn.sample(others, min(parts - 1, len(others)))]
        return replace(
            question,
            text=" ".join(part.text for part in every),
            gold_tables=tuple(dict.fromkeys(table for part in every for table in part.gold_tables)),
            gold_joins=tuple(dict.fromkeys(join for part in every for join in part.gold_joins)),
            sql="",
        )

    return replace(benchmark, questions=tuple(map(compound, benchmark.questions)))
