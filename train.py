"""Train a retriever and test it, in a checkout: ``python train.py ...`` is ``joingr train ...``."""

import sys

from joingr_pyg.cli.train import run

if __name__ == "__main__":
    run(sys.argv[1:])
