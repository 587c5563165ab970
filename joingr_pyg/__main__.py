"""``python -m joingr_pyg COMMAND``: another name of ``joingr COMMAND``."""

import sys

from joingr_pyg.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
