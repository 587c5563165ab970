"""``joingr COMMAND``, also as ``python -m joingr_pyg COMMAND``."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from types import ModuleType

from joingr_pyg.cli.calibrate import command as calibrate
from joingr_pyg.cli.compare import command as compare
from joingr_pyg.cli.failures import command as failures
from joingr_pyg.cli.significance import command as significance
from joingr_pyg.errors import JoinGRError

COMMANDS: dict[str, ModuleType] = {
    "compare": compare,
    "significance": significance,
    "calibrate": calibrate,
    "failures": failures,
}
"""The module of each command: it has a ``SUMMARY``, ``add_arguments(parser)`` and a function of the command's name."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of this package and return its exit status: 2 for bad input."""
    return run_command("python -m joingr_pyg", "Compare and explain finished runs.", COMMANDS, arguments)


def run_command(
    program: str, description: str, commands: Mapping[str, ModuleType], arguments: Sequence[str] | None
) -> int:
    """Parse a command line, run the command that it names, and return the exit status: 2 for bad input.

    Args:
        program: The program, as a user types it.
        description: What the program is for.
        commands: The module of each command, as in :data:`COMMANDS`.
        arguments: The command line; that of the process where not given.
    """
    parser = ArgumentParser(program, description=description)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, module in commands.items():
        subparser = subparsers.add_parser(name, help=module.SUMMARY, description=module.SUMMARY)
        module.add_arguments(subparser)
        subparser.set_defaults(run=getattr(module, name), name=name)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except JoinGRError as error:
        print(f"{options.name}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # The reader closed the pipe; Python would complain again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0
