"""Compound questions: several questions of one database concatenated into one."""

import random
from dataclasses import replace

from joingr_pyg.datasets.benchmark import Benchmark, Question


def benchmark_with_compound_questions(benchmark: Benchmark, parts: int) -> Benchmark:
    """Append other questions of the same database to each question; its gold tables are those of all parts.

    The other questions are drawn at random with a fixed seed. If a database has fewer questions than ``parts``, all of
    them are used. The SQL is removed, since each part has its own.

    Args:
        benchmark: The benchmark.
        parts: Number of questions in a compound question, at least 1.
    """
    random_source = random.Random(0)
    questions_of: dict[str, list[Question]] = {}
    for question in benchmark.questions:
        questions_of.setdefault(question.database, []).append(question)

    def compound(question: Question) -> Question:
        others = [other for other in questions_of[question.database] if other is not question]
        members = [question, *random_source.sample(others, min(parts - 1, len(others)))]
        return replace(
            question,
            text=" ".join(member.text for member in members),
            gold_tables=tuple(dict.fromkeys(table for member in members for table in member.gold_tables)),
            gold_joins=tuple(dict.fromkeys(join for member in members for join in member.gold_joins)),
            sql="",
        )

    return replace(benchmark, questions=tuple(map(compound, benchmark.questions)))
