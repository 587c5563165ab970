"""The table of commands: ``joingr COMMAND``, also as ``python -m joingr_pyg COMMAND``."""

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module

from joingr_pyg.errors import JoinGRError
from joingr_pyg.terminal import terminal_text


@dataclass(frozen=True)
class Command:
    """One command of a program.

    Args:
        module: The module that holds it, imported only when the command runs. It has ``add_arguments(parser)`` and
            ``run(arguments)``, which takes the parsed arguments.
        summary: What the command does, in one line.
        example: A command line, after the name of the program.
        overrides: Whether Hydra reads the command line. The module then has no ``add_arguments``, and ``run`` takes the
            list of arguments after the command's name, such as ``dataset=bird``.
    """

    module: str
    summary: str
    example: str
    overrides: bool = False


COMMANDS = {
    "ask": Command(
        "joingr_pyg.cli.ask.ask",
        "Find the tables that a question needs in a database, a schema file or an index.",
        'ask schema.sql "Which customers bought nothing in May?"',
    ),
    "schema": Command(
        "joingr_pyg.cli.ask.schema",
        "Show what was read of a schema: tables, columns, and where each join comes from.",
        "schema postgresql://user@host/database",
    ),
    "describe": Command(
        "joingr_pyg.cli.ask.describe",
        "Let a language model write the words of a schema, from the schema alone, into a words file.",
        "describe schema.sql --model NAME -o words.json",
    ),
    "index": Command(
        "joingr_pyg.cli.ask.index",
        "Read and embed a schema once, into a folder that can be asked at once.",
        "index schema.sql -o shop_index",
    ),
    "remember": Command(
        "joingr_pyg.cli.ask.remember",
        "Add answered questions to an index, so that similar questions profit from them.",
        "remember shop_index answered.jsonl",
    ),
    "serve": Command(
        "joingr_pyg.cli.ask.serve",
        "Let agents ask a schema, over the Model Context Protocol.",
        "serve shop_index --mcp",
    ),
    "train": Command(
        "joingr_pyg.cli.train",
        "Train a retriever and test it.",
        "train dataset=bird encoder=minilm",
        overrides=True,
    ),
    "evaluate": Command(
        "joingr_pyg.cli.evaluate",
        "Evaluate a method or a trained checkpoint.",
        "evaluate method=vanilla dataset=bird",
        overrides=True,
    ),
    "compare": Command(
        "joingr_pyg.cli.compare.command",
        "Collect runs into one sorted table, seeds as mean ± standard deviation, and draw them.",
        "compare multirun/train --sort R@15",
    ),
    "significance": Command(
        "joingr_pyg.cli.significance.command",
        "Compare two runs on the same questions: metric differences with 95 % bootstrap intervals.",
        "significance outputs/a outputs/b",
    ),
    "calibrate": Command(
        "joingr_pyg.cli.calibrate.command",
        "Fit how many tables a question needs, and check the fit on databases it has not seen.",
        "calibrate outputs/a",
    ),
    "failures": Command(
        "joingr_pyg.cli.failures.command",
        "List the gold tables that a trained model missed, and why.",
        "failures outputs/a --k 15",
    ),
}
"""All commands, in the order in which ``joingr --help`` lists them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of this package.

    Args:
        arguments: The command line after the name of the program; that of the process if ``None``.

    Returns:
        The exit status: 0, or 2 for bad input.
    """
    description = "Find the database tables a question needs: ask a schema, train and evaluate retrievers, study runs."
    return run_command("joingr", description, COMMANDS, arguments)


def run_command(
    program: str, description: str, commands: Mapping[str, Command], arguments: Sequence[str] | None = None
) -> int:
    """Run the command that a command line names.

    Args:
        program: Name of the program, as a user types it.
        description: What the program is for.
        commands: Its commands.
        arguments: The command line after the name of the program; that of the process if ``None``.

    Returns:
        The exit status: 0, 1 if the reader of the output closed it early, or 2 for bad input.

    Raises:
        SystemExit: With status 0 after ``COMMAND --help``, 1 if jobs of a sweep failed, and 2 for bad input that
            ``argparse`` or Hydra refuses.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help"):
        print(_overview(program, description, commands))
        return 0 if given else 2
    name, *rest = given
    if name not in commands:
        print(f"{program}: {_unknown(program, name, commands)}", file=sys.stderr)
        return 2
    command = commands[name]
    module = import_module(command.module)
    if command.overrides:
        module.run(rest)
        return 0
    parser = ArgumentParser(
        f"{program} {name}",
        description=command.summary,
        epilog=f"example: {program} {command.example}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    options = parser.parse_args(rest)
    try:
        module.run(options)
        sys.stdout.flush()
    except JoinGRError as error:
        print(f"{name}: {terminal_text(str(error))}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # Python would report the closed pipe once more when it flushes standard output at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _overview(program: str, description: str, commands: Mapping[str, Command]) -> str:
    """The answer to ``--help``: a line and an example for each command."""
    width = max(map(len, commands))
    return "\n".join(
        [
            f"usage: {program} COMMAND ...",
            "",
            description,
            "",
            "commands:",
            *(f"  {name:{width}}  {command.summary}" for name, command in commands.items()),
            "",
            "examples:",
            *(f"  {program} {command.example}" for command in commands.values()),
            "",
            f"{program} COMMAND --help lists what a command takes.",
        ]
    )


def _unknown(program: str, name: str, commands: Mapping[str, Command]) -> str:
    similar = get_close_matches(name, commands, n=1)
    if similar:
        return f"There is no command {name!r}: did you mean '{program} {similar[0]}'?"
    return f"There is no command {name!r}: choose one of {', '.join(commands)}."
