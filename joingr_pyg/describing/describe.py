"""The words of a schema, written by a language model: batches of related tables, several at a time, kept at once."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from joingr_pyg.describing.answers import line_in_text, read_answer
from joingr_pyg.describing.batches import related_batches
from joingr_pyg.describing.language_model import Connection, LanguageModel, NoAnswerError
from joingr_pyg.describing.opinions import candidate_batches, opinion_messages, opinion_shape, read_opinions
from joingr_pyg.describing.prompts import LINE_EXAMPLES, answer_shape, line_messages, messages
from joingr_pyg.describing.words_file import WordsFile
from joingr_pyg.errors import JoinGRError, require_at_least, require_whole
from joingr_pyg.progress import bar
from joingr_pyg.schema import Database, ForeignKey, Table
from joingr_pyg.schema.joins.few_keys import with_inferred_joins
from joingr_pyg.schema.names.glossary import Words

logger = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")

BATCH = 8
"""Number of tables in a request, where not given."""

CONCURRENT = 4
"""Number of requests at a time, where not given."""

ATTEMPTS = 3
"""How often a table is asked for in JSON, each time in batches of half the size, before its line alone is asked for.

One that was alone in a request and got no answer is not asked for in JSON again.
"""

GIVE_UP = 3
"""Number of batches without any use, before there was a useful one, after which a model is given up."""


@dataclass(frozen=True)
class Plan:
    """What is to be asked of a language model.

    Args:
        database: The schema as it is described.
        related: The schema with inferred joins as well.
        batches: The tables of each request.
        candidates: The joins of each request for an opinion.
        kept: Tables that have changed, whose words stay because people wrote some of them.
    """

    database: Database
    related: Database
    batches: Sequence[Sequence[Table]]
    candidates: Sequence[Sequence[ForeignKey]]
    kept: Sequence[str]


def plan_of(database: Database, file: WordsFile, *, batch: int = BATCH, judge_joins: bool = False) -> Plan:
    """What is to be asked: tables that no words describe or that have changed, and joins without an opinion.

    Args:
        database: The schema.
        file: Its words so far.
        batch: Maximum number of tables in a request.
        judge_joins: Whether opinions on joins that nobody declared are wanted.

    Raises:
        JoinGRError: If ``batch`` is no whole number above 0.
    """
    require_whole(batch=batch)
    require_at_least(1, batch=batch)
    related = with_inferred_joins(database, True)
    return Plan(
        database,
        related,
        related_batches(related, file.to_describe(), batch),
        candidate_batches(database, file.words.opinions) if judge_joins else (),
        file.changed_and_edited(),
    )


def describe_schema(
    database: Database,
    model: LanguageModel | str,
    path: str | Path | None = None,
    *,
    batch: int = BATCH,
    concurrent: int = CONCURRENT,
    edge_purposes: bool = True,
    judge_joins: bool = False,
    lines_only: bool = False,
) -> Words:
    """Let a language model write the words of a schema.

    They say what a row of each table is, what columns with unclear names hold, why tables are joined, and what
    abbreviations stand for (semantic names, purposes and edge purposes of section 3.1 of the paper). The model sees
    names, types, keys and comments, and never a row.

    Only tables are asked for that the file does not describe, or that have changed since the model described them; what
    people wrote or edited stays as it is. Every answer is written to the file at once, so that after an interruption
    the same call goes on where it stopped.

    Args:
        database: The schema, as a reader returns it.
        model: The language model, or its name at OpenAI.
        path: The words file, which may be missing. ``None`` keeps the words in memory alone.
        batch: Maximum number of tables in a request.
        concurrent: Maximum number of requests at a time.
        edge_purposes: Whether joins are described, too (edge purposes of section 3.1).
        judge_joins: Whether the model is also asked how probable joins are that names suggest and nobody declared.
            Where joins are inferred, its opinion counts as much as the inference's own.
        lines_only: Whether the model is asked for nothing but the line of each table, as plain text, one table at a
            time: for a model that is too small for JSON.

    Returns:
        All words, also those that the file held before.

    Raises:
        JoinGRError: If the endpoint cannot be reached or refuses requests, the model gives no usable answer at all,
            the file cannot be read or written, or a number is out of range.
    """
    require_whole(concurrent=concurrent)
    require_at_least(1, concurrent=concurrent)
    model = LanguageModel(model) if isinstance(model, str) else model
    file = WordsFile(database, path, f"written by the language model {model.name} from the schema alone")
    plan = plan_of(database, file, batch=1 if lines_only else batch, judge_joins=judge_joins)
    if plan.batches or plan.candidates:
        _run(_Describing(plan, file, edge_purposes, 0 if lines_only else ATTEMPTS).run(model, concurrent))
    return file.words


class _Describing:
    """One run over a plan."""

    def __init__(self, plan: Plan, file: WordsFile, edge_purposes: bool, attempts: int) -> None:
        self.plan = plan
        self.file = file
        self.edge_purposes = edge_purposes
        self.attempts = attempts
        self.left_out: dict[str, str] = {}
        self._useful = False
        self._useless = 0

    async def run(self, model: LanguageModel, concurrent: int) -> None:
        batches, candidates = self.plan.batches, self.plan.candidates
        async with model.connect() as connection:
            limit = asyncio.Semaphore(concurrent)
            with bar("Describing", sum(map(len, batches)), "table", disable=_hidden(batches)) as tables:
                await _all(self._describe(connection, limit, batch, tables.update) for batch in batches)
            with bar("Judging joins", sum(map(len, candidates)), "join", disable=_hidden(candidates)) as joins:
                await _all(self._judge(connection, limit, batch, joins.update) for batch in candidates)
            logger.info("The model read %d tokens and wrote %d.", connection.tokens_read, connection.tokens_written)
        if self.left_out:
            table, why = next(iter(self.left_out.items()))
            logger.warning(
                "%d table(s) got no usable words, the first %r (%s); they are asked for again next time.",
                *(len(self.left_out), table, why.rstrip(".")),
            )

    async def _describe(
        self, connection: Connection, limit: asyncio.Semaphore, batch: Sequence[Table], done: Callable[[int], Any]
    ) -> None:
        """Ask for tables; for those without usable words again, in smaller requests that say what was wrong."""
        faults: dict[str, str] = {}
        pending, size = list(batch), len(batch)
        unanswered: set[str] = set()  # No request for such a table could be smaller.
        async with limit:  # To the end, so that a model of no use is given up before it was asked for everything.
            for attempt in range(self.attempts):
                asked = [table for table in pending if table.name not in unanswered]
                for part in [asked[start : start + size] for start in range(0, len(asked), size)]:
                    try:
                        said, wrong = await self._said(connection, part, faults, last=attempt == self.attempts - 1)
                    except NoAnswerError as error:
                        said, wrong = set(), {table.name: str(error) for table in part}
                        unanswered.update(table.name for table in part if len(part) == 1)
                    pending = [table for table in pending if table.name not in said]
                    faults |= wrong
                    done(len(said))
                size = max(1, size // 2)
                if not pending:
                    break
            for table in list(pending):
                if await self._said_line(connection, table):
                    pending.remove(table)
                    done(1)
        self.left_out |= {table.name: faults.get(table.name, "the line was of no use") for table in pending}
        self._count(len(pending) < len(batch), self.left_out)

    async def _said(
        self, connection: Connection, tables: Sequence[Table], faults: Mapping[str, str], *, last: bool
    ) -> tuple[set[str], Mapping[str, str]]:
        """Ask once, and add what is of use to the file: the tables described, and what is wrong with the others.

        Raises:
            NoAnswerError: If there is no answer.
        """
        database, purposes = self.plan.database, self.edge_purposes
        lines = self.file.lines()
        request = messages(
            database, tables, related=self.plan.related, lines=lines, edge_purposes=purposes, faults=faults
        )
        said = await connection.ask(request, answer_shape(purposes))
        others = self.file.lines()
        for table in tables:
            others.pop(table.name, None)
        answer = read_answer(said, database, tables, others.values(), edge_purposes=purposes, last=last)
        self.file.add(answer)
        return {table.table for table in answer.tables}, answer.faults

    async def _said_line(self, connection: Connection, table: Table) -> bool:
        """Ask for the line of a table alone, as plain text, which a small model may be able to write."""
        try:
            text = await connection.ask_line(line_messages(table))
        except NoAnswerError:
            return False
        said = {"tables": [{"table": table.name, "line": line_in_text(text, table.name)}]}
        known = [*self.file.lines().values(), *LINE_EXAMPLES.values()]
        answer = read_answer(said, self.plan.database, [table], known, edge_purposes=False, last=True)
        self.file.add(answer)
        return bool(answer.tables)

    async def _judge(
        self, connection: Connection, limit: asyncio.Semaphore, batch: Sequence[ForeignKey], done: Callable[[int], Any]
    ) -> None:
        """Ask how probable joins are; those without an answer keep the probability that the inference gives them."""
        try:
            async with limit:
                said = await connection.ask(opinion_messages(self.plan.database, batch), opinion_shape())
        except NoAnswerError as error:
            logger.warning("%d join(s) got no opinion (%s); they are asked for again next time.", len(batch), error)
            return
        opinions = read_opinions(said, batch)
        self.file.add_opinions(opinions)
        done(len(opinions))

    def _count(self, useful: bool, faults: Mapping[str, str]) -> None:
        """Give a model up that has been of no use so far."""
        self._useful = self._useful or useful
        self._useless += not useful
        if not self._useful and self._useless in (GIVE_UP, len(self.plan.batches)):
            raise JoinGRError(
                f"No table got usable words from {self._useless} request(s), the first {next(iter(self.left_out))!r} "
                f"({next(iter(faults.values())).rstrip('.')}): try smaller requests (--batch 1) or another model."
            )


def _hidden(batches: Sequence[Any]) -> bool | None:
    """Whether a progress bar is left out, which would count to 0."""
    return None if batches else True


async def _all(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Wait for all; if one fails or the user interrupts, stop the others."""
    tasks = [asyncio.create_task(one) for one in work]
    try:
        for finished in asyncio.as_completed(tasks):
            await finished
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end, also where an event loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()
