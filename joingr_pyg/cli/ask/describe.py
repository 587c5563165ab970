"""``joingr describe SOURCE --model NAME -o words.json``: a language model writes the words of a schema."""

import logging
from argparse import ArgumentParser, Namespace
from pathlib import Path

from joingr_pyg.cli.ask.arguments import add_source, quiet_logs
from joingr_pyg.cli.ask.source import read_schema
from joingr_pyg.describing import Cost, LanguageModel, cost_of, describe_schema
from joingr_pyg.describing.describe import BATCH, CONCURRENT
from joingr_pyg.describing.words_file import WordsFile
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.joins.given import read_joins, with_given_joins


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_source(parser, indexed=False, prepared=False)
    parser.add_argument(
        *("-o", "--out"), type=Path, required=True, metavar="FILE", help="words file; what it holds already is kept"
    )
    parser.add_argument("--dry-run", action="store_true", help="tell what it will take, and ask nothing")
    parser.add_argument(
        "--prices", metavar="IN,OUT", help="prices of a million tokens read and written, to tell the cost, as 0.15,0.6"
    )
    parser.add_argument("--no-edge-purposes", action="store_true", help="leave out why tables are joined")
    parser.add_argument(
        "--judge-joins",
        action="store_true",
        help="also ask how probable undeclared joins are; where joins are inferred, the answers count",
    )
    parser.add_argument(
        "--lines-only",
        action="store_true",
        help="ask for the line of each table alone, as plain text, for a model that is too small for JSON",
    )
    model = parser.add_argument_group("the language model")
    model.add_argument("--model", metavar="NAME", help="name of the model, as its endpoint knows it")
    model.add_argument(
        "--base-url",
        metavar="URL",
        help="address of an OpenAI-compatible endpoint, as http://localhost:8000/v1 (default: OPENAI_BASE_URL, OpenAI)",
    )
    model.add_argument(
        "--api-key-env", metavar="NAME", help="environment variable that holds the API key (default: OPENAI_API_KEY)"
    )
    model.add_argument("--batch", type=int, default=BATCH, metavar="N", help=f"tables in a request (default: {BATCH})")
    model.add_argument(
        "--concurrent", type=int, default=CONCURRENT, metavar="N", help=f"requests at a time (default: {CONCURRENT})"
    )
    model.add_argument("--timeout", type=float, default=120.0, metavar="S", help="seconds for an answer (default: 120)")
    model.add_argument(
        "--retries", type=int, default=5, metavar="N", help="how often a request that failed is repeated (default: 5)"
    )


def run(arguments: Namespace) -> None:
    """Run the command.

    Raises:
        JoinGRError: If the input is bad, in one sentence. What was answered before is in the file.
    """
    quiet_logs()
    logging.getLogger("joingr_pyg.describing").setLevel(logging.INFO)
    prices = _prices(arguments.prices)
    if arguments.model is None and not arguments.dry_run:
        raise JoinGRError("No language model is named: add --model NAME, or --dry-run to see what it will take.")
    database, _ = read_schema(arguments)
    database = with_given_joins(database, read_joins(arguments.joins or ()))
    options = {
        "batch": 1 if arguments.lines_only else arguments.batch,
        "edge_purposes": not arguments.no_edge_purposes,
        "judge_joins": arguments.judge_joins,
    }
    cost = cost_of(database, arguments.out, **options)
    print(_told(cost, prices), flush=True)
    kept = WordsFile(database, arguments.out).changed_and_edited()
    if kept:
        print(f"{len(kept)} changed table(s) keep their words, which people wrote: {', '.join(kept)}.")
    if arguments.dry_run or not cost.requests:
        return
    model = LanguageModel(
        arguments.model, arguments.base_url, arguments.api_key_env, arguments.timeout, arguments.retries
    )
    try:
        words = describe_schema(
            database,
            model,
            arguments.out,
            concurrent=arguments.concurrent,
            lines_only=arguments.lines_only,
            **options,
        )
    except KeyboardInterrupt:
        raise JoinGRError(
            f"Interrupted; what was answered is in '{arguments.out}', and the same command goes on."
        ) from None
    described = len(WordsFile(database, arguments.out).lines())
    print(f"{arguments.out} describes {described:,} of {len(database.tables):,} tables, ", end="")
    print(f"{sum(map(len, words.columns.values())):,} columns and {len(words.abbreviations):,} abbreviations.")
    print(f'Use it: joingr ask {arguments.source} "your question" --words {arguments.out}')


def _told(cost: Cost, prices: tuple[float, float] | None) -> str:
    """What it will take, in one sentence."""
    if not cost.requests:
        return "All tables are described, and none has changed."
    what = [f"{cost.tables:,} tables to describe"] if cost.tables else []
    what += [f"{cost.joins:,} joins to judge"] if cost.joins else []
    price = 0.0 if prices is None else cost.price(*prices)
    costs = "" if prices is None else f", which costs about {price:{',.2f' if price >= 1 else '.2g'}}"
    return (
        f"{' and '.join(what)}, in {cost.requests:,} requests: about {cost.tokens_read:,} tokens to read and "
        f"{cost.tokens_written:,} to write{costs}."
    )


def _prices(given: str | None) -> tuple[float, float] | None:
    if given is None:
        return None
    try:
        read, written = map(float, given.split(","))
    except ValueError as error:
        raise JoinGRError(f"'--prices' needs two numbers, as 0.15,0.6 (got {given!r}).") from error
    return read, written
