"""What describing a schema will take, told before a language model is asked."""

import json
from dataclasses import dataclass
from pathlib import Path

from joingr_pyg.describing.describe import BATCH, plan_of
from joingr_pyg.describing.opinions import opinion_messages, opinion_shape
from joingr_pyg.describing.prompts import answer_shape, messages
from joingr_pyg.describing.words_file import WordsFile
from joingr_pyg.schema import Database

LETTERS_A_TOKEN = 3.0
"""Characters of a request for each token. The estimate is rather too high: a request that is mostly instructions
takes a token for four, as Gemma 3 counts, and names of columns take more."""

TABLE_TOKENS = 70
"""Tokens of an answer about a table, with its columns; the mean of 1,870 tables with words."""

JOIN_TOKENS = 35
"""Tokens of an answer about a join."""


@dataclass(frozen=True)
class Cost:
    """What describing a schema will take, as far as it can be told before. Repeated requests are not counted.

    Args:
        tables: Number of tables to describe.
        joins: Number of joins to judge.
        requests: Number of requests.
        tokens_read: Estimated number of tokens of all requests.
        tokens_written: Estimated number of tokens of all answers, without what a model thinks before it answers.
    """

    tables: int
    joins: int
    requests: int
    tokens_read: int
    tokens_written: int

    def price(self, read: float, written: float) -> float:
        """The price of it all.

        Args:
            read: Price of a million tokens of requests.
            written: Price of a million tokens of answers.
        """
        return (self.tokens_read * read + self.tokens_written * written) / 1e6


def cost_of(
    database: Database,
    path: str | Path | None = None,
    *,
    batch: int = BATCH,
    edge_purposes: bool = True,
    judge_joins: bool = False,
) -> Cost:
    """What :func:`~joingr_pyg.describing.describe_schema` will take with these arguments; nothing is asked.

    Raises:
        JoinGRError: If the file is no words file, or ``batch`` is no whole number above 0.
    """
    file = WordsFile(database, path)
    plan = plan_of(database, file, batch=batch, judge_joins=judge_joins)
    lines = file.lines()
    requests = [
        messages(database, tables, related=plan.related, lines=lines, edge_purposes=edge_purposes)
        for tables in plan.batches
    ]
    opinions = [opinion_messages(database, joins) for joins in plan.candidates]
    shapes = [answer_shape(edge_purposes)] * len(requests) + [opinion_shape()] * len(opinions)
    letters = sum(len(message["content"]) for request in [*requests, *opinions] for message in request)
    letters += sum(len(json.dumps(shape)) for shape in shapes)
    described = {table.name for tables in plan.batches for table in tables}
    purposes = sum(join.table in described for join in database.joins) if edge_purposes else 0
    judged = sum(map(len, plan.candidates))
    return Cost(
        len(described),
        judged,
        len(shapes),
        round(letters / LETTERS_A_TOKEN),
        TABLE_TOKENS * len(described) + JOIN_TOKENS * (purposes + judged),
    )
