"""Evaluate a method or a checkpoint, in a checkout: ``python evaluate.py ...`` is ``joingr evaluate ...``."""

import sys

from joingr_pyg.cli.evaluate import run

if __name__ == "__main__":
    run(sys.argv[1:])
