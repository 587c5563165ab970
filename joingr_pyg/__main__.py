"""``python -m joingr_pyg COMMAND``: what is done with runs that have ended."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from joingr_pyg.errors import JoinGRError
from joingr_pyg.reports.calibrate import command as calibrate
from joingr_pyg.reports.compare import command as compare
from joingr_pyg.reports.failures import command as failures
from joingr_pyg.reports.figures import command as figures
from joingr_pyg.reports.results import command as results
from joingr_pyg.reports.significance import command as significance

PROGRAM = "python -m joingr_pyg"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 2 for bad input."""
    parser = ArgumentParser(PROGRAM, description=__doc__)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, module in {
        "compare": compare,
        "significance": significance,
        "calibrate": calibrate,
        "results": results,
        "failures": failures,
        "figures": figures,
    }.items():
        command = commands.add_parser(name, help=module.SUMMARY, description=module.SUMMARY)
        module.add_arguments(command)
        command.set_defaults(run=getattr(module, name), name=name)
    given = parser.parse_args(arguments)
    try:
        given.run(given)
        sys.stdout.flush()
    except JoinGRError as error:
        print(f"{given.name}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # Who reads has seen enough; Python would tell so again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
